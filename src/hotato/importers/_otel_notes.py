"""What importers of telemetry lose, infer or find odd, beside what `_notes` lists: one stable code each."""

from __future__ import annotations

from collections.abc import Mapping

from hotato.importers import _notes
from hotato.importers._importer import Note

CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
NOTES = {
    **_notes.NOTES,
    "arguments_missing": f"tool calls stand in the source without their arguments; most instrumentations record them "
    f"once {CAPTURE}=SPAN_ONLY (or their own switch for content) is set",
    "attribute_repeated": "attributes stand twice on one span; the last one counts",
    "attributes_dropped": "the source says that it dropped attributes of spans",
    "calls_merged": "records repeat a tool call or request that another record tells already; each is one span",
    "calls_unrecorded": "answers of a model end in tool calls, and the source holds no tool call",
    "logs_unplaced": "log records of messages belong to no span of the file",
    "messages_unreadable": "messages of requests to a model cannot be read, as where an exporter cut them off; no transcript is "
    "made of the rest",
    "other_calls_dropped": "spans of other conversations, or of none, were left out",
    "span_repeated": "spans stand in the file more than once; the one that says most is kept",
    "span_unfinished": "spans of the call never ended in the source; they have no end and no latency",
    "spans_unread": "no span tells of a tool call, a request, a turn or anything else of a call in words that are known",
    "speech_synthesised": "turns of the agent have the times of synthesis, not of playing",
    "traces_joined": "the file holds several traces and no conversation id; they are read as one call",
    "turns_from_messages": "turns were read from requests to a model and have no times; prompts of other agents count "
    "as the caller's",
}  # fmt: skip


def told(lost: Mapping[str, int]) -> list[Note]:
    """Return the notes of what happened, sorted by code."""
    return [Note(code, NOTES[code], count) for code, count in sorted(lost.items()) if count > 0]
