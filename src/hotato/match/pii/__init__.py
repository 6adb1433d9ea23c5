"""Personal data in what was said: numbers and addresses, written or spoken, whole or over several turns.

One file a detector, its name the detector's name; the folder is the registry. A detector yields candidates that pass its
checks and, where the shape alone tells nothing, are called what they are by the words around them (`CUES`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from hotato.match.evidence import Evidence
from hotato.match.order import in_order
from hotato.match.pii._clean import clean
from hotato.match.pii._look import Look, may_hold
from hotato.match.pii._mask import MASK, Mask, mask
from hotato.match.pii._reading import Reading
from hotato.match.pii._registry import codes, module_of, names
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


def in_call(evidence: Evidence, regions: tuple[str, ...] = REGIONS, wanted: frozenset[str] | None = None) -> list[Hit]:
    """Return what the detectors wanted, all for None, find in a call; nothing where it has no transcript.

    Each detector looks once for all assertions.
    """

    def look() -> list[Hit]:
        read: Iterable[Reading] = _readings(_look_at(evidence), regions)
        if wanted is not None:  # another assertion may want others
            read = evidence.once(("pii readings", regions), lambda: list(read))
        return _hits(read, wanted, kept=not evidence.plain)

    return evidence.once(("pii", regions, wanted), look) if evidence.has("transcript") else []


def redacted_call(evidence: Evidence, regions: tuple[str, ...] = REGIONS) -> list[RedactedTurn]:
    """Return the turns of a call with what all detectors find in it masked, made once for all assertions."""
    hits = in_call(evidence, regions)
    return evidence.once(("redacted", regions), lambda: _masked(_look_at(evidence), hits, regions))


def _look_at(evidence: Evidence) -> Look:
    return evidence.once("pii look", lambda: Look(evidence.transcript.turns, kept=not evidence.plain))


def _readings(look: Look, regions: tuple[str, ...]) -> Iterator[Reading]:
    return (Reading(speech, tables) for speech, tables in look.speeches(regions))


def find(turns: Sequence[Turn], regions: tuple[str, ...] = REGIONS) -> list[Hit]:
    """Return what all detectors find in the turns of a call, in the order of the input.

    Turns of one speaker that follow one another, or that others interrupted only to say "yes", are read as one text.
    `regions` (ISO 3166 codes) are those whose telephone numbers are known without their country code.
    """
    return _hits(_readings(Look(in_order(turns), kept=False), regions), None, kept=False)


def _hits(readings: Iterable[Reading], wanted: frozenset[str] | None, *, kept: bool) -> list[Hit]:
    hits = []
    for reading in readings:
        for name, found, table in reading.found(wanted, kept=kept):
            pieces = list(reading.speech.pieces(found.start, found.end, table))
            if not pieces:
                continue
            spans = tuple([(turn.index, start, end) for turn, start, end in pieces])
            first = pieces[0][0]
            hits.append(Hit(name, found.code, first.index, first.role, spans, found.said, found.value))
    hits.sort(key=lambda hit: (hit.turn, hit.spans[0][1], hit.detector, hit.spans))
    return hits


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
        left = _hits(_readings(look, regions), None, kept=look.kept)
        found = [hit for hit in left if not _is_masked(hit, masked)]
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
