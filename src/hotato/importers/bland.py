"""Bland: call details, as `GET /v1/calls/{call_id}` and the post-call webhook give them.

How to get it: save the answer of `GET /v1/calls/{call_id}`, or the body of the webhook.

Turns start when their text was written down and have no end. What it does not record: tool calls, other than as a sentence
among the transcripts (`agent-action`), which becomes an `agent_action` span; so a check of tools cannot be judged by this
file. Nor the reason why a call ended, only by whom.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.importers import _handoffs as handoffs
from hotato.importers._clock import S, in_time, instant, iso_ns, moment, origin_ns, since
from hotato.importers._importer import Content, Imported, Options
from hotato.importers._notes import Lost, told
from hotato.importers._payload import some
from hotato.importers._roles import Turns
from hotato.importers._speech import shaped

RANK = 234
ROLES = {"user": "caller", "assistant": "agent", "robot": "agent", "agent": "agent"}
ACTION = "agent-action"
CAPTURES = {
    "tool_call": False,
    "arguments": False,
    "result": False,
    "handoff": True,
    "dtmf": False,
    "http_exchange": False,
    "termination": True,
}
Number = int | float


class Said(msgspec.Struct, kw_only=True):
    """A piece of the transcript."""

    text: str | None = None
    user: str | None = None
    created_at: str | None = None


class Call(msgspec.Struct, kw_only=True):
    """A call; `call_length` in minutes, `corrected_duration` in seconds, as text."""

    call_id: str | None = None
    c_id: str | None = None
    started_at: str | None = None
    call_length: Number | None = None
    corrected_duration: str | Number | None = None
    call_ended_by: str | None = None
    transferred_to: str | None = None
    error_message: str | None = None
    completed: bool | None = None
    transcripts: list[Said] | None = None
    concatenated_transcript: str | None = None


def matches(content: Content) -> str:
    """Return why the content is of Bland; empty where it is not."""
    value = content.value
    transcripts = value.get("transcripts") if type(value) is dict else None
    if type(transcripts) is not list or not ({"call_length", "corrected_duration", "c_id"} & value.keys()):
        return ""
    spoken = all(type(one) is dict and "user" in one and "text" in one for one in transcripts)
    return "transcripts with user and text beside call_length" if spoken else ""


def read(content: Content, options: Options) -> Imported:
    """Return the transcript and the end of a call."""
    call = shaped(content.value, Call)
    lost = Lost()
    turns = Turns(ROLES, options, lost)
    said = call.transcripts or []
    times = [moment(one.created_at, S, lost) for one in said]
    origin = origin_ns(options, iso_ns(call.started_at), times, lost)
    spans: list[dict[str, Any]] = []
    for one, at in zip(said, times, strict=True):
        if one.user == ACTION:
            text = {"text": one.text} if some(one.text) else {}
            spans.append({"type": "agent_action", **instant(at, origin), **text})
        else:
            turns.add(one.user or "unknown", one.text or "", since(at, origin))
    if not said and some(call.concatenated_transcript):
        _cut(call.concatenated_transcript or "", turns, lost)
    lost["not_finished"] += call.completed is False
    if some(call.transferred_to):
        spans.append({"type": "handoff", "to": call.transferred_to})
    if some(call.error_message):
        spans.append({"type": "error", "message": call.error_message})
    ending = _ending(call, origin, lost)
    return Imported(
        format="bland",
        transcript=in_time(turns.turns),
        spans=[*in_time(spans), *([ending] if ending else [])],
        call_id=some(call.call_id) or some(call.c_id),
        stack="bland",
        captures=dict(CAPTURES),
        notes=[*told(lost), *turns.notes()],
    )


def _cut(text: str, turns: Turns, lost: Lost) -> None:
    """Make turns of a transcript in one piece: a line that begins with no speaker's name goes on with the line before."""
    lost["text_in_one_piece"] += 1
    for line in text.splitlines():
        label, colon, rest = line.strip().partition(":")
        if colon and label in ROLES:
            turns.add(label, rest)
        elif turns.turns and line.strip():
            turns.turns[-1]["text"] += " " + line.strip()


def _ending(call: Call, origin: int, lost: Lost) -> dict[str, Any] | None:
    by = {"USER": "caller", "ASSISTANT": "agent"}.get((call.call_ended_by or "").upper())
    if by is None and some(call.call_ended_by):
        by = call.call_ended_by
    # `end_at` is when Bland closed its record, up to half an hour later; the duration is the call's
    taken = moment(call.corrected_duration, S, lost)
    started = iso_ns(call.started_at)
    at = started + taken if started is not None and taken is not None else None
    return handoffs.termination(None, by, at, origin)
