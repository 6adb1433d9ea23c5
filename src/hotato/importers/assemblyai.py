"""AssemblyAI: finished transcripts, and the messages of its streaming service, one a line.

How to get it: save the answer of `GET /v2/transcript/{id}` once its status is completed, best with `speaker_labels` or
`multichannel`; for streams write each message of the socket on a line of its own.

Turns are the `utterances` where there are any, else cut from words. Of a stream a turn counts once it ended; where it
comes again with punctuation, that one is taken. What it does not record: which speaker is the agent
(`--map-role A=agent`), tool calls.
"""

from __future__ import annotations

import msgspec

from hotato.importers._importer import Content, Damage, Imported, Options
from hotato.importers._notes import Lost
from hotato.importers._speech import Label, Said, Seconds, imported, label, over, records, runs, shaped

RANK = 180
GIVES = ("transcript",)
_OWN = ("audio_duration", "acoustic_model", "speech_model", "speech_models", "language_model", "audio_url")


class Word(msgspec.Struct, kw_only=True):
    """A word; milliseconds."""

    text: str = ""
    start: Seconds = None
    end: Seconds = None
    speaker: Label = None
    channel: Label = None


class Utterance(msgspec.Struct, kw_only=True):
    """The speech of one speaker; milliseconds."""

    text: str
    start: Seconds = None
    end: Seconds = None
    speaker: Label = None
    channel: Label = None
    words: list[Word] | None = None


class Transcript(msgspec.Struct, kw_only=True):
    """A transcript; without speakers asked for, `utterances` is null."""

    status: str | None = None
    text: str | None = None
    utterances: list[Utterance] | None = None
    words: list[Word] | None = None
    redact_pii: bool | None = None


class Message(msgspec.Struct):
    """Any message of a stream."""

    type: str = ""


class Turn(msgspec.Struct, kw_only=True):
    """A turn of a stream as far as it was heard."""

    turn_order: int
    end_of_turn: bool
    transcript: str
    turn_is_formatted: bool = False
    words: list[Word] | None = None
    speaker_label: Label = None


def matches(content: Content) -> str:
    """Return why the content is of AssemblyAI; empty where it is not."""
    whole = content.value
    if (
        type(whole) is dict
        and "results" not in whole
        and ("utterances" in whole or "words" in whole or "text" in whole)
    ):
        own = [name for name in _OWN if name in whole]
        if len(own) > 1 or (own and "utterances" in whole):
            return f"a transcript with {own[0]}"
    for _, _, value in records(content):
        if type(value) is dict and value.get("type") == "Turn" and "turn_order" in value:
            return "messages of type Turn with a turn_order"
    return ""


def read(content: Content, options: Options) -> Imported:
    """Return the transcript of a finished transcript or of a stream."""
    lost = Lost()
    streamed = type(content.value) is not dict or content.value.get("type") == "Turn"
    said = _streamed(content, lost) if streamed else _finished(shaped(content.value, Transcript), lost)
    return imported("assemblyai", said, options, lost)


def _finished(transcript: Transcript, lost: Lost) -> list[Said]:
    words = transcript.words or []
    if transcript.status is None and transcript.text is None and transcript.utterances is None and not words:
        raise Damage((), "holds neither text, words nor utterances")
    if transcript.status not in (None, "completed"):
        if not transcript.utterances and not words and not transcript.text:
            raise Damage(("status",), "the transcription is not completed and has no text")
        lost["transcription_incomplete"] += 1
    said = [_piece(u.text, u) for u in transcript.utterances or []]
    for utterance in transcript.utterances or []:
        lost["mixed_speakers"] += len({w.speaker for w in utterance.words or [] if w.speaker is not None}) > 1
    if not said and words:
        said = runs([_piece(w.text, w) for w in words])
        lost["segments_inferred"] += len(said)
    elif not said and transcript.text:
        said = [Said(text=transcript.text)]
    if transcript.redact_pii:
        lost["text_redacted"] += len(said)
    return said


def _piece(text: str, of: Utterance | Word) -> Said:
    """Return a piece of speech; a speaker's label is one person's in the whole transcript."""
    channel = label(of.channel) if of.speaker is None else None
    return Said(
        text=text, start=over(of.start, 1000), end=over(of.end, 1000), speaker=label(of.speaker), channel=channel
    )


def _streamed(content: Content, lost: Lost) -> list[Said]:
    turns: dict[int, Turn] = {}
    starts: dict[int, Seconds] = {}
    for path, line, value in records(content):
        if shaped(value, Message, path, line).type != "Turn":
            continue
        turn = shaped(value, Turn, path, line)
        before = turns.get(turn.turn_order)
        starts.setdefault(turn.turn_order, None)
        if turn.words:
            starts[turn.turn_order] = turn.words[0].start  # a partial hears the beginning as well as the final does
        if not turn.end_of_turn:
            lost["partials_dropped"] += 1
            continue
        lost["alternatives_dropped"] += before is not None
        if before is None or turn.turn_is_formatted or not before.turn_is_formatted:
            turns[turn.turn_order] = turn
    if not starts:
        raise Damage((), "holds neither a transcript nor messages of type Turn")
    lost["turns_unfinished"] += len(starts.keys() - turns.keys())
    return [
        Said(
            text=turn.transcript,
            start=over(starts[order], 1000),
            end=over(turn.words[-1].end, 1000) if turn.words else None,
            speaker=label(turn.speaker_label),
        )
        for order, turn in sorted(turns.items())
    ]
