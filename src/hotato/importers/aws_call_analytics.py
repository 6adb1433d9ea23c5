"""Amazon Transcribe Call Analytics and Amazon Connect Contact Lens: calls with AGENT and CUSTOMER told apart.

How to get it: the output file of a Call Analytics job; the analysis file that Contact Lens leaves in the bucket of the
instance; the answer of `ListRealtimeContactAnalysisSegments`; or the events of the streaming services, one a line.

Roles come from `ParticipantRole`, or from `ParticipantId` by way of `Participants`. Of a stream only what is not partial
is a turn. What it does not record: tool calls. With redaction on, personal data stands as `[PII]` in the text; such turns
are noted, since a check for personal data finds nothing in them. Chats carry moments; they count from the first message.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.importers._clock import iso_ns, origin_ns, since
from hotato.importers._importer import Content, Damage, Imported, Options, Path
from hotato.importers._notes import Lost
from hotato.importers._speech import Said, Seconds, imported, over, records, shaped

RANK = 190
GIVES = ("transcript",)


class Entry(msgspec.Struct, kw_only=True, rename="pascal"):
    """What one participant said; milliseconds, or in a chat a moment."""

    id: str | None = None
    participant_role: str | None = None
    participant_id: str | None = None
    content: str | None = None
    begin_offset_millis: Seconds = None
    end_offset_millis: Seconds = None
    absolute_time: str | None = None
    type: str | None = None


class Participant(msgspec.Struct, kw_only=True, rename="pascal"):
    """Who takes part, and as what."""

    participant_id: str | None = None
    participant_role: str | None = None


class Customer(msgspec.Struct, kw_only=True, rename="pascal"):
    """What names the contact."""

    contact_id: str | None = None


class Analysis(msgspec.Struct, kw_only=True, rename="pascal"):
    """A whole analysis."""

    transcript: list[Entry]
    job_status: str | None = None
    participants: list[Participant] | None = None
    customer_metadata: Customer | None = None


class Partial(msgspec.Struct, kw_only=True, rename="pascal"):
    """An utterance that was still going on."""

    transcript_id: str | None = None


class Segment(msgspec.Struct, kw_only=True, rename="pascal"):
    """A piece of a real-time analysis: speech, a partial, or categories and issues."""

    transcript: Entry | None = None
    utterance: Partial | None = None


class Page(msgspec.Struct, kw_only=True, rename="pascal"):
    """A page of a real-time analysis."""

    segments: list[Segment]
    contact_id: str | None = None


class Utterance(msgspec.Struct, kw_only=True, rename="pascal"):
    """An utterance of a Call Analytics stream."""

    is_partial: bool
    utterance_id: str | None = None
    participant_role: str | None = None
    begin_offset_millis: Seconds = None
    end_offset_millis: Seconds = None
    transcript: str = ""


class Event(msgspec.Struct, kw_only=True, rename="pascal"):
    """An event of a Call Analytics stream."""

    utterance_event: Utterance | None = None


def matches(content: Content) -> str:
    """Return why the content is of Call Analytics or Contact Lens; empty where it is not."""
    for _, _, value in records(content)[:20]:
        found = _sort(value)
        if found:
            return found
    return ""


def _sort(value: Any) -> str:
    if type(value) is not dict:
        return ""
    entries = value.get("Transcript")
    if type(entries) is list and ({"Participants", "JobStatus", "LanguageCode"} & value.keys() or _entry(entries)):
        return "a Transcript whose entries have a participant"
    segments = value.get("Segments")
    if type(segments) is list and all(
        type(s) is dict and {"Transcript", "Utterance", "Categories"} & s.keys() for s in segments
    ):
        return "Segments of a real-time analysis"
    if type(value.get("UtteranceEvent")) is dict:
        return "utterance events of a stream"
    return ""


def _entry(entries: list[Any]) -> bool:
    return bool(entries) and type(entries[0]) is dict and bool({"ParticipantRole", "ParticipantId"} & entries[0].keys())


def read(content: Content, options: Options) -> Imported:
    """Return the transcript of an analysis, of real-time segments or of a stream."""
    lost = Lost()
    said: list[Said] = []
    call_id = None
    placed = False
    live = _Live(lost)
    known = 0
    for path, line, value in records(content):
        keys = value.keys() if type(value) is dict else set()
        known += bool(keys & {"Transcript", "Segments", "UtteranceEvent"})
        if "Transcript" in keys:
            analysis = shaped(value, Analysis, path, line)
            call_id = (analysis.customer_metadata.contact_id if analysis.customer_metadata else None) or call_id
            pieces, placed = _analysed(analysis, options, lost, path, line)
            said += pieces
        elif "Segments" in keys:
            page = shaped(value, Page, path, line)
            call_id = page.contact_id or call_id
            live.page(page)
        elif "UtteranceEvent" in keys:
            live.utterance(shaped(value, Event, path, line).utterance_event)
    if not known:
        raise Damage((), "holds no Transcript, Segments or UtteranceEvent")
    said += live.pieces.values()
    lost["turns_unfinished"] += len(live.begun - live.pieces.keys())
    lost["text_redacted"] += sum("[PII]" in piece.text for piece in said)
    return imported("aws_call_analytics", said, options, lost, call_id=call_id, placed=placed)


def _analysed(analysis: Analysis, options: Options, lost: Lost, path: Path, line: int) -> tuple[list[Said], bool]:
    """Return the pieces of an analysis, and whether their times were moments and now count from the call's start."""
    if analysis.job_status not in (None, "COMPLETED"):
        if not analysis.transcript:
            raise Damage((*path, "JobStatus"), "the job is not completed and has no transcript", line)
        lost["transcription_incomplete"] += 1
    roles = {p.participant_id: p.participant_role for p in analysis.participants or [] if p.participant_id}
    said: list[Said] = []
    moments: list[tuple[Said, int]] = []
    for number, entry in enumerate(analysis.transcript):
        at: Path = (*path, "Transcript", number)
        if entry.content is None:
            if entry.type in (None, "MESSAGE"):
                raise Damage((*at, "Content"), "must be a string; found nothing", line)
            lost["not_speech"] += 1
            continue
        piece = _said(entry, roles.get(entry.participant_id or ""))
        if entry.begin_offset_millis is None and entry.absolute_time is not None:
            moment = iso_ns(entry.absolute_time)
            if moment is None:
                raise Damage((*at, "AbsoluteTime"), "must be a moment such as 2026-01-02T03:04:05.678Z", line)
            moments.append((piece, moment))
        said.append(piece)
    origin = origin_ns(options, None, [moment for _, moment in moments], lost)
    for piece, moment in moments:
        piece.start = since(moment, origin)
    return said, bool(moments)


def _said(entry: Entry, role: str | None = None) -> Said:
    return Said(
        text=entry.content or "",
        start=over(entry.begin_offset_millis, 1000),
        end=over(entry.end_offset_millis, 1000),
        speaker=entry.participant_id,
        stated=entry.participant_role or role,
    )


class _Live:
    """What was said in real time, by its id: a later word on the same id replaces the earlier."""

    def __init__(self, lost: Lost) -> None:
        self._lost = lost
        self.pieces: dict[str, Said] = {}
        self.begun: set[str] = set()

    def page(self, page: Page) -> None:
        for segment in page.segments:
            if segment.utterance is not None:
                self._partial(segment.utterance.transcript_id)
            if segment.transcript is not None:
                self._final(segment.transcript.id, _said(segment.transcript))

    def utterance(self, heard: Utterance | None) -> None:
        if heard is None:
            return
        if heard.is_partial:
            self._partial(heard.utterance_id)
            return
        start, end = over(heard.begin_offset_millis, 1000), over(heard.end_offset_millis, 1000)
        self._final(
            heard.utterance_id, Said(text=heard.transcript, start=start, end=end, stated=heard.participant_role)
        )

    def _partial(self, name: str | None) -> None:
        self._lost["partials_dropped"] += 1
        self.begun.add(name or "")

    def _final(self, name: str | None, said: Said) -> None:
        name = name or f"#{len(self.pieces)}"
        self._lost["alternatives_dropped"] += name in self.pieces
        self.pieces[name] = said
