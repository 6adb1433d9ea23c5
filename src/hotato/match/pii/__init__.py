"""Personal data in what was said: numbers and addresses, written or spoken, whole or over several turns.

One file a detector, its name the detector's name; the folder is the registry. A detector yields candidates that pass its
checks and, where the shape alone tells nothing, are called what they are by the words around them (`CUES`).
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import msgspec

from hotato.match.evidence import Evidence
from hotato.match.order import in_order
from hotato.match.pii._clean import clean
from hotato.match.pii._found import Found
from hotato.match.pii._labels import OTHER, OWNERS
from hotato.match.pii._look import mark_words, may_hold, speeches
from hotato.match.pii._mask import MASK, Mask, mask
from hotato.match.pii._speech import Labels, Speech
from hotato.match.pii._stretch import Stretch
from hotato.match.spoken import Language
from hotato.match.spoken._language import unaccented
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
_ABBREVIATED = 4  # letters: a shorter word may be spelt, "S S N"


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


def names() -> tuple[str, ...]:
    """Return the name of every detector, sorted."""
    found = {entry.split(".")[0] for entry in os.listdir(__path__[0]) if entry.endswith((".py", ".pyc"))}
    return tuple(sorted(name for name in found if not name.startswith("_")))


def codes(name: str) -> Mapping[str, str]:
    """Return how a detector recognises what it finds: reason code -> sentence."""
    found: Mapping[str, str] = import_module(f"{__name__}.{name}").CODES
    return found


def all_regions() -> tuple[str, ...]:
    """Return every region whose telephone numbers are known, sorted (ISO 3166)."""
    import phonenumbers

    return tuple(sorted(phonenumbers.SUPPORTED_REGIONS))


class _Detector(msgspec.Struct, frozen=True, eq=False):
    """A detector; `needs` are words without one of which it finds nothing, `spelt` their letters."""

    name: str
    detect: Callable[[Stretch], Iterator[Found]]
    needs: frozenset[str]
    spelt: tuple[frozenset[str], ...]

    def may_find(self, heard: frozenset[str]) -> bool:
        """Say whether it can find anything where these words were heard."""
        return not self.needs or not self.needs.isdisjoint(heard) or any(letters <= heard for letters in self.spelt)


@cache
def _detectors() -> tuple[_Detector, ...]:
    out = []
    for name in names():
        module = import_module(f"{__name__}.{name}")
        needs = frozenset(unaccented(word) for word in getattr(module, "NEEDS", ()))
        spelt = tuple(frozenset(word) for word in sorted(needs) if len(word) <= _ABBREVIATED)
        out.append(_Detector(name, module.detect, needs, spelt))
    return tuple(out)


@cache
def _labels() -> Labels:
    known = dict(OTHER)
    weak: dict[str, str] = {}
    pairs: dict[tuple[str, str], str] = {}
    for name in names():
        module = import_module(f"{__name__}.{name}")
        known.update(getattr(module, "CUES", {}))
        weak.update(getattr(module, "WEAK_CUES", {}))
        pairs.update(getattr(module, "PAIRS", {}))
    every = [detector.needs.union(*detector.spelt) for detector in _detectors()]
    return Labels(known, weak, OWNERS, pairs, _hints(), frozenset(("iban",)).union(mark_words(), *every))


@cache
def _yields() -> dict[str, tuple[str, ...]]:
    return {name: getattr(import_module(f"{__name__}.{name}"), "YIELDS_TO", ()) for name in names()}


@cache
def _hints() -> frozenset[str]:
    modules = (import_module(f"{__name__}.{name}") for name in names())
    return frozenset(unaccented(word) for module in modules for word in getattr(module, "HINTS", ()))


Pairs = list[tuple[str, Found, Language]]
Speeches = dict[tuple[Any, ...], Pairs]  # what was found in each speech, for who looks again at much the same turns
_nothing_in: set[tuple[Any, ...]] = set()  # speeches in which nothing is found, whatever call they are of
_MOST_KEPT = 4096


def in_call(evidence: Evidence, regions: tuple[str, ...] = REGIONS) -> list[Hit]:
    """Return what all detectors find in a call, looked for once for all assertions; nothing where it has no transcript."""
    turns = evidence.transcript.turns if evidence.has("transcript") else ()
    return evidence.once(("pii", regions), lambda: find(turns, regions, _speeches_of(evidence, regions)))


def redacted_call(evidence: Evidence, regions: tuple[str, ...] = REGIONS) -> list[RedactedTurn]:
    """Return the turns of a call with what all detectors find in it masked, made once for all assertions."""
    turns, hits = evidence.transcript.turns, in_call(evidence, regions)
    return evidence.once(("redacted", regions), lambda: redact(turns, hits, regions, _speeches_of(evidence, regions)))


def _speeches_of(evidence: Evidence, regions: tuple[str, ...]) -> Speeches | None:
    return None if evidence.plain else evidence.once(("speeches", regions), dict)


def find(turns: Sequence[Turn], regions: tuple[str, ...] = REGIONS, known: Speeches | None = None) -> list[Hit]:
    """Return what all detectors find in the turns of a call, in the order of the input.

    Turns of one speaker that follow one another, or that others interrupted only to say "yes", are read as one text.
    `regions` (ISO 3166 codes) are those whose telephone numbers are known without their country code. `known` is filled
    with what each speech holds and spares reading it again, for who looks several times while the regions are the same.
    """
    hits = []
    for speech, tables in speeches(in_order(turns), _labels(), regions, plain=known is None):
        every = list(_in_speech(speech, tables)) if known is None else _known(speech, tables, known)
        for name, found, table in every:
            pieces = list(speech.pieces(found.start, found.end, table))
            if not pieces:
                continue
            spans = tuple((turn.index, start, end) for turn, start, end in pieces)
            first = pieces[0][0]
            hits.append(Hit(name, found.code, first.index, first.role, spans, found.said, found.value))
    hits.sort(key=lambda hit: (hit.turn, hit.spans[0][1], hit.detector, hit.spans))
    return hits


def _known(speech: Speech, tables: Sequence[Language], known: Speeches) -> Pairs:
    """Return what is found in a speech, read once. What is found is known for one call; that nothing is, for all."""
    key = speech.key
    if key in _nothing_in:
        return []
    if key not in known:
        known[key] = list(_in_speech(speech, tables))
        if not known[key]:
            if len(_nothing_in) >= _MOST_KEPT:
                _nothing_in.clear()
            _nothing_in.add(key)
    return known[key]


def _in_speech(speech: Speech, tables: Sequence[Language]) -> Iterator[tuple[str, Found, Language]]:
    """Yield what is found in any language, each once, with the language.

    Of two readings of one place the longer counts. What lies inside something that its detector yields to is left out: a
    card is no telephone number.
    """
    found: dict[str, list[tuple[Found, Language]]] = {}
    for table in tables:
        stretch = Stretch(speech, table)
        for detector in _detectors():
            if detector.may_find(speech.heard):
                for one in detector.detect(stretch):
                    found.setdefault(detector.name, []).append((one, table))
    for row in found.values():
        row.sort(key=lambda pair: (pair[0].start, -pair[0].end))
    for name, row in found.items():
        over = sorted((f.start, f.end) for other in _yields()[name] for f, _ in found.get(other, ()))
        starts = [start for start, _ in over]
        last = -1
        for one, table in row:
            place = bisect_right(starts, one.start) - 1
            if one.end > last and (place < 0 or over[place][1] < one.end):
                last = one.end
                yield name, one, table


def redact(
    turns: Sequence[Turn], hits: Sequence[Hit], regions: tuple[str, ...] = REGIONS, known: Speeches | None = None
) -> list[RedactedTurn]:
    """Return role and text of each turn in the order of the input, every place of a hit masked.

    Give the hits of all detectors: which of them were asked for decides a verdict, not what may be shown. Masking goes on
    until nothing is found any more in what is left, so that redacting it again changes nothing. A turn with masks lists
    them: `start` and `end` in the masked text, in code points, and `detector`. `known` as for `find`.
    """
    masked: dict[int, list[Mask]] = {}
    texts = {turn.index: turn.text for turn in turns}
    found = hits
    while found:
        for hit in found:
            for turn, start, end in hit.spans:
                masked.setdefault(turn, []).append(Mask(start, end, hit.detector))
        touched = {turn for hit in found for turn, _, _ in hit.spans}
        for turn in touched:
            texts[turn], masked[turn] = mask(texts[turn], masked[turn])
        left = [_with_text(turn, texts[turn.index]) if turn.index in masked else turn for turn in turns]
        found = find(left, regions, known)
        found = [hit for hit in found if not _is_masked(hit, masked)]
    roles = {role: redact_text(role) for role in {turn.role for turn in turns}}
    out: dict[int, RedactedTurn] = {turn.index: {"role": roles[turn.role], "text": texts[turn.index]} for turn in turns}
    for place, masks in masked.items():
        out[place]["masks"] = [{"start": one.start, "end": one.end, "detector": one.detector} for one in masks]
    return [out[place] for place in sorted(out)]


def _with_text(turn: Turn, text: str) -> Turn:
    return Turn(turn.index, turn.role, text, turn.start, turn.end, turn.seq, turn.words)


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
    modules = [import_module(f"{__name__}.{name}") for name in names()]
    return {whole, *(module.value(whole) for module in modules if hasattr(module, "value"))}
