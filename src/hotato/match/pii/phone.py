"""Telephone numbers: with a country code, in North American groups, or called so by the words around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hotato.match.pii._found import Found
from hotato.match.pii._stretch import Stretch
from hotato.match.spoken import Run

YIELDS_TO = ("card_luhn", "iban", "in_aadhaar", "ip", "itin", "nhs_number", "ssn", "aba_routing")
FEWEST = 8
CODES = {
    "country_code": "a plus or 00 and a country code",
    "grouped": "an area code, an exchange and a line in 3-3-4",
    "national": "groups of digits that are a number of one of the regions, as it is written there",
    "labelled": "nine to twelve digits that the words around them call a telephone number",
}
CUES = dict.fromkeys(
    (
        "phone phones telephone mobile mobiles cell cellphone call calling called callback dial ring text sms fax tel "
        "telefon telefono teléfono téléphone telefonnummer handy handynummer rückruf móvil celular portable whatsapp "
        "reach landline extension appelez appeler appelle rappeler joindre llame llámeme llamar rufen anrufen erreichen numéro "
        "nummer número numero rufnummer telefonnummer mobilnummer festnetz telefone telemóvel cellulare telefoon "
        "telefoonnummer mobiel telefonu numer mobil mobilen"
    ).split(),
    "phone",
)
WEAK_CUES = {"number": "phone", "numbers": "phone", "contact": "phone"}
PAIRS = {
    ("area", "code"): "phone",
    ("country", "code"): "phone",
    ("dialling", "code"): "phone",
    ("dialing", "code"): "phone",
}

_COUNTRIES = frozenset(
    (
        "1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 "
        "86 90 91 92 93 94 95 98"
    ).split()
)
_REGIONS = frozenset("21 22 23 24 25 26 29 35 37 38 42 50 59 67 68 69 80 85 87 88 96 97 99".split())  # of three digits
_AMERICAN = frozenset(("US", "CA"))
_TRUNK = frozenset("GB IE DE AT CH FR NL BE SE FI AU NZ JP KR IN ZA TR UA RO HR SI SK BG".split())  # 0 before the area
_FICTION = ("07700900",)  # mobiles in British films
_INSIDE = frozenset(" -./(|,wd")
_SAID_INSIDE = _INSIDE | {":"}  # a recogniser writes "01:32" for a group that was said
_SEPARATORS = frozenset(" -./(|d")
_TIGHT = ("-", ".", "/", "")
_JOINS = (" ", *_TIGHT, ":")
_EXTENSION = re.compile(r"[ ,]{0,2}(?:ext(?:ension|n)?\.?|x)[ :]{0,2}(?=\w)", re.IGNORECASE)


def detect(stretch: Stretch) -> Iterator[Found]:
    """Yield every telephone number of a stretch."""
    for run in stretch.runs:
        gaps, after = run.gaps, 0
        for at, number in enumerate(run.numbers):
            opens = at == 0 or gaps[at - 1] not in _JOINS
            if at < after or not (opens or len(number.digits) == 3 or number.digits == "1"):
                continue
            hit = _international(stretch, run, at) if opens else None
            hit = hit or _grouped(stretch, run, at)
            if hit is None and opens:
                hit = _labelled(stretch, run, at) or _national(stretch, run, at)
            if hit is not None:
                code, end = hit
                yield _found(stretch, run, at, end, code)
                after = end + 1


def is_north_american(digits: str) -> bool:
    """Say whether ten digits are an area code and an exchange that the North American plan can hold."""
    return len(digits) == 10 and digits[0] not in "01" and digits[3] not in "01" and digits[1:3] != "11"


def value(digits: str) -> str:
    """Return the digits by which numbers are compared: without the prefixes 00, 011 and 1 of the same number."""
    for prefix in ("00", "011"):
        if digits.startswith(prefix) and len(digits) > 10:
            digits = digits[len(prefix) :]
    return digits[1:] if len(digits) == 11 and digits[0] == "1" else digits


def _found(stretch: Stretch, run: Run, at: int, end: int, code: str) -> Found:
    row = run.numbers[at : end + 1]
    text, start, stop = stretch.text, row[0].start, row[-1].end
    if start and text[start - 1] in "([" and text[start:stop].count(")") + text[start:stop].count("]"):
        start -= 1
    opening = _plus(stretch, start) if at == 0 else None
    start = start if opening is None else opening
    extension = _EXTENSION.match(text, stop)
    if extension is not None:
        stop = stretch.number_at(extension.end(), 6) or stop
    digits = value("".join(n.digits for n in row))
    return Found(code, start, stop, digits, run.is_said(at, end))


def _plus(stretch: Stretch, start: int) -> int | None:
    """Return where the plus before a place stands, written or said."""
    text = stretch.text[max(0, start - 12) : start]
    bare = text.rstrip(" (\n")
    if bare.endswith("+"):
        return start - len(text) + len(bare) - 1
    word = re.search(r"(?<![^\W\d_])[^\W\d_]+$", bare)
    if word is not None and word.group().lower() in stretch.language.plus:
        return start - len(text) + word.start()
    return None


def _country(digits: str) -> int:
    """Return how many digits the country code takes; 0 where there is none such."""
    for size in (1, 2):
        if digits[:size] in _COUNTRIES:
            return size
    return 3 if digits[:2] in _REGIONS else 0


def _international(stretch: Stretch, run: Run, at: int) -> tuple[str, int] | None:
    first, start = run.numbers[at], run.offsets[at]
    if at and run.digits[start] != "0":
        return None
    skip = 0
    if at or _plus(stretch, first.start) is None:
        skip = next((len(prefix) for prefix in ("00", "011") if run.digits.startswith(prefix, start)), 0)
        if not skip:
            return None
    national = run.digits[start + skip : start + skip + 15]
    if not _country(national):
        return None
    if national[0] == "1":
        sizes: Sequence[int] = (11,) if is_north_american(national[1:11]) else ()
    else:
        sizes = range(15 if national[:2] in ("43", "49") else 13, 7, -1)
    ends = [(size, run.reach(at, skip + size)) for size in sizes]
    for _, end in _valid_first(national, [(size, end) for size, end in ends if end is not None]):
        if any(gap not in _INSIDE for gap in run.gaps[at:end]):
            continue
        grouped = end > at and len(first.digits) <= 5 and not first.said and skip == 2
        if not skip or grouped or stretch.is_called(first.start, run.numbers[end].end, "phone"):
            return "country_code", end
    return None


def _valid_first(national: str, ends: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return lengths and ends, those first whose digits are a number of the country; neighbours are then left out."""
    if len(ends) < 2:
        return ends
    import phonenumbers

    def is_wrong(size: int) -> bool:
        try:
            return not phonenumbers.is_valid_number(phonenumbers.parse("+" + national[:size]))
        except phonenumbers.NumberParseException:
            return True

    return sorted(ends, key=lambda pair: is_wrong(pair[0]))


def _national(stretch: Stretch, run: Run, at: int) -> tuple[str, int] | None:
    """Return a number that is written in groups as one of the regions writes it."""
    numbers, gaps = run.numbers, run.gaps
    if len(numbers) - at < 2 or not any(region not in _AMERICAN for region in stretch.regions):
        return None
    if run.digits[run.offsets[at]] != "0" and not any(region not in _TRUNK for region in stretch.regions):
        return None
    for size in (11, 10, 9, 12):
        end = run.reach(at, size)
        if end is None or end == at or run.is_said(at, end) or (end < len(gaps) and gaps[end] in _JOINS):
            continue
        inner = set(gaps[at:end])
        if not inner <= _SEPARATORS or max(len(n.digits) for n in numbers[at : end + 1]) > 8:
            continue
        digits = run.digits[run.offsets[at] : run.offsets[at] + size]
        if stretch.label(numbers[at].start, numbers[end].end) in ("", "phone") and _is_valid(digits, stretch.regions):
            return "national", end
    return None


def _is_valid(digits: str, regions: tuple[str, ...]) -> bool:
    import phonenumbers

    if digits.startswith(_FICTION):
        return "GB" in regions
    for region in regions:
        if region in _AMERICAN or (digits[0] != "0" and region in _TRUNK):
            continue
        try:
            if phonenumbers.is_valid_number(phonenumbers.parse(digits, region)):
                return True
        except phonenumbers.NumberParseException:
            continue
    return False


def _grouped(stretch: Stretch, run: Run, at: int) -> tuple[str, int] | None:
    numbers, gaps = run.numbers, run.gaps
    begin = at + 1 if numbers[at].digits == "1" else at
    end = begin + 2
    if end >= len(numbers) or len(numbers[begin].digits) != 3 or len(numbers[end].digits) != 4:
        return None
    row, inner = numbers[begin : end + 1], gaps[at:end]
    if [len(n.digits) for n in row] != [3, 3, 4] or run.is_said(begin, end):
        return None
    start = run.offsets[begin]
    if not is_north_american(run.digits[start : start + 10]) or any(gap not in _SEPARATORS for gap in inner):
        return None
    if (at and gaps[at - 1] in _TIGHT) or (end < len(gaps) and gaps[end] in _TIGHT):
        return None
    blank = all(gap in (" ", "|") for gap in inner)
    if blank and stretch.label(row[0].start, row[-1].end) not in ("", "phone"):
        return None
    return "grouped", end


def _labelled(stretch: Stretch, run: Run, at: int) -> tuple[str, int] | None:
    """Return a number of nine to twelve digits that stands by itself and is called a telephone number."""
    numbers, gaps, start = run.numbers, run.gaps, run.offsets[at]
    if len(run.digits) - start < 9:
        return None
    for size in _sizes(run.digits[start : start + 11]):
        end = run.reach(at, size)
        if end is None or (end < len(gaps) and gaps[end] in _JOINS):
            continue
        inner = set(gaps[at:end])
        if not inner <= _INSIDE and not (inner <= _SAID_INSIDE and run.is_said(at, end)):
            continue
        if [len(n.digits) for n in numbers[at : at + 3]] in ([4, 2, 2], [2, 2, 4]):
            continue  # a date and something
        if stretch.is_called(numbers[at].start, numbers[end].end, "phone"):
            return "labelled", end
    return _unpaused(stretch, run) if run.said and at == 0 else None


def _sizes(digits: str) -> tuple[int, ...]:
    """Return the lengths that a national number may have, the likeliest first."""
    if digits[0] == "0":
        return (11, 10, 9, 12)
    if digits[0] == "1":
        return (11,) if is_north_american(digits[1:]) else (10, 9)
    return (10, 9, 11)


def _unpaused(stretch: Stretch, run: Run) -> tuple[str, int] | None:
    """Return the ten digits that open a longer run which was said without a pause."""
    end = run.reach(0, 10)
    if end is None or not is_north_american(run.digits[:10]) or not run.is_said(0, end) or ":" in run.gaps[:end]:
        return None
    return ("labelled", end) if stretch.is_called(run.numbers[0].start, run.numbers[end].end, "phone") else None
