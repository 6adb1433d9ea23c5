"""Aadhaar numbers of India: twelve digits with a Verhoeff check digit, in groups of four or called so."""

from __future__ import annotations

from collections.abc import Iterator

from hotato.match.pii._digits import sizes, standing
from hotato.match.pii._found import Found
from hotato.match.pii._stretch import Stretch

YIELDS_TO = ("iban", "card_luhn")
FEWEST = 12
CODES = {
    "grouped": "4-4-4 with a right check digit, and no word beside it that calls it something else",
    "labelled": "twelve digits with a right check digit that the words around them call an Aadhaar number",
}
CUES = dict.fromkeys("aadhaar aadhar adhaar adhar aadhaars uid uidai आधार".split(), "in_aadhaar")


def detect(stretch: Stretch) -> Iterator[Found]:
    """Yield every Aadhaar number of a stretch."""
    for run, at, end, digits in standing(stretch, 12, is_right):
        start, stop = run.numbers[at].start, run.numbers[end].end
        code = ""
        if stretch.is_called(start, stop, "in_aadhaar"):
            code = "labelled"
        elif sizes(run, at, end) == [4, 4, 4] and set(run.gaps[at:end]) <= {" ", "-", "|"}:
            code = "grouped" if not run.is_said(at, end) and not stretch.label(start, stop) else ""
        if code:
            yield Found(code, start, stop, digits, run.is_said(at, end))


def is_right(digits: str) -> bool:
    """Say whether twelve digits can be such a number: no leading 0 or 1, no palindrome, a right check digit."""
    if digits[0] in "01":
        return False
    from stdnum.in_ import aadhaar

    return aadhaar.is_valid(digits)
