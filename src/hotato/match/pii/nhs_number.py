"""Patient numbers of the health service of England and Wales: ten digits with a check digit, called so."""

from __future__ import annotations

from collections.abc import Iterator

from hotato.match.pii._digits import standing
from hotato.match.pii._found import Found
from hotato.match.pii._stretch import Stretch

YIELDS_TO = ("iban",)
FEWEST = 10
CODES = {"labelled": "ten digits with a right check digit that the words around them call an NHS or patient number"}
CUES = {"nhs": "nhs_number"}
PAIRS = {("patient", "number"): "nhs_number", ("health", "number"): "nhs_number"}

NEEDS = frozenset(("nhs", "patient", "health"))


def detect(stretch: Stretch) -> Iterator[Found]:
    """Yield every patient number of a stretch."""
    for run, at, end, digits in standing(stretch, 10, is_right):
        start, stop = run.numbers[at].start, run.numbers[end].end
        if stretch.is_called(start, stop, "nhs_number"):
            yield Found("labelled", start, stop, digits, run.is_said(at, end))


def is_right(digits: str) -> bool:
    """Say whether ten digits have the right check digit."""
    from stdnum.gb import nhs

    return nhs.is_valid(digits)
