"""Deepgram speech-to-text: answers for recordings, and the messages of a live stream, one a line.

How to get it: save the answer of `/v1/listen`, best with `utterances=true` and `multichannel=true` or `diarize=true`;
for live streams write each message of the socket on a line of its own.

Turns are the `utterances` where they were asked for, else the paragraphs, else cut from words. Of a live stream only
results with `is_final` are turns. What it does not record: which speaker or channel is the agent (`--map-role 0=agent`),
tool calls. An utterance may hold words of a second speaker; it keeps its own speaker, and such utterances are noted.
"""

from __future__ import annotations

import msgspec

from hotato.importers._importer import Content, Damage, Imported, Options
from hotato.importers._notes import Lost
from hotato.importers._speech import Label, Said, Seconds, imported, label, records, runs, shaped

RANK = 170
GIVES = ("transcript",)


class Word(msgspec.Struct, kw_only=True):
    """A word; seconds."""

    word: str = ""
    punctuated_word: str | None = None
    start: Seconds = None
    end: Seconds = None
    speaker: Label = None


class Sentence(msgspec.Struct):
    """A sentence of a paragraph."""

    text: str


class Paragraph(msgspec.Struct, kw_only=True):
    """A paragraph: the speech of one speaker without a long pause."""

    sentences: list[Sentence]
    start: Seconds = None
    end: Seconds = None
    speaker: Label = None


class Paragraphs(msgspec.Struct):
    """The paragraphs of an alternative."""

    paragraphs: list[Paragraph]


class Alternative(msgspec.Struct, kw_only=True):
    """One reading of what was said; the first is the best."""

    transcript: str = ""
    words: list[Word] | None = None
    paragraphs: Paragraphs | None = None


class Channel(msgspec.Struct):
    """A channel of the recording."""

    alternatives: list[Alternative]


class Utterance(msgspec.Struct, kw_only=True):
    """A stretch of speech between pauses."""

    transcript: str
    start: Seconds = None
    end: Seconds = None
    channel: int | None = None
    speaker: Label = None
    words: list[Word] | None = None


class Results(msgspec.Struct):
    """What was heard."""

    channels: list[Channel] = []
    utterances: list[Utterance] | None = None


class Answer(msgspec.Struct):
    """The answer for a recording."""

    results: Results


class Live(msgspec.Struct, kw_only=True):
    """A result of a live stream; its `channel` is an object, `channel_index` says which it is."""

    is_final: bool
    channel: Channel
    channel_index: list[int] = []
    start: Seconds = None
    duration: Seconds = None


class Message(msgspec.Struct):
    """Any message of a live stream."""

    type: str = ""


def matches(content: Content) -> str:
    """Return why the content is of Deepgram; empty where it is not."""
    whole = content.value
    results = whole.get("results") if type(whole) is dict else None
    if type(results) is dict:
        channels = results.get("channels")
        if type(channels) is list and (not channels or (type(channels[0]) is dict and "alternatives" in channels[0])):
            return "results with channels and their alternatives"
    for _, _, value in records(content):
        if type(value) is dict and value.get("type") == "Results" and ("channel_index" in value or "is_final" in value):
            return "messages of type Results with a channel"
    return ""


def read(content: Content, options: Options) -> Imported:
    """Return the transcript of an answer or of a live stream."""
    lost = Lost()
    whole = content.value
    if type(whole) is dict and "results" in whole:
        said = _recorded(shaped(whole, Answer).results, lost)
    else:
        said = _live(content, lost)
    return imported("deepgram", said, options, lost)


def _recorded(results: Results, lost: Lost) -> list[Said]:
    utterances = results.utterances or []
    many = len(results.channels) > 1 or any(u.channel for u in utterances)
    for utterance in utterances:
        lost["mixed_speakers"] += len({w.speaker for w in utterance.words or [] if w.speaker is not None}) > 1
    if utterances:
        return [_piece(u.transcript, u.start, u.end, u.speaker, u.channel if many else None) for u in utterances]
    said: list[Said] = []
    words: list[Said] = []
    for number, channel in enumerate(results.channels):
        best = channel.alternatives[0] if channel.alternatives else Alternative()
        on = number if many else None
        if best.paragraphs is not None and best.paragraphs.paragraphs:
            for part in best.paragraphs.paragraphs:
                text = " ".join(sentence.text for sentence in part.sentences)
                said.append(_piece(text, part.start, part.end, part.speaker, on))
        elif best.words:
            words += [_spoken(word, on) for word in best.words]
        elif best.transcript:
            said.append(_piece(best.transcript, None, None, None, on))
    cut = runs(words)
    lost["segments_inferred"] += len(cut)
    return said + cut


def _piece(text: str, start: Seconds, end: Seconds, speaker: Label, channel: int | None) -> Said:
    """Return a piece of speech; speakers are counted anew on each channel."""
    if speaker is not None and channel is not None:
        return Said(text=text, start=start, end=end, speaker=f"{channel}:{speaker}")
    return Said(text=text, start=start, end=end, speaker=label(speaker), channel=label(channel))


def _spoken(word: Word, channel: int | None) -> Said:
    return _piece(word.punctuated_word or word.word, word.start, word.end, word.speaker, channel)


def _live(content: Content, lost: Lost) -> list[Said]:
    said: list[Said] = []
    known = 0
    pending: set[tuple[int, ...]] = set()
    for path, line, value in records(content):
        if shaped(value, Message, path, line).type != "Results":
            continue
        known += 1
        result = shaped(value, Live, path, line)
        on, heard = tuple(result.channel_index), result.channel.alternatives
        if result.is_final:
            pending.discard(on)
            said += _final(result, lost) if heard and heard[0].transcript.strip() else []
        else:
            lost["partials_dropped"] += 1
            if heard and heard[0].transcript.strip():
                pending.add(on)
    if not known:
        raise Damage((), "holds neither results nor messages of type Results")
    lost["turns_unfinished"] += len(pending)
    return said


def _final(result: Live, lost: Lost) -> list[Said]:
    best = result.channel.alternatives[0]
    words = best.words or []
    on = result.channel_index[0] if result.channel_index and result.channel_index[-1] > 1 else None
    if len({word.speaker for word in words}) > 1:
        cut = runs([_spoken(word, on) for word in words])
        lost["segments_inferred"] += len(cut)
        return cut
    if words:
        return [_piece(best.transcript, words[0].start, words[-1].end, words[0].speaker, on)]
    end = None if result.start is None or result.duration is None else round(result.start + result.duration, 9)
    return [_piece(best.transcript, result.start, end, None, on)]
