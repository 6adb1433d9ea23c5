"""Azure AI Speech: batch transcription (all versions since 2.0) and fast transcription.

How to get it: download the result file of kind Transcription of a batch job, or save the answer of
`transcriptions:transcribe`; with diarization or separate channels switched on.

Phrases that Azure heard but did not recognise are left out and noted. What it does not record: which speaker or channel
is the agent (`--map-role 1=agent`), tool calls.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.importers._importer import Content, Damage, Imported, Options, Path
from hotato.importers._notes import Lost
from hotato.importers._speech import (
    Label,
    Said,
    Seconds,
    imported,
    iso_duration,
    label,
    over,
    shaped,
)

RANK = 200
GIVES = ("transcript",)
TICKS = 10_000_000


class Best(msgspec.Struct, kw_only=True):
    """The most likely reading, in spoken and in written form."""

    display: str | None = None
    lexical: str | None = None


class Phrase(msgspec.Struct, kw_only=True):
    """A phrase: ISO durations, ticks of 100 ns, milliseconds, or several of these."""

    text: str | None = None
    n_best: list[Best] | None = msgspec.field(default=None, name="nBest")
    recognition_status: str | None = msgspec.field(default=None, name="recognitionStatus")
    channel: int | None = None
    speaker: Label = None
    offset: str | float | None = None
    duration: str | float | None = None
    offset_in_ticks: Seconds = msgspec.field(default=None, name="offsetInTicks")
    duration_in_ticks: Seconds = msgspec.field(default=None, name="durationInTicks")
    offset_milliseconds: Seconds = msgspec.field(default=None, name="offsetMilliseconds")
    duration_milliseconds: Seconds = msgspec.field(default=None, name="durationMilliseconds")


class Combined(msgspec.Struct, kw_only=True):
    """All that was said on a channel, in one text."""

    channel: int | None = None
    text: str | None = None
    display: str | None = None


_NAMES = {"channelNumber": "channel", "speakerId": "speaker", "NBest": "nBest"}


def matches(content: Content) -> str:
    """Return why the content is of Azure; empty where it is not."""
    found = _phrases(content.value)
    if found is None:
        return ""
    path, phrases = found
    first = phrases[0] if phrases and type(phrases[0]) is dict else {}
    timed = {"offsetMilliseconds", "offsetInTicks", "offset", "Offset", "OffsetInTicks"} & first.keys()
    combined = {"combinedPhrases", "combinedRecognizedPhrases"} & (content.value.keys() if not phrases else set())
    return f"{path[-1]} with offsets" if timed or combined else ""


def _phrases(value: Any) -> tuple[Path, list[Any]] | None:
    """Return the way to the list of phrases, and the list."""
    if type(value) is not dict:
        return None
    for name in ("recognizedPhrases", "RecognizedPhrases", "phrases"):
        if type(value.get(name)) is list:
            return (name,), value[name]
    files = value.get("AudioFileResults")
    if type(files) is list and files and type(files[0]) is dict and type(files[0].get("SegmentResults")) is list:
        return ("AudioFileResults", 0, "SegmentResults"), files[0]["SegmentResults"]
    return None


def read(content: Content, options: Options) -> Imported:
    """Return the transcript of a batch or fast transcription."""
    lost = Lost()
    found = _phrases(content.value)
    if found is None:
        raise Damage((), "must be an object with recognizedPhrases or phrases")
    path, items = found
    recordings = content.value.get("AudioFileResults")
    if type(recordings) is list and len(recordings) > 1:
        raise Damage(("AudioFileResults",), "more than one recording in a file; a call is one recording")
    phrases = [shaped(_lowered(item), Phrase, (*path, i)) for i, item in enumerate(items)]
    many = len({phrase.channel for phrase in phrases}) > 1
    said = []
    for i, phrase in enumerate(phrases):
        if phrase.recognition_status not in (None, "Success"):
            lost["transcription_failed"] += 1
            continue
        start = _time(phrase.offset_in_ticks, phrase.offset_milliseconds, phrase.offset, (*path, i, "offset"))
        length = _time(phrase.duration_in_ticks, phrase.duration_milliseconds, phrase.duration, (*path, i, "duration"))
        said.append(
            Said(
                text=_text(phrase, (*path, i)),
                start=start,
                end=None if start is None or length is None else round(start + length, 9),
                speaker=label(phrase.speaker),
                channel=label(phrase.channel) if many else None,
            )
        )
    said = said if phrases else _combined(content.value)
    return imported("azure_speech", said, options, lost)


def _lowered(item: Any) -> Any:
    """Return a phrase with its names as later versions spell them; version 2.0 began them with a capital."""
    if type(item) is not dict:
        return item
    out = {}
    for name, value in item.items():
        lower = _NAMES.get(name) or name[:1].lower() + name[1:]
        out[_NAMES.get(lower, lower)] = (
            [_lowered(v) for v in value] if lower == "nBest" and type(value) is list else value
        )
    return out


def _text(phrase: Phrase, path: Path) -> str:
    if phrase.text is not None:
        return phrase.text
    best = phrase.n_best[0] if phrase.n_best else Best()
    text = best.display if best.display is not None else best.lexical
    if text is None:
        raise Damage((*path, "nBest"), "must hold a reading with display")
    return text


def _time(ticks: Seconds, milliseconds: Seconds, other: str | float | None, path: Path) -> Seconds:
    if ticks is not None:
        return over(ticks, TICKS)
    if milliseconds is not None:
        return over(milliseconds, 1000)
    return iso_duration(other, path) if isinstance(other, str) else over(other, TICKS)


def _combined(value: dict[str, Any]) -> list[Said]:
    """Return the whole text of each channel, where a transcription has nothing finer."""
    name = "combinedPhrases" if "combinedPhrases" in value else "combinedRecognizedPhrases"
    whole = shaped(value.get(name) or [], list[Combined], (name,))
    many = len(whole) > 1
    return [Said(text=c.text or c.display or "", channel=label(c.channel) if many else None) for c in whole]
