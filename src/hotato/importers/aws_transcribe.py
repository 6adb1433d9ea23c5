"""Amazon Transcribe: output files of its jobs, and the events of its streaming service, one a line.

How to get it: the JSON file of a finished job, best with `ShowSpeakerLabels` or `ChannelIdentification`; for streams
write each transcript event on a line of its own.

Turns are the `audio_segments` where the job wrote them, else cut from the items, where punctuation is joined to the word
before it. Of a stream only results with `IsPartial` false are turns. What it does not record: which speaker or channel is
the agent (`--map-role spk_0=agent`), tool calls.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.importers._importer import Content, Damage, Imported, Options, Path
from hotato.importers._notes import Lost
from hotato.importers._speech import Label, Said, Seconds, imported, label, number, records, runs, shaped

RANK = 192
GIVES = ("transcript",)
Time = str | float | None


class Alternative(msgspec.Struct):
    """One reading of a word."""

    content: str


class Item(msgspec.Struct, kw_only=True):
    """A word or a mark of punctuation; seconds, written as text."""

    type: str
    alternatives: list[Alternative]
    start_time: Time = None
    end_time: Time = None
    speaker_label: str | None = None
    channel_label: str | None = None


class AudioSegment(msgspec.Struct, kw_only=True):
    """A stretch of speech."""

    transcript: str
    start_time: Time = None
    end_time: Time = None
    speaker_label: str | None = None
    channel_label: str | None = None


class SpokenBy(msgspec.Struct, kw_only=True):
    """Whose the word is that starts at a time."""

    start_time: Time = None
    speaker_label: str | None = None


class SpeakerSegment(msgspec.Struct, kw_only=True):
    """A stretch of one speaker."""

    items: list[SpokenBy] = []


class SpeakerLabels(msgspec.Struct, kw_only=True):
    """Speakers beside the items; older jobs have them only here."""

    segments: list[SpeakerSegment] = []


class ChannelItems(msgspec.Struct, kw_only=True):
    """The items of a channel."""

    items: list[Item]
    channel_label: str | None = None


class ChannelLabels(msgspec.Struct, kw_only=True):
    """Channels beside the items."""

    channels: list[ChannelItems] = []


class Transcript(msgspec.Struct):
    """All that was said, in one text."""

    transcript: str


class Results(msgspec.Struct, kw_only=True):
    """What was heard."""

    transcripts: list[Transcript] = []
    items: list[Item] = []
    audio_segments: list[AudioSegment] | None = None
    speaker_labels: SpeakerLabels | None = None
    channel_labels: ChannelLabels | None = None


class Job(msgspec.Struct, kw_only=True):
    """The output of a job."""

    results: Results
    status: str | None = None


class LiveItem(msgspec.Struct, kw_only=True, rename="pascal"):
    """A word or a mark of a stream; seconds."""

    content: str
    type: str = "pronunciation"
    start_time: Seconds = None
    end_time: Seconds = None
    speaker: Label = None


class LiveAlternative(msgspec.Struct, kw_only=True, rename="pascal"):
    """One reading of a result."""

    transcript: str = ""
    items: list[LiveItem] | None = None


class LiveResult(msgspec.Struct, kw_only=True, rename="pascal"):
    """A result of a stream; seconds."""

    is_partial: bool
    alternatives: list[LiveAlternative]
    result_id: str | None = None
    start_time: Seconds = None
    end_time: Seconds = None
    channel_id: str | None = None


class LiveTranscript(msgspec.Struct, rename="pascal"):
    """The results of an event."""

    results: list[LiveResult]


class LiveEvent(msgspec.Struct, rename="pascal"):
    """An event of a stream."""

    transcript: LiveTranscript


def matches(content: Content) -> str:
    """Return why the content is of Amazon Transcribe; empty where it is not."""
    whole = content.value
    results = whole.get("results") if type(whole) is dict else None
    if type(results) is dict and type(results.get("transcripts")) is list and "items" in results:
        return "results with transcripts and items"
    if any(_event(value) is not None for _, _, value in records(content)[:20]):
        return "transcript events with Results"
    return ""


def _event(value: Any) -> dict[str, Any] | None:
    """Return the event in a line, which may stand under `TranscriptEvent`; None where it is none."""
    inner = value.get("TranscriptEvent", value) if type(value) is dict else None
    transcript = inner.get("Transcript") if type(inner) is dict else None
    return inner if type(transcript) is dict and type(transcript.get("Results")) is list else None


def read(content: Content, options: Options) -> Imported:
    """Return the transcript of a job or of a stream."""
    lost = Lost()
    whole = content.value
    if type(whole) is dict and "results" in whole:
        job = shaped(whole, Job)
        said = _recorded(job.results, lost)
        if job.status not in (None, "COMPLETED"):
            if not said:
                raise Damage(("status",), "the job is not completed and has no transcript")
            lost["transcription_incomplete"] += 1
    else:
        said = _live(content, lost)
    lost["text_redacted"] += sum("[PII]" in piece.text for piece in said)
    return imported("aws_transcribe", said, options, lost)


def _recorded(results: Results, lost: Lost) -> list[Said]:
    at: Path = ("results", "audio_segments")
    if results.audio_segments:
        return [
            Said(
                text=s.transcript,
                start=number(s.start_time, (*at, i, "start_time")),
                end=number(s.end_time, (*at, i, "end_time")),
                speaker=s.speaker_label,
                channel=s.channel_label,
            )
            for i, s in enumerate(results.audio_segments)
        ]
    by = {
        number(item.start_time, ("results", "speaker_labels")): item.speaker_label
        for segment in (results.speaker_labels.segments if results.speaker_labels else [])
        for item in segment.items
    }
    words: list[Said] = []
    if results.channel_labels is not None and not any(item.channel_label for item in results.items):
        for i, channel in enumerate(results.channel_labels.channels):
            words += _words(
                channel.items, by, ("results", "channel_labels", "channels", i, "items"), channel.channel_label
            )
    words = words or _words(results.items, by, ("results", "items"), None)
    said = runs(words)
    lost["segments_inferred"] += len(said)
    return said or [Said(text=whole.transcript) for whole in results.transcripts if whole.transcript]


def _words(items: list[Item], by: dict[Seconds, str | None], path: Path, channel: str | None) -> list[Said]:
    words: list[Said] = []
    last: dict[str | None, Said] = {}
    for i, item in enumerate(items):
        text = item.alternatives[0].content if item.alternatives else ""
        on = item.channel_label or channel
        if item.type == "punctuation" and on in last:
            last[on].text += text
            continue
        start, end = (
            number(t, (*path, i, name)) for t, name in ((item.start_time, "start_time"), (item.end_time, "end_time"))
        )
        speaker = item.speaker_label or (by.get(start) if start is not None else None)
        last[on] = Said(text=text, start=start, end=end, speaker=speaker, channel=on)
        words.append(last[on])
    return words


def _live(content: Content, lost: Lost) -> list[Said]:
    final: dict[str, list[Said]] = {}
    heard: set[str] = set()
    if not any(_event(value) is not None for _, _, value in records(content)):
        raise Damage((), "holds neither results nor transcript events")
    for path, line, value in records(content):
        event = _event(value)
        if event is None:
            continue
        results = shaped(event, LiveEvent, path, line).transcript.results
        for result in results:
            name = result.result_id or f"#{len(final)}"
            heard.add(name)
            if result.is_partial:
                lost["partials_dropped"] += 1
            elif result.alternatives:
                lost["alternatives_dropped"] += name in final
                final[name] = _final(result, lost)
    lost["turns_unfinished"] += len(heard - final.keys())
    return [piece for pieces in final.values() for piece in pieces]


def _final(result: LiveResult, lost: Lost) -> list[Said]:
    best = result.alternatives[0]
    words: list[Said] = []
    for item in best.items or []:
        if item.type == "punctuation" and words:
            words[-1].text += item.content
            continue
        speaker = label(item.speaker)
        words.append(Said(text=item.content, start=item.start_time, end=item.end_time, speaker=speaker))
    speakers = {word.speaker for word in words}
    if len(speakers) > 1:
        cut = runs(words)
        lost["segments_inferred"] += len(cut)
        for piece in cut:
            piece.channel = result.channel_id
        return cut
    speaker = next(iter(speakers), None)
    return [
        Said(
            text=best.transcript,
            start=result.start_time,
            end=result.end_time,
            speaker=speaker,
            channel=result.channel_id,
        )
    ]
