"""Payment card numbers: an issuer's prefix, a length that this issuer uses, and the Luhn check digit.

Luhn alone accepts one number in ten, so clock readings, ISBNs and IMEIs would count without the issuer.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from hotato.match.pii._found import Found
from hotato.match.pii._stretch import Stretch
from hotato.match.spoken import Number, Run

YIELDS_TO = ("iban",)
FEWEST = 12
CODES = {"checksum": "an issuer's prefix and length with a right check digit"}
CUES = dict.fromkeys(
    (
        "card cards visa mastercard amex discover diners jcb unionpay maestro pan debit tarjeta karte kreditkarte carte "
        "carta"
    ).split(),
    "card_luhn",
)
_DOUBLED = str.maketrans("0123456789", "0246813579")
_JOINS = ("", " ", "-", ".", ":")
_LONG = (16, 17, 18, 19)

# (lowest prefix, highest prefix, lengths, the usual one first), by the number of digits of the prefix.
_ISSUERS: tuple[tuple[int, int, int, tuple[int, ...]], ...] = (
    (1, 4, 4, (16, 13, 19)),  # Visa
    (2, 51, 55, (16,)),  # Mastercard
    (4, 2221, 2720, (16,)),
    (2, 34, 34, (15,)),  # American Express
    (2, 37, 37, (15,)),
    (4, 6011, 6011, _LONG),  # Discover
    (3, 644, 649, _LONG),
    (2, 65, 65, _LONG),
    (3, 300, 305, (14, *_LONG)),  # Diners Club
    (4, 3095, 3095, (14, *_LONG)),
    (2, 36, 36, (14, *_LONG)),
    (2, 38, 39, (14, *_LONG)),
    (4, 3528, 3589, _LONG),  # JCB
    (2, 62, 62, _LONG),  # UnionPay
    (2, 81, 81, _LONG),
    (4, 2200, 2204, _LONG),  # Mir
    (2, 60, 60, (16,)),  # RuPay
    (2, 82, 82, (16,)),
    (3, 508, 508, (16,)),
    (6, 506099, 506198, (16, 18, 19)),  # Verve
    (4, 9792, 9792, (16,)),  # Troy
    (4, 5019, 5019, (16,)),  # Dankort
    (4, 5018, 5018, (16, 12, 13, 14, 15, 17, 18, 19)),  # Maestro
    (4, 5020, 5020, (16, 12, 13, 14, 15, 17, 18, 19)),
    (4, 5038, 5038, (16, 12, 13, 14, 15, 17, 18, 19)),
    (4, 5893, 5893, (16, 12, 13, 14, 15, 17, 18, 19)),
    (4, 6304, 6304, (16, 12, 13, 14, 15, 17, 18, 19)),
    (4, 6759, 6763, (16, 12, 13, 14, 15, 17, 18, 19)),
    (2, 50, 50, (16, 18, 19)),
    (2, 56, 58, (16, 18, 19)),
)


def detect(stretch: Stretch) -> Iterator[Found]:
    """Yield every card number of a stretch."""
    for run in stretch.runs:
        if len(run.digits) < 12:
            continue
        at = 0
        while at < len(run.numbers):
            end = _card(stretch, run, at)
            if end is not None:
                row = run.numbers[at : end + 1]
                digits = "".join(n.digits for n in row)
                yield Found("checksum", row[0].start, row[-1].end, digits, run.is_said(at, end))
                at = end
            at += 1


@lru_cache(maxsize=4096)
def lengths(prefix: str) -> tuple[int, ...]:
    """Return the lengths in which the issuer of six digits makes cards, the usual one first; none where nobody does."""
    for size, low, high, allowed in _ISSUERS:
        if low <= int(prefix[:size]) <= high:
            return allowed
    return ()


def has_luhn(digits: str) -> bool:
    """Say whether the last digit is the right check digit of the others (ISO/IEC 7812)."""
    total = sum(map(int, digits[-1::-2])) + sum(map(int, digits[-2::-2].translate(_DOUBLED)))
    return total % 10 == 0


def _card(stretch: Stretch, run: Run, at: int) -> int | None:
    """Return the last number of the card that begins at a number of a run."""
    start = run.offsets[at]
    if run.digits[start] in "01" or len(run.digits) - start < 12:
        return None
    gaps = run.gaps
    opens = at == 0 or gaps[at - 1] not in _JOINS
    allowed = lengths(run.digits[start : start + 6])
    for size in allowed:
        end = run.reach(at, size)
        if end is None:
            continue
        closes = end == len(gaps) or gaps[end] not in _JOINS
        single = end - at + 1 == size  # digit by digit, as it is said
        if single and not (opens or closes):
            continue
        if not has_luhn(run.digits[start : start + size]) or "(" in gaps[at:end]:
            continue
        if single or run.is_said(at, end):
            stands = (opens and closes) or (size == allowed[0] and (opens or closes))
        else:
            stands = _stands(stretch, run, at, end, opens)
        if stands:
            return end
    return None


def _stands(stretch: Stretch, run: Run, at: int, end: int, opens: bool) -> bool:
    """Say whether written groups are one number by how they stand; only then is the checksum worth anything."""
    row = run.numbers[at : end + 1]
    if len(row) == 1:
        return at == 0 or run.gaps[at - 1] != "."  # the fraction of a decimal
    if ":" in run.gaps[at:end]:
        return False
    return _is_grouped(row) or (opens and stretch.label(row[0].start, row[-1].end) == "card_luhn")


def _is_grouped(row: tuple[Number, ...]) -> bool:
    """Say whether written groups have sizes in which cards are printed: 4-4-4-4, 8-8, 4-6-5, equal ones ..."""
    sizes = [len(n.digits) for n in row]
    if all(size % 4 == 0 for size in sizes[:-1]):
        return True
    if len(sizes) == 3 and sizes[:2] == [4, 6]:
        return True
    return sizes == [6, 13] or (len(set(sizes[:-1])) == 1 and sizes[0] in (2, 5) and sizes[-1] <= sizes[0])
