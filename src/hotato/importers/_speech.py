"""What every speech-to-text importer shares: pieces of speech become turns, and what is lost on the way is noted.

A source's JSON is checked against a msgspec type that names the fields which are read; other fields are let through.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import msgspec

from hotato.importers import _notes
from hotato.importers._fields import misnamed
from hotato.importers._importer import Content, Damage, Imported, Note, Options, Path
from hotato.importers._roles import MOST_LABELS, shown, unused
from hotato.match.order import in_order
from hotato.match.text import fold_role
from hotato.model.call import is_time

PAUSE = 0.8
UNKNOWN = "unknown"

# What only speech-to-text loses; the rest stands in the table of all importers.
NOTES = {
    "alternatives_dropped": "results that repeat what another result of the source says were left out",
    "mixed_speakers": "pieces hold words of more than one speaker; the piece's own speaker was kept",
    "repeated_text": "turns repeat the turn before them word for word, which recognisers make up over silence",
    "segments_inferred": f"turns were cut from single words, at a change of speaker or a pause of {PAUSE} s",
    "speaker_carried": "cues name no speaker and were given to the speaker of the cue before",
    "speaker_missing": "turns have no speaker in a source that names speakers elsewhere",
    "speaker_prefix_kept": "cues begin with what may be a speaker's name; --map-role NAME=agent reads it as one",
    "stray_text": "lines stand apart from any cue and were joined to the cue before",
    "text_outside_voice": "pieces of text stand outside the voice tags of their cue and were given to the nearest voice",
    "transcription_incomplete": "the source does not say that the transcription was completed",
    "turns_unfinished": "stretches of speech were heard in part and their final form never came; they are no turns",
    "turns_without_time": "turns have no start; they stay in the order of the source",
}

T = TypeVar("T")
Seconds = float | None
Label = str | int | None


class Said(msgspec.Struct, kw_only=True):
    """A piece of speech, down to a single word, as the source has it: seconds on the source's clock, speaker and channel as it labels them.

    `channel` is None where the recording has only one; `stated` is the role where the source tells it in so many words.
    """

    text: str
    start: Seconds = None
    end: Seconds = None
    speaker: str | None = None
    channel: str | None = None
    stated: str | None = None


def shaped(value: Any, shape: type[T], path: Path = (), line: int = 0) -> T:
    """Return a value as the type says it. Raise Damage that names the way to the first field of another type, or of
    another spelling than the source has.
    """
    try:
        made = msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        said, _, way = str(error).partition(" - at `")
        inner = tuple(int(n) if n else name for name, n in re.findall(r"\.([^.\[`]+)|\[(\d+)\]", way))
        raise Damage((*path, *inner), said[:1].lower() + said[1:], line) from None
    except UnicodeEncodeError:  # half a surrogate pair, where msgspec looks for a number
        raise Damage(path, "text where a number belongs", line) from None
    missed = misnamed(value, shape)
    if missed is not None:
        said = f"no such field; what it says of the call would be lost (did you mean '{missed[1]}'?)"
        raise Damage((*path, *missed[0]), said, line)
    return made


def records(content: Content) -> list[tuple[Path, int, Any]]:
    """Return the way to each value, its line and the value: of a line each, of a list, or the one of a document."""
    if content.shape == "document":
        whole = content.value
        return [((i,), 0, value) for i, value in enumerate(whole)] if type(whole) is list else [((), 0, whole)]
    return [((i,), line, value) for i, (line, value) in enumerate(zip(content.lines, content.values, strict=True))]


def label(value: Label) -> str | None:
    """Return a speaker or channel as text; None where there is none."""
    return None if value is None or value == "" else str(value)


def number(value: Any, path: Path) -> Seconds:
    """Return a time that may be written as text; None where there is none, or NaN. Raise Damage for other text."""
    if type(value) is str:
        if not value:
            return None
        if re.fullmatch(r"-?[0-9]{1,15}(\.[0-9]{1,15})?", value) is None:
            raise Damage(path, "must be a number of seconds")
        value = float(value)
    return value if type(value) in (int, float) and math.isfinite(value) else None


def over(value: float | None, units: int) -> Seconds:
    """Return a time of so many units a second in seconds, exact where the source's number was whole."""
    if value is None or not math.isfinite(value):
        return None
    return int(value) / units if value == int(value) else value / units


_ISO = re.compile(
    r"P(?:([0-9]{1,5})D)?(?:T(?:([0-9]{1,6})H)?(?:([0-9]{1,8})M)?(?:([0-9]{1,9})(?:\.([0-9]{1,18}))?S)?)?"
)


def iso_duration(text: str, path: Path) -> float:
    """Return the seconds of an ISO 8601 duration such as `PT1M4.1S`. Raise Damage for anything else."""
    match = _ISO.fullmatch(text)
    if match is None or text in ("P", "PT") or text.endswith("T"):
        raise Damage(path, "must be a duration such as PT1M4.1S")
    days, hours, minutes, seconds = (int(n or 0) for n in match.groups()[:4])
    fraction = match[5] or ""
    whole = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    scale: int = 10 ** len(fraction)
    return int(f"{whole}{fraction}") / scale


def imported(
    name: str,
    said: Iterable[Said],
    options: Options,
    lost: Mapping[str, int],
    *,
    call_id: str | None = None,
    placed: bool = False,
) -> Imported:
    """Return the transcript of pieces of speech: in the order of time, roles mapped, every loss noted.

    Seconds count from the start of the audio, or from `options.origin`; with `placed` they do so already.
    """
    given = list(said)
    pieces = in_order([piece for piece in given if piece.text.strip()])
    counts = Counter(lost)
    counts["turns_empty"] += len(given) - len(pieces)
    labels = _labels(pieces)
    origin = None if placed else options.origin
    turns: list[dict[str, Any]] = []
    unmapped: dict[str, int] = {}
    for piece, who in zip(pieces, labels, strict=True):
        role = _role(piece.stated, who, options.roles)
        if role is None:
            role = who or UNKNOWN
            unmapped[role] = unmapped.get(role, 0) + 1
        turn: dict[str, Any] = {"role": role, "text": piece.text.strip()}
        start, end = _since(piece.start, origin), _since(piece.end, origin)
        if start is not None:
            turn["start"] = start
        if end is not None and start is not None and end < start:
            counts["end_before_start"] += 1
        elif end is not None:
            turn["end"] = end
        counts["turns_without_time"] += start is None
        turns.append(turn)
    named = [who for who in labels if who is not None]
    if named:
        counts["speaker_missing"] += unmapped.pop(UNKNOWN, 0) if UNKNOWN not in named else 0
    sentences = {**_notes.NOTES, **NOTES}
    notes = [Note(code, sentences[code], count) for code, count in sorted(counts.items()) if count > 0]
    known = {UNKNOWN if who is None else who for who in labels} | {_channel(who) or UNKNOWN for who in named}
    known |= {piece.stated for piece in pieces if piece.stated is not None}
    notes += _role_notes(unmapped, known, options.roles)
    return Imported(format=name, transcript=turns, call_id=call_id, notes=notes)


def _since(seconds: Seconds, origin: float | None) -> Seconds:
    if seconds is None or not is_time(seconds):
        return None
    since = seconds if not origin else round(seconds - origin, 9)
    return since if is_time(since) else None


def _labels(pieces: Sequence[Said]) -> list[str | None]:
    """Return the label of each piece: its speaker, or its channel where it has none.

    Both, as `channel:speaker`, where a speaker's label occurs on several channels: those are different people.
    """
    heard: dict[str, set[str | None]] = {}
    for piece in pieces:
        if piece.speaker is not None:
            heard.setdefault(piece.speaker, set()).add(piece.channel)
    both = any(len(on - {None}) > 1 for on in heard.values())
    out: list[str | None] = []
    for piece in pieces:
        if piece.speaker is None:
            out.append(piece.channel)
        else:
            out.append(f"{piece.channel}:{piece.speaker}" if both and piece.channel is not None else piece.speaker)
    return out


def _role(stated: str | None, who: str | None, roles: Mapping[str, str]) -> str | None:
    """Return the role of a speaker; None where neither the user nor the source tells it.

    A user may map a channel and mean every speaker on it.
    """
    for name in (who or UNKNOWN, _channel(who), stated):
        if name is not None and name in roles:
            return fold_role(roles[name])
    known = fold_role(stated or who or "")
    return known if known in ("agent", "caller") or stated else None


def _channel(who: str | None) -> str | None:
    channel, colon, _ = (who or "").partition(":")
    return channel if colon else None


def _role_notes(unmapped: Mapping[str, int], labels: set[str], roles: Mapping[str, str]) -> list[Note]:
    notes = []
    if unmapped:
        names = list(unmapped)
        listed = ", ".join(map(shown, names[:MOST_LABELS])) + (", ..." if names[MOST_LABELS:] else "")
        remedy = f"--map-role {shown(names[0])}=agent says so"
        if names == [UNKNOWN]:
            said = f"the source names no speakers; where all of it is one party's speech, {remedy}"
        else:
            said = f"the source does not say which speaker is the agent ({listed}); {remedy}"
        notes.append(Note("roles_unknown", said, sum(unmapped.values())))
    notes += unused(roles, labels)
    return notes


def runs(words: Sequence[Said]) -> list[Said]:
    """Return the turns of single words, one stream for each speaker of each channel.

    A stream is cut at a pause, and where another speaker's word falls between two of its words. Overlapping speech thus
    gives overlapping turns, not shreds.
    """
    streams: dict[tuple[str | None, str | None], list[Said]] = {}
    for word in words:
        streams.setdefault((word.channel, word.speaker), []).append(word)
    everybody = sorted(word.start for word in words if word.start is not None)
    out: list[tuple[float, Said]] = []
    for stream in streams.values():
        ordered = in_order(stream)
        own = [word.start for word in ordered if word.start is not None]
        run: list[Said] = []
        last: Seconds = None
        for word in ordered:
            start = word.start
            if run and last is not None and start is not None:
                between = _within(everybody, last, start) > _within(own, last, start)
                if between or start - last >= PAUSE:
                    out.append(_run(run))
                    run = []
            run.append(word)
            last = last if word.end is None else word.end
        if run:
            out.append(_run(run))
    return [said for _, said in sorted(out, key=lambda pair: pair[0])]


def _within(starts: Sequence[float], first: float, last: float) -> int:
    """Return how many of the ordered starts lie between two times."""
    return bisect_right(starts, last) - bisect_left(starts, first)


def _run(words: list[Said]) -> tuple[float, Said]:
    start = next((w.start for w in words if w.start is not None), None)
    end = next((w.end for w in reversed(words) if w.end is not None), None)
    text = " ".join(w.text.strip() for w in words if w.text.strip())
    said = Said(text=text, start=start, end=end, speaker=words[0].speaker, channel=words[0].channel)
    return -1.0 if start is None else start, said


def repeats(said: Sequence[Said]) -> int:
    """Return how many pieces stand in a row of three or more with the same text, beyond the first of each row."""
    count = run = 0
    for before, piece in pairwise(said):
        same = before.text.strip() == piece.text.strip() != "" and before.speaker == piece.speaker
        run = run + 1 if same else 0
        count += 2 if run == 2 else 1 if run > 2 else 0
    return count
