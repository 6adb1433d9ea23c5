"""Amazon Bedrock Data Automation: the standard output for a recording.

How to get it: the `result.json` of an invocation with transcripts and speaker or channel labels switched on.

What it does not record: which speaker or channel is the agent (`--map-role spk_0=agent`), tool calls.
"""

from __future__ import annotations

import msgspec

from hotato.importers._importer import Content, Imported, Options
from hotato.importers._notes import Lost
from hotato.importers._speech import Said, Seconds, imported, over, shaped

RANK = 194
GIVES = ("transcript",)


class Speaker(msgspec.Struct):
    """Who speaks."""

    speaker_label: str | None = None


class Channel(msgspec.Struct):
    """On which channel."""

    channel_label: str | None = None


class Segment(msgspec.Struct, kw_only=True):
    """A stretch of speech; milliseconds."""

    text: str
    start_timestamp_millis: Seconds = None
    end_timestamp_millis: Seconds = None
    speaker: Speaker | None = None
    channel: Channel | None = None


class Output(msgspec.Struct):
    """The output for a recording."""

    audio_segments: list[Segment]


def matches(content: Content) -> str:
    """Return why the content is of Bedrock Data Automation; empty where it is not."""
    segments = content.value.get("audio_segments") if type(content.value) is dict else None
    first = segments[0] if type(segments) is list and segments else None
    found = type(first) is dict and "start_timestamp_millis" in first
    return "audio_segments with start_timestamp_millis" if found else ""


def read(content: Content, options: Options) -> Imported:
    """Return the transcript of an output."""
    lost = Lost()
    segments = shaped(content.value, Output).audio_segments
    channels = {s.channel.channel_label for s in segments if s.channel is not None}
    said = [
        Said(
            text=s.text,
            start=over(s.start_timestamp_millis, 1000),
            end=over(s.end_timestamp_millis, 1000),
            speaker=s.speaker.speaker_label if s.speaker else None,
            channel=s.channel.channel_label if s.channel and len(channels) > 1 else None,
        )
        for s in segments
    ]
    return imported("aws_bedrock", said, options, lost)
