"""LiveKit Agents: session reports and chat contexts.

How to get it: in a session's shutdown callback write `ctx.make_session_report().to_dict()`; or
`session.history.to_dict(exclude_timestamp=False)`. Without that argument a context has no times of tool calls and
handoffs. The OpenTelemetry export is read by `otlp`.

Turns run from `started_speaking_at` to `stopped_speaking_at`; `created_at` is when a message was committed, before the
agent speaks and after the caller has spoken, and counts for no turn. The text of an interrupted turn is what was heard; what
was planned is not recorded. The same tool call stands in the history and twice among the events of a report, and is one
span. What it does not record: the key presses of a caller; HTTP exchanges.
"""

from __future__ import annotations

from typing import Any

from hotato.importers import _handoffs as handoffs
from hotato.importers._clock import MS, S, in_time, instant, moment, number_ns, origin_ns, since
from hotato.importers._importer import Content, Damage, Imported, Options, Path
from hotato.importers._livekit import CR, Event, Item, Report, audible, by, shaped_items
from hotato.importers._notes import Lost, told
from hotato.importers._pairing import Answer, Calls
from hotato.importers._payload import answer, identifier, message_text, some
from hotato.importers._roles import Turns
from hotato.importers._speech import shaped

RANK = 140
ROLES = {"assistant": "agent", "user": "caller"}
KINDS = ("message", "function_call", "function_call_output", "agent_handoff", "agent_config_update")
CAPTURES = {"tool_call": True, "arguments": True, "result": True, "http_exchange": False}
_ENDINGS = {"handoff": True, "termination": True}  # what reports record besides
_FAILED = ("error", "failed", "cancelled")


def matches(content: Content) -> str:
    """Return why the content is of LiveKit; empty where it is not."""
    value = content.value
    if type(value) is dict and type(value.get("chat_history")) is dict:
        found = type(value["chat_history"].get("items")) is list
        return "chat_history.items" if found and ("job_id" in value or "options" in value) else ""
    items = value.get("items") if type(value) is dict else value
    if type(items) is not list or not items:
        return ""
    if not all(type(item) is dict and item.get("type") in KINDS for item in items):
        return ""
    for item in items:
        said = item.get("content")
        if item["type"] in ("agent_handoff", "agent_config_update"):
            return f"items of type {item['type']}"
        if item["type"] == "message" and type(said) is list and said and all(type(part) is str for part in said):
            return "messages whose content is a list of texts"
    return ""


def read(content: Content, options: Options) -> Imported:
    """Return the transcript and the trace of a session."""
    value = content.value
    lost = Lost()
    if type(value) is dict and "chat_history" in value:
        report = shaped(value, Report)
        path: Path = ("chat_history", "items")
        items = report.chat_history.items if report.chat_history else []
    else:
        report = Report()
        path = ("items",) if type(value) is dict else ()
        found = value.get("items") if type(value) is dict else value
        if type(found) is not list:
            raise Damage(path, "must be a list of items")
        items = shaped_items(found, path)
    return _Session(report, items, path, options, lost).imported()


class _Session:
    """Reads one session."""

    def __init__(self, report: Report, items: list[Item], path: Path, options: Options, lost: Lost) -> None:
        self._report, self._path, self._lost = report, path, lost
        known = {item.id for item in items if item.id}
        # a history that was cut short or rewritten lacks what was said before; the events have it
        missing = [e.item for e in report.events or () if e.item is not None and e.item.id and e.item.id not in known]
        self._items = [(None, item) for item in missing] + [*enumerate(items)]
        self._turns = Turns(ROLES, options, lost)
        self._calls = Calls(lost)
        self._late = Calls(lost, same_id_is_same_call=True)
        self._handed = False
        times = [moment(item.created_at, S, lost) for _, item in self._items]
        times += [number_ns(item.metrics.started_speaking_at, S) for _, item in self._items if item.metrics]
        times += [number_ns(event.created_at, S) for event in report.events or ()]
        started = moment(report.audio_recording_started_at, S, lost)
        self._origin = origin_ns(options, started, times, lost)

    def imported(self) -> Imported:
        """Return what the session says."""
        for index, item in self._items:
            self._item(item, index)
        self._events()
        for calls in (self._calls, self._late):
            self._beside(calls)
        spans = in_time([*self._calls.spans(self._origin), *self._late.spans(self._origin)])
        ending = self._ending()
        report = bool(self._report.events or self._report.close_reason)
        return Imported(
            format="livekit",
            transcript=in_time(self._turns.turns),
            spans=[*spans, *([ending] if ending else [])],
            call_id=some(self._report.job_id),
            agent_id=some(self._report.agent_name),
            stack="livekit",
            captures=handoffs.recorded({**CAPTURES, **(_ENDINGS if report else {"termination": False})}, self._lost),
            notes=[*told(self._lost), *self._turns.notes()],
        )

    def _beside(self, calls: Calls) -> None:
        """Record the key presses that calls are, and the handoffs where no item tells them."""
        for asked in calls.asked:
            if asked.name == "send_dtmf_events":
                given = asked.arguments.get("events")
                keys = "".join(map(str, given)) if type(given) is list else given
                calls.also(handoffs.dtmf(keys, asked.at, self._origin, "agent", lost=self._lost), asked)
        if not self._handed:
            handoffs.add_named(calls, self._origin, self._lost)

    def _item(self, item: Item, index: int | None) -> None:
        path = (*self._path, index) if index is not None else ("events",)
        at = moment(item.created_at, S, Lost())
        if item.type == "message":
            self._message(item, path)
        elif item.type == "function_call":
            self._calls.call(identifier(item.call_id), item.name, item.arguments, at=at)
        elif item.type == "function_call_output":
            self._calls.result(self._answer(item, at))
        elif item.type == "agent_handoff":
            self._handoff(item, at)
        elif item.type == "agent_config_update":
            self._lost["not_speech"] += 1
        else:
            self._lost["entries_unknown"] += 1

    def _answer(self, item: Item, at: int | None) -> Answer:
        failed = item.is_error is True
        return Answer(
            id=identifier(item.call_id),
            name=item.name,
            at=at,
            result=answer(item.output, self._lost),
            has_result=item.output is not None,
            error=(some(item.output) or True) if failed else None,
        )

    def _message(self, item: Item, path: Path) -> None:
        if item.role in ("system", "developer"):
            self._lost["not_speech"] += 1
            return
        text = message_text(item.content, (*path, "content"), self._lost)
        metrics = item.metrics
        start = moment(metrics.started_speaking_at, S, self._lost) if metrics else None
        end = moment(metrics.stopped_speaking_at, S, self._lost) if metrics else None
        first, last = since(start, self._origin), since(end, self._origin)
        self._turns.add(item.role or "unknown", text, first, last, interrupted=item.interrupted)
        self._lost["times_missing"] += start is None and bool(text.strip())
        if metrics is not None and metrics.e2e_latency is not None:
            parts = {
                "latency_ms": metrics.e2e_latency,
                "llm_ms": metrics.llm_node_ttft,
                "tts_ms": metrics.tts_node_ttfb,
            }
            taken = {name: number_ns(seconds, S) for name, seconds in parts.items()}
            span = {"type": "turn_latency", **instant(start, self._origin)}
            self._calls.also({**span, **{name: ns / MS for name, ns in taken.items() if ns is not None}})

    def _handoff(self, item: Item, at: int | None) -> None:
        if not some(item.old_agent_id):
            return  # the agent who begins
        self._handed = True
        to = {"to": item.new_agent_id} if some(item.new_agent_id) else {}
        self._calls.also({"type": "handoff", **instant(at, self._origin), "from": item.old_agent_id, **to})

    def _events(self) -> None:
        """Take what only the events of a report tell: calls missing in the history, partials, who was audible, errors."""
        known = {asked.id for asked in self._calls.asked}
        events = self._report.events or []
        for event in events:
            at = moment(event.created_at, S, Lost())
            if event.type == "function_tools_executed":
                self._executed(event, known)
            elif event.type == "tool_execution_updated" and event.update is not None:
                self._updated(event, known, at)
            elif event.type == "user_input_transcribed" and event.is_final is False and some(event.transcript):
                self._lost["partials_dropped"] += 1
                span = {"type": "asr_partial", **instant(at, self._origin), "role": "caller", "text": event.transcript}
                self._calls.also(span)
            elif event.type == "error":
                said = event.error
                message = some(said) or (some(said.get("message")) if type(said) is dict else None)
                span = {"type": "error", **instant(at, self._origin), **({"message": message} if message else {})}
                self._calls.also(span)
        for span in audible(events, self._origin):
            self._calls.also(span)

    def _executed(self, event: Event, known: set[str | None]) -> None:
        for item in event.function_calls or ():
            if identifier(item.call_id) not in known:
                at = moment(item.created_at, S, Lost())
                self._late.call(identifier(item.call_id), item.name, item.arguments, at=at)
        for output in event.function_call_outputs or ():
            if output is not None and identifier(output.call_id) not in known:
                self._late.result(self._answer(output, moment(output.created_at, S, Lost())))

    def _updated(self, event: Event, known: set[str | None], at: int | None) -> None:
        update = event.update
        if update is None:
            return
        item = update.function_call
        if item is not None and identifier(item.call_id) not in known:
            began = moment(item.created_at, S, Lost())
            self._late.call(identifier(item.call_id), item.name, item.arguments, at=began)
        if update.type == "tool_call_ended" and identifier(update.call_id) not in known:
            failed = update.status in _FAILED
            self._late.result(
                Answer(
                    id=identifier(update.call_id),
                    at=at,
                    result=answer(update.message, self._lost),
                    has_result=update.message is not None,
                    error=(some(update.message) or True) if failed else None,
                )
            )

    def _ending(self) -> dict[str, Any] | None:
        closed = next((event for event in self._report.events or () if event.type == "close"), None)
        at = moment(closed.created_at, S, self._lost) if closed is not None else None
        reason = some(closed.reason) if closed is not None else None
        told_of = some(self._report.close_reason)
        if reason is None and told_of is not None:
            reason = told_of.removeprefix(CR).lower() if told_of.startswith(CR) else told_of
        return handoffs.termination(reason, by(reason), at, self._origin)
