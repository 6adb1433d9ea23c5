"""Personal data in what was said: numbers and addresses, written or spoken, whole or over several turns.

One file a detector, its name the detector's name; the folder is the registry. A detector yields candidates that pass its
checks and, where the shape alone tells nothing, are called what they are by the words around them (`CUES`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from hotato.match.evidence import Evidence
from hotato.match.order import in_order
from hotato.match.pii._clean import clean
from hotato.match.pii._found import Found
from hotato.match.pii._look import Look, may_hold
from hotato.match.pii._mask import MASK, Mask, mask
from hotato.match.pii._registry import codes, detectors, module_of, names, yields
from hotato.match.pii._speech import Speech
from hotato.match.pii._stretch import Stretch
from hotato.match.spoken import Language
from hotato.model.call import Turn
from hotato.model.result import RedactedTurn

__all__ = [
    "MASK",
    "REGIONS",
    "Hit",
    "all_regions",
    "codes",
    "find",
    "forms",
    "in_call",
    "names",
    "plain",
    "redact",
    "redact_text",
    "redacted_call",
]

REGIONS = ("GB", "US")


class Hit(msgspec.Struct, frozen=True):
    """One number or address that was found.

    `turn` and `role` are those of its first piece; `spans` holds (turn, start, end) of every piece, in code points of
    the turn's text. `code` is how it was recognised, `said` whether any of it was said as words. `value` is what it
    says, separators left out; it is private, and no result, reason or repr shows it.
    """

    detector: str
    code: str
    turn: int
    role: str
    spans: tuple[tuple[int, int, int], ...]
    said: bool
    value: str

    def __repr__(self) -> str:
        """Return what may be shown: where it is, not what it is."""
        return f"Hit({self.detector!r}, {self.code!r}, turn={self.turn}, spans={self.spans})"


def all_regions() -> tuple[str, ...]:
    """Return every region whose telephone numbers are known, sorted (ISO 3166)."""
    import phonenumbers

    return tuple(sorted(phonenumbers.SUPPORTED_REGIONS))


Pairs = list[tuple[str, Found, Language]]
_nothing_in: set[tuple[Any, ...]] = set()  # speeches in which nothing is found, whatever call they are of
_MOST_KEPT = 4096


def in_call(evidence: Evidence, regions: tuple[str, ...] = REGIONS) -> list[Hit]:
    """Return what all detectors find in a call, looked for once for all assertions; nothing where it has no transcript."""
    if not evidence.has("transcript"):
        return []
    return evidence.once(("pii", regions), lambda: _hits(_look_at(evidence), regions))


def redacted_call(evidence: Evidence, regions: tuple[str, ...] = REGIONS) -> list[RedactedTurn]:
    """Return the turns of a call with what all detectors find in it masked, made once for all assertions."""
    hits = in_call(evidence, regions)
    return evidence.once(("redacted", regions), lambda: _masked(_look_at(evidence), hits, regions))


def _look_at(evidence: Evidence) -> Look:
    return evidence.once("pii look", lambda: Look(evidence.transcript.turns, kept=not evidence.plain))


def find(turns: Sequence[Turn], regions: tuple[str, ...] = REGIONS) -> list[Hit]:
    """Return what all detectors find in the turns of a call, in the order of the input.

    Turns of one speaker that follow one another, or that others interrupted only to say "yes", are read as one text.
    `regions` (ISO 3166 codes) are those whose telephone numbers are known without their country code.
    """
    return _hits(Look(in_order(turns), kept=False), regions)


def _hits(look: Look, regions: tuple[str, ...]) -> list[Hit]:
    """Return what all detectors find in the speeches of a look."""
    hits = []
    for speech, tables in look.speeches(regions):
        for name, found, table in _kept(speech, tables) if look.kept else _in_speech(speech, tables):
            pieces = list(speech.pieces(found.start, found.end, table))
            if not pieces:
                continue
            spans = tuple([(turn.index, start, end) for turn, start, end in pieces])
            first = pieces[0][0]
            hits.append(Hit(name, found.code, first.index, first.role, spans, found.said, found.value))
    hits.sort(key=lambda hit: (hit.turn, hit.spans[0][1], hit.detector, hit.spans))
    return hits


def _kept(speech: Speech, tables: Sequence[Language]) -> Pairs:
    """Return what is found in a speech. What is found is kept nowhere; that nothing is, is known for all calls."""
    key = speech.key
    if key in _nothing_in:
        return []
    found = list(_in_speech(speech, tables))
    if not found:
        if len(_nothing_in) >= _MOST_KEPT:
            _nothing_in.clear()
        _nothing_in.add(key)
    return found


def _in_speech(speech: Speech, tables: Sequence[Language]) -> Iterator[tuple[str, Found, Language]]:
    """Yield what is found in any language, each once, with the language.

    Of two readings of one place the longer counts. What lies inside something that its detector yields to is left out: a
    card is no telephone number.
    """
    found: dict[str, list[tuple[Found, Language]]] = {}
    for table in tables:
        stretch = Stretch(speech, table)
        longest = stretch.longest
        for detector in detectors():
            if detector.fewest <= longest and detector.may_find(speech.heard):
                for one in detector.detect(stretch):
                    found.setdefault(detector.name, []).append((one, table))
    for row in found.values():
        row.sort(key=lambda pair: (pair[0].start, -pair[0].end))
    for name, row in found.items():
        over = sorted((f.start, f.end) for other in yields()[name] for f, _ in found.get(other, ()))
        starts = [start for start, _ in over]
        last = -1
        for one, table in row:
            place = bisect_right(starts, one.start) - 1
            if one.end > last and (place < 0 or over[place][1] < one.end):
                last = one.end
                yield name, one, table


def redact(turns: Sequence[Turn], hits: Sequence[Hit], regions: tuple[str, ...] = REGIONS) -> list[RedactedTurn]:
    """Return role and text of each turn in the order of the input, every place of a hit masked.

    Give the hits of all detectors: which of them were asked for decides a verdict, not what may be shown. Masking goes on
    until nothing is found any more in what is left, so that redacting it again changes nothing. A turn with masks lists
    them: `start` and `end` in the masked text, in code points, and `detector`.
    """
    return _masked(Look(in_order(turns), kept=False), hits, regions)


def _masked(look: Look, hits: Sequence[Hit], regions: tuple[str, ...]) -> list[RedactedTurn]:
    """Return role and text of each turn of a look; with one that is kept, `hits` is all that was found by it."""
    masked: dict[int, list[Mask]] = {}
    found = hits
    while found:
        for hit in found:
            for index, start, end in hit.spans:
                masked.setdefault(index, []).append(Mask(start, end, hit.detector))
        touched = {index for hit in found for index, _, _ in hit.spans}
        texts: dict[int, str] = {}
        for place, turn in enumerate(look.turns):
            if turn.index in touched:
                texts[place], masked[turn.index] = mask(turn.text, masked[turn.index])
        look = look.again(texts)
        found = [hit for hit in _hits(look, regions) if not _is_masked(hit, masked)]
    roles = {role: redact_text(role) for role in {turn.role for turn in look.turns}}
    out: dict[int, RedactedTurn] = {turn.index: {"role": roles[turn.role], "text": turn.text} for turn in look.turns}
    for index, masks in masked.items():
        out[index]["masks"] = [{"start": one.start, "end": one.end, "detector": one.detector} for one in masks]
    return [out[index] for index in sorted(out)]


def _is_masked(hit: Hit, masked: Mapping[int, Sequence[Mask]]) -> bool:
    """Say whether all of a hit is masks, so that masking it changes nothing."""
    return all(
        any(one.start <= start and end <= one.end for one in masked.get(turn, ())) for turn, start, end in hit.spans
    )


def redact_text(text: str) -> str:
    """Return one text with all personal data masked."""
    if not may_hold(text):
        return text
    masks: list[Mask] = []
    while found := find([Turn(0, "", text)]):
        masks += [Mask(start, end, hit.detector) for hit in found for _, start, end in hit.spans]
        after, masks = mask(text, masks)
        if after == text:
            break
        text = after
    return text


def plain(value: str) -> str:
    """Return a value as it is compared: its letters in lower case and its digits, nothing else."""
    return "".join(filter(str.isalnum, clean(value)[0].lower()))


def forms(value: str) -> set[str]:
    """Return all forms in which the detectors give a value: plain, and as each of them shortens it."""
    whole = plain(value)
    modules = [module_of(name) for name in names()]
    return {whole, *(module.value(whole) for module in modules if hasattr(module, "value"))}
