"""ElevenLabs Agents: conversations, as the API and the post-call webhook give them.

How to get it: save the body of the `post_call_transcription` webhook, or the answer of
`GET /v1/convai/conversations/{conversation_id}`.

Turns start in whole seconds and have no end; a conversation that was simulated has no times at all. A turn that the caller
cut off has the words that were heard as `text` and all that was planned as `planned_text`. Rows of a user whose message is
`...` stand for silence and are left out. What it does not record: HTTP status codes; in words of its own, who ended the
call, unless the agent did with `end_call`. `call_successful` is an opinion of the analysis and is not read.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hotato.importers import _handoffs as handoffs
from hotato.importers._clock import MS, S, in_time, instant, moment, number_ns, since
from hotato.importers._elevenlabs import (
    Conversation,
    Outcome,
    Request,
    Result,
    Row,
    error_of,
    exchange,
    measured,
    nested,
    target,
)
from hotato.importers._importer import Content, Damage, Imported, Options, Path
from hotato.importers._notes import Lost, told
from hotato.importers._pairing import Answer, Asked, Calls
from hotato.importers._payload import answer, identifier, some
from hotato.importers._roles import Turns
from hotato.importers._speech import shaped

RANK = 130
ROLES = {"agent": "agent", "user": "caller"}
UNFINISHED = ("initiated", "in-progress", "processing")
CAPTURES = {
    "tool_call": True,
    "arguments": True,
    "result": True,
    "handoff": True,
    "dtmf": True,
    "http_exchange": True,
    "termination": True,
}


def matches(content: Content) -> str:
    """Return why the content is of ElevenLabs; empty where it is not."""
    value = content.value
    if type(value) is not dict:
        return ""
    kind, data = value.get("type"), value.get("data")
    if type(kind) is str and type(data) is dict and "conversation_id" in data:
        if kind in ("post_call_transcription", "post_call_audio", "call_initiation_failure"):
            return f"a webhook of type {kind}"
        return ""
    rows = value.get("transcript")
    if type(rows) is not list or "conversation_id" not in value:
        return ""
    rowed = [row for row in rows if type(row) is dict and "time_in_call_secs" in row]
    return "conversation_id and rows with time_in_call_secs" if rowed or (not rows and "status" in value) else ""


def read(content: Content, options: Options) -> Imported:
    """Return the transcript and the trace of a conversation."""
    value: Any = content.value
    path: Path = ()
    began = True
    if type(value) is not dict:
        raise Damage((), "must be an object")
    if type(value.get("data")) is dict:
        if value.get("type") == "post_call_audio":
            raise Damage(("type",), "a webhook that holds the recording only; the one of the transcript is read")
        began = value.get("type") != "call_initiation_failure"
        value, path = value["data"], ("data",)
    conversation = shaped(value, Conversation, path)
    if began and conversation.transcript is None:
        raise Damage((*path, "transcript"), "must be a list of rows; found nothing")
    return _Reader(conversation, path, options, Lost()).imported()


def _ms(seconds: Any) -> float | None:
    """Return a duration in milliseconds; None where there is none."""
    ns = number_ns(seconds, S)
    return None if ns is None or ns < 0 else ns / MS


class _Reader:
    """Reads one conversation."""

    def __init__(self, conversation: Conversation, path: Path, options: Options, lost: Lost) -> None:
        self._told, self._path, self._lost = conversation, path, lost
        self._turns = Turns(ROLES, options, lost)
        self._calls = Calls(lost)
        self._requests: list[tuple[Asked, Request]] = []
        self._kept: list[Answer] = []  # keeps the ids of the answers taken
        self._outcomes: dict[int, Outcome] = {}
        self._origin = number_ns(options.origin, S) or 0
        rows = conversation.transcript or []
        seconds = [number_ns(row.time_in_call_secs, S) for row in rows]
        # a simulation writes 0 everywhere, which is no time
        self._timed = any(at for at in seconds) or len(rows) < 2
        self._lost["times_missing"] += not self._timed
        self._agents: list[tuple[str, int | None]] = []

    def imported(self) -> Imported:
        """Return what the conversation says."""
        told_of = self._told
        for index, row in enumerate(told_of.transcript or ()):
            at = number_ns(row.time_in_call_secs, S) if self._timed else None
            self._row(row, at, (*self._path, "transcript", index))
        self._lost["not_finished"] += told_of.status in UNFINISHED
        self._calls.pair()
        for asked, request in self._requests:
            for span in self._of_request(asked, request):
                self._calls.also(span, asked)
        self._switches()
        spans = in_time(self._calls.spans(self._origin))
        spans += self._endings()
        return Imported(
            format="elevenlabs",
            transcript=self._turns.turns,
            spans=spans,
            call_id=told_of.conversation_id,
            agent_id=told_of.agent_id,
            stack="elevenlabs",
            captures=handoffs.recorded(CAPTURES, self._lost),
            notes=[*told(self._lost), *self._turns.notes()],
        )

    def _row(self, row: Row, at: int | None, path: Path) -> None:
        for request in row.tool_calls or ():
            self._asked(request, at)
        for index, result in enumerate(row.tool_results or ()):
            requests, results = nested(result, (*path, "tool_results", index), self._lost)
            for request in requests:
                self._asked(request, at)
            for one in (*results, result):
                self._answered(one)
        self._said(row, at)
        for name, seconds in measured(row):
            ms = _ms(seconds)
            if ms is not None:
                span = {"type": "llm_latency", "name": name, **instant(at, self._origin), "latency_ms": ms}
                self._calls.also(span)

    def _answered(self, result: Result) -> None:
        error = error_of(result)
        made = Answer(
            id=identifier(result.request_id),
            name=result.tool_name,
            result=answer(result.result_value, self._lost),
            has_result=result.result_value is not None,
            error=error,
            latency_ms=_ms(result.tool_latency_secs),
            extra={"error_type": result.error_type} if error and some(result.error_type) else {},
        )
        if result.result is not None:
            self._outcomes[id(made)] = result.result
        self._kept.append(made)
        self._calls.result(made)

    def _asked(self, request: Request, at: int | None) -> None:
        asked = self._calls.call(
            identifier(request.request_id),
            request.tool_name,
            request.params_as_json,
            at=at,
            tool_type=some(request.type),
        )
        self._requests.append((asked, request))

    def _said(self, row: Row, at: int | None) -> None:
        text = row.message or ""
        if row.role == "user" and row.source_medium == "dtmf":
            pressed = handoffs.dtmf(text, at, self._origin, "caller", lost=self._lost)
            self._calls.also(pressed)
            return
        if row.role == "user" and text.strip() in ("...", "\u2026"):
            self._lost["silence_dropped"] += 1
            return
        if row.role == "agent" and row.agent_metadata is not None and some(row.agent_metadata.agent_id):
            self._agents.append((row.agent_metadata.agent_id or "", at))
        if not text.strip() and not some(row.original_message):
            self._lost["turns_empty"] += not (row.tool_calls or row.tool_results)  # tools stand for themselves
            return
        planned = row.original_message if row.interrupted else None
        backchannel = True if row.ignored_as_backchannel else None
        self._turns.add(
            row.role,
            text,
            since(at, self._origin),
            interrupted=row.interrupted,
            planned=planned,
            backchannel=backchannel,
        )

    def _of_request(self, asked: Asked, request: Request) -> list[dict[str, Any]]:
        """Return the exchange, the handoff or the key press that a call is as well."""
        made = []
        found = exchange(asked, request, self._origin)
        if found is not None:
            made.append(found)
        outcome = self._outcomes.get(id(asked.answer))
        if asked.name in ("transfer_to_number", "transfer_to_agent"):
            status = outcome.status if outcome is not None else None
            made.append(handoffs.of_call(asked, target(asked, outcome), self._origin, status=status))
        tones = outcome.dtmf_tones if outcome is not None and outcome.dtmf_tones else asked.arguments.get("dtmf_tones")
        if tones and not (asked.answer is not None and asked.answer.error):
            pressed = handoffs.dtmf(tones, asked.at, self._origin, "agent", lost=self._lost)
            made += [pressed] if pressed else []
        return made

    def _switches(self) -> None:
        """Record the handoffs that show only in another agent speaking."""
        known = sum(asked.name == "transfer_to_agent" for asked in self._calls.asked)
        for (before, _), (after, at) in pairwise(self._agents):
            if before != after and known > 0:
                known -= 1
            elif before != after:
                self._lost["handoff_inferred"] += 1
                self._calls.also({"type": "handoff", **instant(at, self._origin), "to": after})

    def _endings(self) -> list[dict[str, Any]]:
        metadata = self._told.metadata
        made: list[dict[str, Any]] = []
        if metadata is not None and metadata.error is not None:
            code = identifier(metadata.error.code)
            span = {"type": "error", "name": code, "message": some(metadata.error.reason)}
            made.append({key: value for key, value in span.items() if value is not None})
        ended = [a for a in self._calls.asked if a.name == "end_call" and not (a.answer is not None and a.answer.error)]
        reason = some(metadata.termination_reason) if metadata is not None else None
        if reason is None and ended:
            reason = some(ended[-1].result.get("reason")) or some(ended[-1].arguments.get("reason"))
        by = "agent" if ended else None
        if reason is None and some(self._told.failure_reason):
            reason, by = self._told.failure_reason, "system"
        at = moment(metadata.call_duration_secs, S, self._lost) if metadata is not None else None
        ending = handoffs.termination(reason, by, at, self._origin)
        return [*made, ending] if ending else made
