"""The shapes of Vapi's messages, and what they say of handoffs and of how a call ended."""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.importers import _handoffs as handoffs
from hotato.importers._clock import instant
from hotato.importers._importer import Path
from hotato.importers._notes import Lost
from hotato.importers._pairing import Asked, Calls
from hotato.importers._payload import some

ROLES = {"bot": "agent", "assistant": "agent", "user": "caller"}
KINDS = frozenset(
    "assistant-request assistant.started assistant.speechStarted call.deleted call.delete.failed chat.created "
    "chat.deleted conversation-update end-of-call-report function-call hang knowledge-base-request language-changed "
    "language-change-detected model-output phone-call-control session.created session.updated session.deleted "
    "speech-update status-update tool-calls tool.completed transcript transfer-destination-request transfer-update "
    "user-interrupted voice-input voice-request".split()
)
Number = int | float
Time = int | float | str | None


class Function(msgspec.Struct, kw_only=True):
    """A function and its arguments: JSON text in a history, an object in a webhook."""

    name: str | None = None
    arguments: Any = None


class ToolCall(msgspec.Struct, kw_only=True):
    """A call of a tool."""

    id: str | int | None = None
    function: Function | None = None
    name: str | None = None
    arguments: Any = None

    @property
    def tool(self) -> str | None:
        """Return the tool's name."""
        return self.function.name if self.function is not None and self.function.name else self.name

    @property
    def given(self) -> Any:
        """Return the arguments as the source has them."""
        inner = self.function.arguments if self.function is not None else None
        return self.arguments if inner is None else inner


class Item(msgspec.Struct, kw_only=True, rename="camel"):
    """A message; `time` and `end_time` in milliseconds since 1970."""

    role: str
    message: str | None = None
    content: str | None = None
    time: Time = None
    end_time: Time = None
    seconds_from_start: Number | None = None
    duration: Any = None
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | int | None = None
    name: str | None = None
    result: Any = None
    assistant_name: str | None = None


class Destination(msgspec.Struct, kw_only=True, rename="camel"):
    """Whom a call is handed to."""

    type: str | None = None
    number: str | None = None
    assistant_name: str | None = None
    sip_uri: str | None = None
    extension: str | None = None

    def label(self) -> str | None:
        """Return the target in one word."""
        return some(self.assistant_name) or some(self.number) or some(self.sip_uri) or some(self.extension)


class Transfer(msgspec.Struct, kw_only=True):
    """A handoff that took place, or was tried."""

    destination: Destination | None = None
    mode: str | None = None
    status: str | None = None


class Activation(msgspec.Struct, kw_only=True, rename="camel"):
    """An assistant that took over."""

    assistant_name: str | None = None
    assistant_id: str | None = None


class TurnLatency(msgspec.Struct, kw_only=True, rename="camel"):
    """What one answer took; milliseconds."""

    turn_latency: Number | None = None
    model_latency: Number | None = None
    voice_latency: Number | None = None
    transcriber_latency: Number | None = None
    endpointing_latency: Number | None = None


class Metrics(msgspec.Struct, kw_only=True, rename="camel"):
    """Measurements of the call."""

    turn_latencies: list[TurnLatency] | None = None


class Artifact(msgspec.Struct, kw_only=True, rename="camel"):
    """What the call left behind."""

    messages: list[Item] | None = None
    transfers: list[Transfer] | None = None
    assistant_activations: list[Activation] | None = None
    performance_metrics: Metrics | None = None


class Call(msgspec.Struct, kw_only=True, rename="camel"):
    """The call that a webhook belongs to. Its `status` may lag behind and is not read."""

    id: str | None = None
    assistant_id: str | None = None
    started_at: Time = None
    ended_at: Time = None
    ended_reason: str | None = None
    messages: list[Item] | None = None
    artifact: Artifact | None = None


class Wrapped(msgspec.Struct, kw_only=True, rename="camel"):
    """A tool beside its call."""

    tool_call: ToolCall | None = None


class Report(msgspec.Struct, kw_only=True, rename="camel"):
    """The inside of a webhook, or a call object."""

    type: str | None = None
    id: str | None = None
    timestamp: Time = None
    call: Call | None = None
    assistant_id: str | None = None
    messages: list[Item] | None = None
    artifact: Artifact | None = None
    started_at: Time = None
    ended_at: Time = None
    ended_reason: str | None = None
    destination: Destination | None = None
    status: str | None = None
    role: str | None = None
    transcript_type: str | None = None
    transcript: str | None = None
    tool_calls: list[ToolCall] | None = None
    tool_call_list: list[ToolCall] | None = None
    tool_with_tool_call_list: list[Wrapped] | None = None


def messages(report: Report) -> list[tuple[Path, list[Item] | None]]:
    """Return the places where a report may hold its messages, the ones to prefer first, each with what is there."""
    call = report.call
    return [
        (("artifact", "messages"), report.artifact.messages if report.artifact else None),
        (("messages",), report.messages),
        (("call", "messages"), call.messages if call else None),
        (("call", "artifact", "messages"), call.artifact.messages if call and call.artifact else None),
    ]


def listed(report: Report) -> bool:
    """Say whether a report holds a list of messages, be it empty."""
    return any(found is not None for _, found in messages(report))


def called(report: Report) -> list[ToolCall]:
    """Return the calls of a webhook from the first of its lists that holds any: all hold the same calls."""
    wrapped = [one.tool_call for one in report.tool_with_tool_call_list or () if one.tool_call is not None]
    return report.tool_call_list or report.tool_calls or wrapped


_AGENT = ("assistant-ended-call", "assistant-said-", "assistant-forwarded-call")
_SYSTEM = (
    "assistant-", "call.", "call-", "exceeded-", "license-", "phone-call-provider-", "pipeline-", "silence-",
    "twilio-", "unknown-error", "vapifault-", "voicemail", "vonage-", "worker-",
)  # fmt: skip


def ended_reason(report: Report) -> str | None:
    """Return why the call ended, from wherever it is told."""
    return some(report.ended_reason) or (some(report.call.ended_reason) if report.call else None)


def by(reason: str | None) -> str | None:
    """Return who ended the call by the prefix of the reason; None for a reason that is not known."""
    if reason is None:
        return None
    if reason.startswith("customer-"):
        return "caller"
    if reason.startswith(_AGENT):
        return "agent"
    return "system" if reason.startswith(_SYSTEM) else None


def transfers(calls: Calls, artifact: Artifact, report: Report, origin: int, lost: Lost) -> list[dict[str, Any]]:
    """Record the handoffs that tools were called for and that the report lists, each once, and return them."""
    made = []
    for asked in calls.asked:
        if (asked.name or "").lower().startswith(("transfercall", "transfer_call", "handoff_to_")):
            made.append(handoffs.of_call(asked, _target(asked), origin))
            calls.also(made[-1], asked)
    listed = [(one.destination, one.mode, one.status) for one in artifact.transfers or ()]
    if report.destination is not None and not listed:
        listed.append((report.destination, None, None))
    taken: set[int] = set()
    for destination, mode, status in listed:
        to = destination.label() if destination is not None else None
        index = next((i for i, span in enumerate(made) if i not in taken and _same(span.get("to"), to)), None)
        if index is None:
            index = len(made)
            made.append({"type": "handoff"})
            calls.also(made[-1])
        taken.add(index)
        for key, value in (("to", to), ("mode", mode), ("status", status)):
            if value and key not in made[index]:
                made[index][key] = value
    if not made and ended_reason(report) == "assistant-forwarded-call":
        lost["handoff_inferred"] += 1
        made.append({"type": "handoff"})
        calls.also(made[-1])
    return made


def _target(asked: Asked) -> str | None:
    given = asked.arguments.get("destination")
    if type(given) is dict:
        for name in ("assistantName", "number", "sipUri", "extension"):
            if some(given.get(name)):
                return str(given[name])
    if some(given):
        return str(given)
    for name in ("assistantName", "number"):
        if some(asked.arguments.get(name)):
            return str(asked.arguments[name])
    name = asked.name or ""
    return name[len("handoff_to_") :] or None if name.lower().startswith("handoff_to_") else None


def _same(one: str | None, other: str | None) -> bool:
    return one is None or other is None or one.casefold() == other.casefold()


def switches(
    items: list[tuple[Item, int | None]], artifact: Artifact, known: list[dict[str, Any]], origin: int, lost: Lost
) -> list[dict[str, Any]]:
    """Return the handoffs that show only in another assistant speaking, being listed, or being instructed.

    A sign that fits a handoff which is known already is that handoff.
    """
    signs: list[tuple[str | None, int | None]] = []
    speaking: str | None = None
    instructed = heard = False
    for item, at in items:
        if item.role == "system":
            if heard and instructed:
                signs.append((None, at))
            instructed = True
        elif ROLES.get(item.role) == "agent":
            heard = True
            name = some(item.assistant_name)
            if name and speaking and name != speaking:
                if signs and signs[-1][0] is None:
                    signs[-1] = (name, signs[-1][1])
                else:
                    signs.append((name, at))
            speaking = name or speaking
    if not any(name for name, _ in signs):
        names = [one.assistant_name for one in artifact.assistant_activations or ()][1:]
        signs += [(name, None) for name in names[len(signs) :] if name]
    free = list(known)
    made = []
    for name, at in signs:
        fitting = next((span for span in free if _same(span.get("to"), name)), None)
        if fitting is not None:
            free.remove(fitting)
            if name:
                fitting.setdefault("to", name)
            continue
        lost["handoff_inferred"] += 1
        made.append({"type": "handoff", **instant(at, origin), **({"to": name} if name else {})})
    return made
