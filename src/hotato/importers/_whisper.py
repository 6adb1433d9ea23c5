"""The `segments` that the Whisper family writes, with or without speakers."""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.importers._importer import Content, Damage, Imported, Options
from hotato.importers._notes import Lost
from hotato.importers._speech import Label, Said, Seconds, imported, label, records, repeats, shaped


class Word(msgspec.Struct):
    """A word; whisper-timestamped calls it `text`, and numbers have no time in WhisperX."""

    speaker: Label = None


class Segment(msgspec.Struct, kw_only=True):
    """A segment; times are seconds."""

    text: str
    start: Seconds = None
    end: Seconds = None
    speaker: Label = None
    words: list[Word] | None = None


class Document(msgspec.Struct):
    """A whole transcription."""

    segments: list[Segment]


def first_segment(content: Content) -> dict[str, Any]:
    """Return the first segment of a document, of a bare list, or of a segment a line; empty where there is none."""
    value: Any = content.value
    if content.shape in ("lines", "concatenated"):
        value = content.values
    if type(value) is dict:
        value = value.get("segments")
    first = value[0] if type(value) is list and value else None
    timed = type(first) is dict and "text" in first and "start" in first and "end" in first and "role" not in first
    return first if timed and type(first) is dict else {}


def read(name: str, content: Content, options: Options) -> Imported:
    """Return the transcript of what a member of the family wrote."""
    lost = Lost()
    said = []
    for segment in _segments(content):
        heard = {word.speaker for word in segment.words or [] if word.speaker is not None}
        lost["mixed_speakers"] += len(heard) > 1
        said.append(Said(text=segment.text, start=segment.start, end=segment.end, speaker=label(segment.speaker)))
    lost["repeated_text"] += repeats(said)
    return imported(name, said, options, lost)


def _segments(content: Content) -> list[Segment]:
    if type(content.value) is dict:
        return shaped(content.value, Document).segments
    items = records(content)
    if not items and content.shape != "document":
        raise Damage((), "must be JSON with segments")
    return [shaped(value, Segment, path, line) for path, line, value in items]
