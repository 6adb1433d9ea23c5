"""Whisper and what grew out of it: openai-whisper, faster-whisper, whisper-timestamped, and OpenAI's transcription API.

How to get it: `whisper --output_format json`; from faster-whisper, a JSON dump of its segments (a list, one a line, or
under `segments`); from the API, `response_format` `verbose_json` or `diarized_json`.

What it does not record: tool calls; who speaks (only `diarized_json` names speakers, as `A` and `B`): transcribe each
channel of a recording by itself and map its one unknown speaker with `--map-role unknown=agent`, or use a format that
tells speakers apart. Over silence Whisper may repeat a sentence that nobody said; such rows are noted, not removed.
"""

from __future__ import annotations

from hotato.importers import _whisper
from hotato.importers._importer import Content, Imported, Options

RANK = 221
GIVES = ("transcript",)
_OWN = ("tokens", "avg_logprob", "no_speech_prob", "seek", "compression_ratio")


def matches(content: Content) -> str:
    """Return why the content is of the Whisper family; empty where it is not."""
    first = _whisper.first_segment(content)
    for name in _OWN:
        if name in first:
            return f"segments with {name}"
    if first.get("type") == "transcript.text.segment":
        return "segments of type transcript.text.segment"
    if type(first.get("words")) is list and "confidence" in first:
        return "segments with words and a confidence"
    whole = content.value
    if first and type(whole) is dict:
        if whole.get("task") in ("transcribe", "translate"):
            return "segments, and a task to transcribe"
        if type(whole.get("language")) is str and type(whole.get("text")) is str and "speaker" not in first:
            return "segments beside text and language"
    return ""


def read(content: Content, options: Options) -> Imported:
    """Return the transcript of a Whisper transcription."""
    return _whisper.read("whisper", content, options)
