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

import msgspec

from hotato.match.order import in_order
from hotato.match.pii._clean import clean
from hotato.match.pii._found import Found
from hotato.match.pii._labels import OTHER, OWNERS
from hotato.match.pii._stretch import Labels, Stretch, stretches
from hotato.match.spoken import DEFAULT, language
from hotato.model.call import Turn

__all__ = ["MASK", "Hit", "codes", "find", "forms", "names", "plain", "redact", "redact_text"]

MASK = "[REDACTED]"


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


@cache
def _detectors() -> tuple[tuple[str, Callable[[Stretch], Iterator[Found]]], ...]:
    return tuple((name, import_module(f"{__name__}.{name}").detect) for name in names())


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
    return Labels(known, weak, OWNERS, pairs)


@cache
def _yields() -> dict[str, tuple[str, ...]]:
    return {name: getattr(import_module(f"{__name__}.{name}"), "YIELDS_TO", ()) for name in names()}


def find(turns: Sequence[Turn]) -> list[Hit]:
    """Return what all detectors find in the turns of a call, in the order of the input.

    Turns of one speaker that follow one another, or that others interrupted only to say "yes", are read as one text.
    """
    hits = []
    for stretch in stretches(in_order(turns), language(DEFAULT), _labels()):
        for name, found in _in_stretch(stretch):
            pieces = list(stretch.pieces(found.start, found.end))
            spans = tuple((turn.index, start, end) for turn, start, end in pieces)
            first = pieces[0][0]
            hits.append(Hit(name, found.code, first.index, first.role, spans, found.said, found.value))
    hits.sort(key=lambda hit: (hit.turn, hit.spans[0][1], hit.detector, hit.spans))
    return hits


def _in_stretch(stretch: Stretch) -> Iterator[tuple[str, Found]]:
    """Yield what is found, but for what lies inside something that the detector yields to: a card is no telephone."""
    found = {name: sorted(detect(stretch), key=lambda f: f.start) for name, detect in _detectors()}
    for name, row in found.items():
        over = sorted((f.start, f.end) for other in _yields()[name] for f in found.get(other, ()))
        starts = [start for start, _ in over]
        for one in row:
            place = bisect_right(starts, one.start) - 1
            if place < 0 or over[place][1] < one.end:
                yield name, one


def redact(turns: Sequence[Turn], hits: Sequence[Hit]) -> list[dict[str, str]]:
    """Return role and text of each turn in the order of the input, every place of a hit masked.

    Give the hits of all detectors: which of them were asked for decides a verdict, not what may be shown.
    """
    spans: dict[int, list[tuple[int, int]]] = {}
    for hit in hits:
        for turn, start, end in hit.spans:
            spans.setdefault(turn, []).append((start, end))
    return [
        {"role": redact_text(turn.role), "text": _mask(turn.text, spans.get(turn.index, []))}
        for turn in sorted(turns, key=lambda turn: turn.index)
    ]


def redact_text(text: str) -> str:
    """Return one text with all personal data masked; a name without digits and `@` is returned as it is."""
    if "@" not in text and not any(char.isdigit() for char in text):
        return text
    return _mask(text, [span[1:] for hit in find([Turn(0, "", text)]) for span in hit.spans])


def _mask(text: str, spans: list[tuple[int, int]]) -> str:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    out, done = [], 0
    for start, end in merged:
        out += [text[done:start], MASK]
        done = end
    return "".join([*out, text[done:]])


def plain(value: str) -> str:
    """Return a value as it is compared: its letters in lower case and its digits, nothing else."""
    return "".join(char for char in clean(value)[0].lower() if char.isalnum())


def forms(value: str) -> set[str]:
    """Return all forms in which the detectors give a value: plain, and as each of them shortens it."""
    whole = plain(value)
    modules = [import_module(f"{__name__}.{name}") for name in names()]
    return {whole, *(module.value(whole) for module in modules if hasattr(module, "value"))}
