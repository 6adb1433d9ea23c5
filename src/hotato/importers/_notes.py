"""What importers of whole calls lose, infer or find odd: one stable code each, and the sentence that is shown for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from hotato.importers._importer import Note

NOTES = {
    "answers_several": "answers hold several alternatives; they were left out, since the source does not say which was used",
    "arguments_missing": "tool calls stand in the source without their arguments",
    "arguments_truncated": "arguments were cut off by the source; the text that is left is kept as arguments_raw",
    "arguments_unparsable": "arguments are no JSON object; their text is kept as arguments_raw",
    "audio_dropped": "events that carry audio were left out",
    "call_id_repeated": "tool calls repeat the id of another call; each is kept as a call of its own",
    "call_unanswered": "tool calls have no result in the source: still running, cancelled, or lost",
    "clock_restarted": "the source's clock starts again in the middle of the call; times after that are inferred",
    "content_not_text": "parts of messages are images, audio or files without text",
    "duration_unit_unknown": "durations were left out: the source writes seconds or milliseconds and does not say which",
    "end_before_start": "things end before they start in the source; they were left without an end",
    "entries_empty": "entries hold nothing of what entries of their kind are read for",
    "entries_unknown": "entries are of a type that is not known; they were left out",
    "handoff_inferred": "handoffs are told only by their traces, such as another agent speaking",
    "history_repeated": "requests repeat messages of the requests before; each message is read once",
    "keys_missing": "keys were pressed, and the source does not say which",
    "latency_summarised": "latencies are told as percentiles only, without single measurements",
    "not_speech": "messages are instructions, reasoning or notices, not speech",
    "not_finished": "the source says that the call was not over when it wrote this",
    "origin_inferred": "the source does not say when the call started; the earliest time counts as its start",
    "outside_call": "entries belong to integrations before or after the call and were left out",
    "paired_by_order": "results carry no id and were given to the earliest open call of their tool",
    "partials_dropped": "partial transcripts were left out; a partial is never a turn",
    "planned_text_unspoken": "turns were cut off; what was planned beyond the words that were heard is kept apart",
    "result_repeated": "results repeat the result of a call that has one already; the first is kept",
    "result_truncated": "results were cut off by the source and are kept as text",
    "result_unpaired": "results belong to no call in the source",
    "silence_dropped": "turns that stand for silence were left out",
    "spoken_part_unknown": "turns were cut off, and the source does not say which of their words were heard",
    "text_from_pieces": "the end of agent turns is missing in the log; their text is joined from the pieces before it",
    "text_in_one_piece": "the transcript is one text; turns were cut at the speakers' names and have no times",
    "text_redacted": "the source masked personal data in the text, so a check for it cannot find any",
    "time_inferred": "times are not in the source and were put between their neighbours",
    "time_unreadable": "times are no numbers and no moments; they were left out",
    "times_missing": "the source records no times; order is all there is",
    "tool_name_missing": "tool calls have no name in the source",
    "transcription_failed": "speech was heard and could not be transcribed; it is missing from the turns",
    "turns_empty": "turns without any text were left out",
}  # fmt: skip

# What is told in a sentence made for the file at hand: it names labels, or what the user mapped. Here is what it means.
WORDED = {
    "number_not_finite": "numbers are NaN or infinite in the source and were left out",
    "role_map_unused": "no speaker of the source is labelled as the user mapped",
    "roles_unknown": "the source does not say which of its speakers is the agent; the note names them and the remedy",
}


class Lost(Counter[str]):
    """How often each thing of NOTES happened."""


def told(lost: Mapping[str, int]) -> list[Note]:
    """Return the notes of what happened, sorted by code."""
    return [Note(code, NOTES[code], count) for code, count in sorted(lost.items()) if count > 0]
