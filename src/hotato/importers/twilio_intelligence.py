"""Twilio Conversational Intelligence (Voice Intelligence v2): the sentences of a transcript.

How to get it: `GET /v2/Transcripts/{sid}/Sentences`, best saved together with the transcript itself as
`{"transcript": {...}, "sentences": [...]}`, since only the transcript says which channel is the agent.

Times are read as seconds; Twilio's reference does not name their unit. What it does not record: tool calls; and in the
sentences alone, which channel is the agent (`--map-role 1=agent`).
"""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.importers._importer import Content, Damage, Imported, Options
from hotato.importers._notes import Lost
from hotato.importers._speech import Said, imported, label, number, shaped

RANK = 230
GIVES = ("transcript",)


class Sentence(msgspec.Struct, kw_only=True):
    """A sentence on one channel, counted from 1; seconds, written as text."""

    transcript: str
    media_channel: int | None = None
    start_time: str | float | None = None
    end_time: str | float | None = None


class Participant(msgspec.Struct, kw_only=True):
    """Who is on a channel."""

    channel_participant: int | None = None
    role: str | None = None


class Media(msgspec.Struct):
    """The channels of the recording."""

    participants: list[Participant] | None = None


class Transcript(msgspec.Struct):
    """The resource that the sentences belong to."""

    channel: Media | None = None
    status: str | None = None


class Document(msgspec.Struct):
    """Sentences, and their transcript where it was saved with them."""

    sentences: list[Sentence]
    transcript: Transcript | None = None


def matches(content: Content) -> str:
    """Return why the content is of Twilio; empty where it is not."""
    value: Any = content.value
    sentences = value.get("sentences") if type(value) is dict else None
    first = sentences[0] if type(sentences) is list and sentences else None
    found = type(first) is dict and "media_channel" in first and "transcript" in first
    return "sentences with a media_channel" if found else ""


def read(content: Content, options: Options) -> Imported:
    """Return the transcript of sentences."""
    lost = Lost()
    document = shaped(content.value, Document)
    resource = document.transcript or Transcript()
    if resource.status not in (None, "completed"):
        if not document.sentences:
            raise Damage(("transcript", "status"), "the transcript is not completed and has no sentences")
        lost["transcription_incomplete"] += 1
    media = resource.channel or Media()
    roles = {p.channel_participant: p.role for p in media.participants or [] if p.role}
    said = [
        Said(
            text=sentence.transcript,
            start=number(sentence.start_time, ("sentences", i, "start_time")),
            end=number(sentence.end_time, ("sentences", i, "end_time")),
            channel=label(sentence.media_channel),
            stated=roles.get(sentence.media_channel),
        )
        for i, sentence in enumerate(document.sentences)
    ]
    return imported("twilio_intelligence", said, options, lost)
