"""The detectors of this folder: what each of them says of itself, read once.

A module says `NEEDS`, words without one of which it finds nothing, and `FEWEST`, digits without which in one run it finds
nothing; `CUES`, `WEAK_CUES` and `PAIRS`, words that call a number one of its own; `HINTS`, words beside which few digits
may be something; `YIELDS_TO`, detectors inside whose finds it has none.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import msgspec

from hotato.match.pii._found import Found
from hotato.match.pii._labels import OTHER, OWNERS
from hotato.match.pii._speech import Labels
from hotato.match.pii._stretch import Stretch
from hotato.match.pii._words import mark_words
from hotato.match.spoken._language import unaccented

_PACKAGE = __name__.rpartition(".")[0]
_ABBREVIATED = 4  # letters: a shorter word may be spelt, "S S N"


def names() -> tuple[str, ...]:
    """Return the name of every detector, sorted."""
    found = {entry.split(".")[0] for entry in os.listdir(os.path.dirname(__file__)) if entry.endswith((".py", ".pyc"))}
    return tuple(sorted(name for name in found if not name.startswith("_")))


def codes(name: str) -> Mapping[str, str]:
    """Return how a detector recognises what it finds: reason code -> sentence."""
    found: Mapping[str, str] = module_of(name).CODES
    return found


def module_of(name: str) -> Any:
    """Return the module of a detector."""
    return import_module(f"{_PACKAGE}.{name}")


class Detector(msgspec.Struct, frozen=True, eq=False):
    """A detector; `needs` are words without one of which it finds nothing, `spelt` their letters.

    `fewest` are the digits that one run must have for it to find anything, 0 where it reads more than runs.
    """

    name: str
    detect: Callable[[Stretch], Iterator[Found]]
    needs: frozenset[str]
    spelt: tuple[frozenset[str], ...]
    fewest: int

    def may_find(self, heard: frozenset[str]) -> bool:
        """Say whether it can find anything where these words were heard."""
        return not self.needs or not self.needs.isdisjoint(heard) or any(letters <= heard for letters in self.spelt)


@cache
def detectors() -> dict[str, Detector]:
    """Return all detectors by their names."""
    out = {}
    for name in names():
        module = module_of(name)
        needs = frozenset(unaccented(word) for word in getattr(module, "NEEDS", ()))
        spelt = tuple(frozenset(word) for word in sorted(needs) if len(word) <= _ABBREVIATED)
        out[name] = Detector(name, module.detect, needs, spelt, getattr(module, "FEWEST", 0))
    return out


@cache
def labels() -> Labels:
    """Return the words that tell what a number is, of all detectors."""
    known = dict(OTHER)
    weak: dict[str, str] = {}
    pairs: dict[tuple[str, str], str] = {}
    for name in names():
        module = module_of(name)
        known.update(getattr(module, "CUES", {}))
        weak.update(getattr(module, "WEAK_CUES", {}))
        pairs.update(getattr(module, "PAIRS", {}))
    every = [detector.needs.union(*detector.spelt) for detector in detectors().values()]
    hints = _hints()
    return Labels(known, weak, OWNERS, pairs, hints, frozenset(("iban",)).union(mark_words(), hints, *every))


@cache
def yields() -> dict[str, tuple[str, ...]]:
    """Return for each detector those inside whose finds it has none."""
    return {name: getattr(module_of(name), "YIELDS_TO", ()) for name in names()}


@cache
def _hints() -> frozenset[str]:
    modules = (module_of(name) for name in names())
    return frozenset(unaccented(word) for module in modules for word in getattr(module, "HINTS", ()))
