"""Retell: call objects, as the API and the webhooks give them.

How to get it: save the body of the `call_ended` or `call_analyzed` webhook, or the answer of `GET /v2/get-call/{call_id}`.
Of a list of several calls one is chosen with `--call-id`.

`transcript_with_tool_calls` is read, or its scrubbed form where that is all there is. Turns run from their first word to
their last. What it does not record reliably: times of tool calls and key presses; where `time_sec` is missing they are put
between the neighbouring words, marked `time_inferred`, and have no latency. A tool's `successful` may be missing, which
says nothing, and `true` beside a body that tells of an error. `node_transition` is a step of the flow, no handoff.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.importers import _handoffs as handoffs
from hotato.importers._clock import MS, S, in_time, instant, moment, number_ns, since
from hotato.importers._events import lines_of
from hotato.importers._importer import Content, Damage, Imported, Options, Path
from hotato.importers._notes import Lost, told
from hotato.importers._pairing import Answer, Asked, Calls
from hotato.importers._payload import answer, identifier, some
from hotato.importers._roles import Turns
from hotato.importers._speech import shaped

RANK = 120
ROLES = {"agent": "agent", "user": "caller", "transfer_target": "transfer_target"}
SILENT = ("injected", "sms", "node_transition", "system")
HANDOFFS = ("transfer_call", "agent_swap", "bridge_transfer", "cancel_transfer")
CAPTURES = {
    "tool_call": True,
    "arguments": True,
    "result": True,
    "handoff": True,
    "dtmf": True,
    "http_exchange": False,
    "termination": True,
}
Number = int | float
_LISTS = ("transcript_with_tool_calls", "scrubbed_transcript_with_tool_calls", "transcript_object")


class Word(msgspec.Struct, kw_only=True):
    """A word; seconds of the recording."""

    word: str = ""
    start: Number | None = None
    end: Number | None = None


class Metadata(msgspec.Struct, kw_only=True):
    """What is known of a turn beside its words."""

    is_backchannel: bool | None = None


class Entry(msgspec.Struct, kw_only=True):
    """An entry of the transcript; `time_sec` in seconds."""

    role: str
    content: Any = None
    words: list[Word] | None = None
    metadata: Metadata | None = None
    tool_call_id: str | int | None = None
    name: str | None = None
    arguments: Any = None
    type: str | None = None
    successful: bool | None = None
    time_sec: Number | None = None
    digit: str | int | None = None


class Measured(msgspec.Struct, kw_only=True):
    """Single measurements; milliseconds."""

    values: list[Number] | None = None
    num: Number | None = None


class Latency(msgspec.Struct, kw_only=True):
    """What answers took, from end to end."""

    e2e: Measured | None = None


class Call(msgspec.Struct, kw_only=True):
    """A call; timestamps in milliseconds since 1970."""

    call_id: str | None = None
    agent_id: str | None = None
    start_timestamp: Number | None = None
    end_timestamp: Number | None = None
    duration_ms: Number | None = None
    disconnection_reason: str | None = None
    transfer_destination: str | None = None
    transfer_end_timestamp: Number | None = None
    latency: Latency | None = None
    e2e_latency: Measured | None = None
    transcript: str | None = None
    transcript_with_tool_calls: list[Entry] | None = None
    scrubbed_transcript_with_tool_calls: list[Entry] | None = None
    transcript_object: list[Entry] | None = None
    pre_session_transcript_with_tool_calls: list[Any] | None = None
    post_session_transcript_with_tool_calls: list[Any] | None = None


def _is_call(value: Any) -> bool:
    if type(value) is not dict:
        return False
    named = type(value.get("call_id")) is str and ("disconnection_reason" in value or "call_status" in value)
    return any(type(value.get(name)) is list for name in _LISTS) or named


def _is_event(value: Any) -> bool:
    event = value.get("event") if type(value) is dict else None
    known = type(event) is str and event.startswith(("call_", "transcript_updated", "transfer_"))
    return known and _is_call(value.get("call"))


def matches(content: Content) -> str:
    """Return why the content is of Retell; empty where it is not."""
    values = content.value if type(content.value) is list else content.values
    for value in values[:3]:
        if _is_event(value):
            return "an event with a call of Retell"
        if _is_call(value):
            return "a call with transcript_with_tool_calls or a disconnection_reason"
    return ""


def read(content: Content, options: Options) -> Imported:
    """Return the transcript and the trace of a call."""
    call = _chosen(content, options)
    lost = Lost()
    reader = _Reader(call, options, lost)
    for name in ("pre_session_transcript_with_tool_calls", "post_session_transcript_with_tool_calls"):
        lost["outside_call"] += len(getattr(call, name) or ())
    transcript = _text_turns(call, lost, reader)
    spans = reader.spans()
    return Imported(
        format="retell",
        transcript=transcript,
        spans=spans,
        call_id=call.call_id,
        agent_id=call.agent_id,
        stack="retell",
        captures=handoffs.recorded({**CAPTURES, **_unrecorded(call)}, lost),
        notes=[*told(lost), *reader.turns.notes()],
    )


def _chosen(content: Content, options: Options) -> Call:
    """Return the call of a file, the last record of it where there are several. Raise Damage where calls differ."""
    listed: list[tuple[Path, int, Any]]
    if content.shape == "document" and type(content.value) is list:
        listed = [((index,), 0, value) for index, value in enumerate(content.value)]
    else:
        one = content.shape == "document"
        lines = lines_of(content)
        listed = [(() if one else (i,), lines[i], value) for i, value in enumerate(content.values)]
    calls: dict[str, Call] = {}
    for path, line, value in listed:
        if type(value) is not dict:
            raise Damage(path, "must be an object", line)
        inner, way = (value["call"], (*path, "call")) if type(value.get("call")) is dict else (value, path)
        call = shaped(inner, Call, way, line)
        key = call.call_id or ""
        if key not in calls or _entries(call) or not _entries(calls[key]):
            calls[key] = call
    wanted = options.call_id
    if wanted is not None:
        if wanted not in calls:
            raise Damage((), "holds no call of the id that was asked for")
        return calls[wanted]
    if len(calls) != 1:
        raise Damage((), f"holds {len(calls)} calls; one file is one call, --call-id chooses it")
    return next(iter(calls.values()))


def _entries(call: Call) -> list[Entry]:
    return call.transcript_with_tool_calls or call.scrubbed_transcript_with_tool_calls or call.transcript_object or []


def _unrecorded(call: Call) -> dict[str, bool]:
    """Return what a call does not record: where only its words are listed, nothing of its tools and keys."""
    whole = (call.transcript_with_tool_calls, call.scrubbed_transcript_with_tool_calls)
    spoken = call.transcript_object or some(call.transcript)
    if any(whole) or (not spoken and whole != (None, None)):
        return {}
    return dict.fromkeys(("tool_call", "arguments", "result", "handoff", "dtmf"), False)


def _text_turns(call: Call, lost: Lost, reader: _Reader) -> list[dict[str, Any]] | None:
    """Return the turns of the entries, or of the plain text where there are no entries; None where there is neither."""
    entries = _entries(call)
    if all(getattr(call, name) is None for name in (*_LISTS, "transcript")):
        return None
    if not call.transcript_with_tool_calls and call.scrubbed_transcript_with_tool_calls:
        lost["text_redacted"] += 1
    reader.read(entries)
    if not entries and some(call.transcript):
        lost["text_in_one_piece"] += 1
        for line in (call.transcript or "").splitlines():
            label, colon, said = line.partition(":")
            known = colon and label.strip().lower() in ("agent", "user")
            if known:
                reader.turns.add(label.strip().lower(), said)
            elif reader.turns.turns:
                reader.turns.turns[-1]["text"] += " " + line.strip()
    return in_time(reader.turns.turns)


class _Reader:
    """Reads the entries of one call."""

    def __init__(self, call: Call, options: Options, lost: Lost) -> None:
        self._call, self._lost = call, lost
        self.turns = Turns(ROLES, options, lost)
        self._calls = Calls(lost)
        self._origin = number_ns(options.origin, S) or 0
        self._kinds: list[tuple[Asked, str]] = []

    def read(self, entries: list[Entry]) -> None:
        """Read entries in order."""
        known = [_span(entry, self._lost) for entry in entries]
        after: int | None = None
        follows: list[int | None] = []
        for start, _ in reversed(known):
            follows.append(after)
            after = start if start is not None else after
        follows.reverse()
        any_known = after is not None
        latest = 0
        for entry, (start, end), follow in zip(entries, known, follows, strict=True):
            # what has no time comes after everything before it and not after what follows
            between = (latest if follow is None else min(latest, follow)) if any_known else None
            at = between if start is None else start
            latest = max(latest, end or at or 0)
            self._take(entry, at, end, start is None)

    def _take(self, entry: Entry, at: int | None, end: int | None, inferred: bool) -> None:
        role = entry.role
        if role == "tool_call_invocation":
            asked = self._calls.call(
                identifier(entry.tool_call_id),
                entry.name,
                entry.arguments,
                at=at,
                inferred=inferred and at is not None,
                tool_type=some(entry.type),
            )
            self._kinds.append((asked, entry.type or ""))
        elif role == "tool_call_result":
            self._answered(entry, None if inferred else at)
        elif role == "dtmf":
            mark = {"time_inferred": True} if inferred and at is not None else {}
            self._lost["time_inferred"] += bool(mark)
            pressed = handoffs.dtmf(entry.digit, at, self._origin, "caller", lost=self._lost, **mark)
            self._calls.also(pressed)
        elif role in SILENT:
            self._lost["not_speech"] += role != "node_transition"
        else:
            self._spoken(entry, None if inferred else at, end)

    def _answered(self, entry: Entry, at: int | None) -> None:
        failed = entry.successful is False
        found = entry.content
        self._calls.result(
            Answer(
                id=identifier(entry.tool_call_id),
                name=entry.name,
                at=at,
                result=answer(found, self._lost),
                has_result=found is not None,
                error=(found if some(found) else True) if failed else None,
            )
        )

    def _spoken(self, entry: Entry, at: int | None, end: int | None) -> None:
        text = entry.content if type(entry.content) is str else ""
        self._lost["content_not_text"] += entry.content is not None and type(entry.content) is not str
        if not text and entry.words:
            text = "".join(word.word if word.word[-1:].isspace() else word.word + " " for word in entry.words)
        backchannel = True if entry.metadata is not None and entry.metadata.is_backchannel else None
        start, stop = since(at, self._origin), since(end, self._origin)
        self.turns.add(entry.role, text, start, stop, backchannel=backchannel)

    def spans(self) -> list[dict[str, Any]]:
        """Return the spans of what was read, and of what the call itself says."""
        self._calls.pair()
        for asked, kind in self._kinds:
            if kind == "press_digit":
                digits = asked.arguments.get("digit", asked.arguments.get("digits"))
                self._calls.also(handoffs.dtmf(digits, asked.at, self._origin, "agent", lost=self._lost), asked)
        self._handed()
        latency = self._call.latency.e2e if self._call.latency else self._call.e2e_latency
        values = latency.values if latency is not None else None
        self._lost["latency_summarised"] += latency is not None and not values and bool(latency.num)
        for value in values or ():
            self._calls.also({"type": "turn_latency", "latency_ms": value})
        made = in_time(self._calls.spans(self._origin))
        ending = self._ending()
        return [*made, ending] if ending else made

    def _handed(self) -> None:
        """Record the handoffs that tools were called for, or that only the call's own end tells."""
        made: list[dict[str, Any]] = []
        call = self._call
        left = some(call.transfer_destination)
        for asked, kind in self._kinds:
            if kind not in HANDOFFS:
                continue
            if kind in ("bridge_transfer", "cancel_transfer") and made:  # what becomes of the transfer before
                if kind == "cancel_transfer" and (asked.answer is None or not asked.answer.error):
                    made[-1].setdefault("status", "cancelled")
                continue
            if kind == "cancel_transfer":
                continue
            to = next((str(asked.arguments[n]) for n in _TARGETS if some(asked.arguments.get(n))), None)
            if kind == "transfer_call" and left is not None and to in (None, left):
                to, left = left, None
            made.append(handoffs.of_call(asked, to, self._origin, name=asked.name))
            self._calls.also(made[-1], asked)
        if left is not None or (call.disconnection_reason == "call_transfer" and not made):
            at = self._moment(call.end_timestamp)
            target = {"to": left} if left else {}
            self._calls.also({"type": "handoff", **instant(at, self._origin), **target})

    def _moment(self, epoch_ms: Number | None) -> int | None:
        """Return a moment of the day as one of the recording."""
        at, start = moment(epoch_ms, MS, self._lost), moment(self._call.start_timestamp, MS, self._lost)
        return at - start if at is not None and start is not None else None

    def _ending(self) -> dict[str, Any] | None:
        at = self._moment(self._call.end_timestamp)
        if at is None:
            at = moment(self._call.duration_ms, MS, self._lost)
        reason = some(self._call.disconnection_reason)
        return handoffs.termination(reason, _by(reason), at, self._origin)


_TARGETS = ("number", "destination", "transfer_destination", "to", "agent_name", "agent_id")


def _by(reason: str | None) -> str | None:
    if reason is None:
        return None
    if reason.startswith("user_"):
        return "caller"
    if reason.startswith("agent_") or reason == "call_transfer":
        return "agent"
    known = (
        "dial_",
        "error_",
        "voicemail",
        "inactivity",
        "max_duration",
        "ivr_",
        "concurrency_",
        "no_valid",
        "machine",
    )
    return "system" if reason.startswith(known) else None


def _span(entry: Entry, lost: Lost) -> tuple[int | None, int | None]:
    """Return when an entry starts and ends: its own time, or its first and last word's."""
    words = entry.words or ()
    start = next((at for w in words if (at := moment(w.start, S, lost)) is not None), None)
    end = next((at for w in reversed(words) if (at := moment(w.end, S, lost)) is not None), None)
    return moment(entry.time_sec, S, lost) if start is None else start, end
