"""Routing numbers of US banks: nine digits of a district in use, with a check digit, called so."""

from __future__ import annotations

from collections.abc import Iterator

from hotato.match.pii._digits import standing
from hotato.match.pii._found import Found
from hotato.match.pii._stretch import Stretch

YIELDS_TO = ("iban",)
FEWEST = 9
CODES = {"labelled": "nine digits with a right check digit that the words around them call a routing number"}
CUES = dict.fromkeys("routing aba rtn ach".split(), "aba_routing")
NEEDS = frozenset(CUES)
_DISTRICTS = frozenset(range(1, 13)) | frozenset(range(21, 33)) | frozenset(range(61, 73)) | {80}


def detect(stretch: Stretch) -> Iterator[Found]:
    """Yield every routing number of a stretch."""
    for run, at, end, digits in standing(stretch, 9, is_right):
        start, stop = run.numbers[at].start, run.numbers[end].end
        if stretch.is_called(start, stop, "aba_routing"):
            yield Found("labelled", start, stop, digits, run.is_said(at, end))


def is_right(digits: str) -> bool:
    """Say whether nine digits have a district in use and the right check digit."""
    if int(digits[:2]) not in _DISTRICTS:
        return False
    from stdnum.us import rtn

    return rtn.is_valid(digits)
