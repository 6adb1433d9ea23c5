"""Vapi: end-of-call reports, call objects and logged webhooks.

How to get it: save the body of the `end-of-call-report` webhook that your server URL receives, or the answer of
`GET /call/{id}`, or log every webhook as one line of JSON. A report is the best source: webhooks alone hold a tool's
arguments and not its result.

Of the several lists of messages the first that is not empty is read (`artifact.messages`, then `messages`). Times are the
messages' own `time`; `secondsFromStart`, which starts again at each transfer to another assistant, is read only where
there is no `time`. What it does not record: whether a tool went wrong, other than in the words of its result; `No result
returned.` means that the server did not answer. `duration` is written in seconds by some versions and in milliseconds by
others, so a turn without `endTime` has no end.
"""

from __future__ import annotations

from typing import Any

from hotato.importers import _handoffs as handoffs
from hotato.importers._clock import MS, S, in_time, moment, origin_ns, since
from hotato.importers._events import lines_of
from hotato.importers._importer import Content, Damage, Imported, Options, Path
from hotato.importers._notes import Lost, told
from hotato.importers._pairing import Answer, Calls
from hotato.importers._payload import answer, identifier, some
from hotato.importers._roles import Turns
from hotato.importers._speech import shaped
from hotato.importers._vapi import (
    KINDS,
    ROLES,
    Artifact,
    Item,
    Report,
    ToolCall,
    by,
    called,
    ended_reason,
    messages,
    switches,
    transfers,
)
from hotato.importers._vapi_events import events

RANK = 110
CAPTURES = {
    "tool_call": True,
    "arguments": True,
    "result": True,
    "handoff": True,
    "http_exchange": False,
    "termination": True,
}
UNANSWERED = "No result returned."


def matches(content: Content) -> str:
    """Return why the content is of Vapi; empty where it is not."""
    for value in content.values[:1] if content.shape != "lines" else content.values:
        inner = value.get("message") if type(value) is dict else None
        if type(inner) is dict and type(inner.get("type")) is str and inner["type"] in KINDS:
            return f"a message of type {inner['type']}"
    value = content.value
    if type(value) is not dict:
        return ""
    artifact = value.get("artifact")
    if type(artifact) is dict and type(artifact.get("messages")) is list:
        return "artifact.messages"
    listed = value.get("messages")
    if type(listed) is not list:
        return ""
    for message in listed:
        if type(message) is dict and ("secondsFromStart" in message or message.get("role") in ("tool_calls", "bot")):
            return "messages with secondsFromStart"
    return ""


def read(content: Content, options: Options) -> Imported:
    """Return the transcript and the trace of a call."""
    lines = lines_of(content)
    reports: list[tuple[Report, Path, int]] = []
    for index, value in enumerate(content.values):
        path: Path = () if content.shape == "document" else (index,)
        if type(value) is not dict:
            raise Damage(path, "must be an object", lines[index])
        inner, way = value, path
        if type(value.get("message")) is dict:
            inner, way = value["message"], (*path, "message")
        reports.append((shaped(inner, Report, way, lines[index]), way, lines[index]))
    if not reports:
        raise Damage((), "holds no message of Vapi")
    ids = {identifier(one.call.id if one.call else one.id) for one, _, _ in reports} - {None}
    if len(ids) > 1:
        raise Damage((), "holds more than one call; one file is one call")
    whole = [(report, path, line) for report, path, line in reports if _messages(report)[1]]
    finished = [one for one in whole if one[0].type == "end-of-call-report"] or whole
    lost = Lost()
    call_id = next(iter(ids), None)
    if finished:
        report, path, line = finished[-1]
        if ended_reason(report) is None:
            report.ended_reason = next((said for one, _, _ in reports if (said := ended_reason(one))), None)
        made = _Call(report, path, line, options, lost).imported([one for one, _, _ in reports])
    else:
        made = events(reports, options, lost)
    made.call_id = call_id
    return made


def _messages(report: Report) -> tuple[Path, list[Item]]:
    """Return the first list of messages that is not empty, and the way to it."""
    return next(((path, found) for path, found in messages(report) if found), ((), []))


class _Call:
    """Reads one report."""

    def __init__(self, report: Report, path: Path, line: int, options: Options, lost: Lost) -> None:
        self._report, self._line, self._lost, self._options = report, line, lost, options
        way, self._items = _messages(report)
        self._path = (*path, *way)
        self._artifact = report.artifact or (report.call.artifact if report.call else None) or Artifact()
        self._turns = Turns(ROLES, options, lost)
        self._calls = Calls(lost)
        self._times = [moment(item.time, MS, lost) for item in self._items]
        self._origin = self._find_origin()
        self._offset = 0
        self._seconds = 0

    def _find_origin(self) -> int:
        call = self._report.call
        for said in (self._report.started_at, call.started_at if call else None):
            at = moment(said, MS, self._lost)
            if at is not None and all(time is None or time >= at for time in self._times):
                return origin_ns(self._options, at, (), self._lost)
        for item, time in zip(self._items, self._times, strict=True):
            since_start = moment(item.seconds_from_start, S, self._lost)
            if time is not None and since_start is not None:
                return origin_ns(self._options, time - since_start, (), self._lost)
        return origin_ns(self._options, None, self._times, self._lost)

    def _at(self, index: int) -> int | None:
        """Return the moment of a message: its time, else its seconds since the start of the call."""
        item = self._items[index]
        seconds = moment(item.seconds_from_start, S, Lost())
        if seconds is not None:
            if seconds < self._seconds and self._times[index] is None:
                self._offset += self._seconds
                self._lost["clock_restarted"] += 1
            elif self._times[index] is not None:
                self._offset = (self._times[index] or 0) - self._origin - seconds
            self._seconds = seconds
        if self._times[index] is not None or seconds is None:
            return self._times[index]
        return self._origin + self._offset + seconds

    def imported(self, reports: list[Report]) -> Imported:
        """Return what the report says, and of the other webhooks the calls of tools that it does not know yet."""
        at = [self._at(index) for index in range(len(self._items))]
        for index, item in enumerate(self._items):
            self._read(item, at[index], index)
        known = {asked.id for asked in self._calls.asked}
        for one in reports:
            for call in called(one):
                if identifier(call.id) not in known:
                    known.add(identifier(call.id))
                    self._called(call, moment(one.timestamp, MS, self._lost))
        self._calls.pair()
        for asked in self._calls.asked:
            if asked.name == "dtmf":
                given = asked.arguments.get("keys")
                self._calls.also(handoffs.dtmf(given, asked.at, self._origin, "agent", lost=self._lost), asked)
        handed = transfers(self._calls, self._artifact, self._report, self._origin, self._lost)
        items = list(zip(self._items, at, strict=True))
        for span in (*switches(items, self._artifact, handed, self._origin, self._lost), *self._latencies()):
            self._calls.also(span)
        spans = in_time(self._calls.spans(self._origin))
        ending = self._ending()
        return Imported(
            format="vapi",
            transcript=in_time(self._turns.turns),
            spans=[*spans, *([ending] if ending else [])],
            agent_id=self._agent(),
            stack="vapi",
            captures=handoffs.recorded(CAPTURES, self._lost),
            notes=[*told(self._lost), *self._turns.notes()],
        )

    def _read(self, item: Item, at: int | None, index: int) -> None:
        role = item.role
        if role in ("system", "developer"):
            self._lost["not_speech"] += 1
        elif role in ("tool_calls", "tool_call"):
            self._lost["entries_empty"] += not item.tool_calls
            for call in item.tool_calls or ():
                self._called(call, at)
        elif role in ("tool_call_result", "tool"):
            found = item.result if item.result is not None else item.message
            silent = found is None or found == UNANSWERED
            self._lost["call_unanswered"] += silent
            self._calls.result(
                Answer(
                    id=identifier(item.tool_call_id),
                    name=item.name,
                    at=at,
                    result=None if silent else answer(found, self._lost),
                    has_result=not silent,
                )
            )
        else:
            self._spoken(item, at, index)

    def _called(self, call: ToolCall, at: int | None) -> None:
        self._calls.call(identifier(call.id), call.tool, call.given, at=at)

    def _spoken(self, item: Item, at: int | None, index: int) -> None:
        end = moment(item.end_time, MS, self._lost)
        if end is not None and self._times[index] is None:
            end = None if at is None else end
        self._lost["duration_unit_unknown"] += end is None and item.duration is not None
        text = item.message if item.message is not None else item.content or ""
        start, stop = since(at, self._origin), since(end, self._origin)
        self._turns.add(item.role, text, start, stop, assistant=some(item.assistant_name))

    def _latencies(self) -> list[dict[str, Any]]:
        metrics = self._artifact.performance_metrics
        made = []
        for one in (metrics.turn_latencies or ()) if metrics else ():
            parts = {
                "latency_ms": one.turn_latency,
                "model_ms": one.model_latency,
                "voice_ms": one.voice_latency,
                "transcriber_ms": one.transcriber_latency,
                "endpointing_ms": one.endpointing_latency,
            }
            made.append({"type": "turn_latency", **{name: ms for name, ms in parts.items() if ms is not None}})
        return made

    def _ending(self) -> dict[str, Any] | None:
        call = self._report.call
        reason = ended_reason(self._report)
        said = (self._report.ended_at, call.ended_at if call else None)
        at = next((found for one in said if (found := moment(one, MS, self._lost)) is not None), None)
        ended = "agent" if reason is None and any(a.name == "endCall" for a in self._calls.asked) else by(reason)
        return handoffs.termination(reason, ended, at, self._origin)

    def _agent(self) -> str | None:
        call = self._report.call
        return identifier(self._report.assistant_id) or identifier(call.assistant_id if call else None)
