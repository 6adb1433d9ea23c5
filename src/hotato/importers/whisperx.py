"""WhisperX: Whisper with word times and, with `--diarize`, speakers.

How to get it: `whisperx --diarize --output_format json`.

A segment keeps the speaker that WhisperX gave it, even where some of its words have another; such segments are noted.
What it does not record: which speaker is the agent (`--map-role SPEAKER_00=agent`), tool calls, times of words that are
numbers.
"""

from __future__ import annotations

import re

from hotato.importers import _whisper
from hotato.importers._importer import Content, Imported, Options

RANK = 220
GIVES = ("transcript",)


def matches(content: Content) -> str:
    """Return why the content is of WhisperX; empty where it is not."""
    first = _whisper.first_segment(content)
    whole = content.value
    if first and type(whole) is dict and type(whole.get("word_segments")) is list:
        return "segments and word_segments"
    segments = whole.get("segments") if type(whole) is dict else whole if type(whole) is list else []
    for segment in segments if first and type(segments) is list else []:
        speaker = segment.get("speaker") if type(segment) is dict else None
        if type(speaker) is str and re.fullmatch(r"SPEAKER_[0-9]{2,3}", speaker):
            return "segments whose speaker is SPEAKER_00 or the like"
    return ""


def read(content: Content, options: Options) -> Imported:
    """Return the transcript of a WhisperX transcription."""
    return _whisper.read("whisperx", content, options)
