"""Dates of birth: a whole date that the words around it call one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import msgspec

from hotato.match.pii._found import Found
from hotato.match.pii._speech import BEFORE, OPENING, words
from hotato.match.pii._stretch import Stretch
from hotato.match.spoken import Language
from hotato.match.spoken._language import unaccented

CODES = {
    "numeric": "day, month and year in figures, which the words around them call a date of birth",
    "named": "such a date with the name of its month",
}
HINTS = dict.fromkeys(
    (
        "birth birthday birthdate birthdates dob born geboren geburtsdatum geburtstag nacimiento nací nacido nacida "
        "cumpleaños naissance né née anniversaire nascita nascimento geboortedatum"
    ).split(),
    "dob",
)
NEEDS = frozenset(HINTS)
_OTHER = frozenset(
    (
        "appointment expires expiry expiration order ordered booking booked delivery delivered due today tomorrow visit "
        "flight check-in checkin departure arrival policy invoice renewal renews statement issued start starts card "
        "cita termin rendez-vous factura rechnung"
    ).split()
)
_MONTHS = (
    "january jan januar enero janvier gennaio janeiro januari",
    "february feb februar febrero février fevrier febbraio fevereiro februari",
    "march mar märz marzo mars março maart",
    "april apr abril avril aprile",
    "may mai mayo maggio maio mei",
    "june jun juni junio juin giugno junho",
    "july jul juli julio juillet luglio julho",
    "august aug agosto août aout augustus",
    "september sept sep septiembre septembre settembre setembro",
    "october oct oktober octubre octobre ottobre outubro",
    "november nov noviembre novembre novembro",
    "december dec dezember diciembre décembre decembre dicembre dezembro",
)
_MONTH = {unaccented(name): number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_UNITS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth".split()
)
_TEENTHS = "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split()
_ORDINALS = {word: day for day, word in enumerate([*_UNITS, *_TEENTHS], 1)} | {
    "thirtieth": 30,
    "primero": 1,
    "premier": 1,
}
_ORDINALS |= dict.fromkeys(("ersten", "erster", "1er"), 1)
_NUMBERS = frozenset("id number code passcode pin phone ending account member reference card zip postcode".split())
_MARKED = re.compile(r"[0-9] ?[-/.] ?[0-9]")
_WORD = re.compile(r"([^\W\d_]+)")
_ASCII_WORD = re.compile(r"([a-z]+)")  # the same in a text of ASCII alone in lower case
_GAP = re.compile(
    r"(?:[\s,./\-']|\b(?:st|nd|rd|th|er|of|the|in|and|de|del|du|le|el|den|der|des|year|uh|um|dash|slash|hyphen|guión|barra"
    r"|tiret|strich|punkt|punto|point|dot)\b){0,6}",
    re.IGNORECASE,
)
_PLAIN_GAPS = frozenset(("", " ", ", ", "-", "/", "."))  # the most of them, found without a search
_MOST = 10  # items of one date; a longer row of figures is another number


class _Item(msgspec.Struct, frozen=True, gc=False):
    """A figure, an ordinal or the name of a month."""

    digits: str
    month: int
    start: int
    end: int
    said: bool


def detect(stretch: Stretch) -> Iterator[Found]:
    """Yield every date of birth of a stretch."""
    items = _items(stretch)
    at = 0
    while at < len(items):
        end = _chain(stretch.text, items, at)
        row = items[at:end]
        if len(row) < _MOST or any(item.month for item in row):
            yield from _in_chain(stretch, row)
        at = end


def _in_chain(stretch: Stretch, items: list[_Item]) -> Iterator[Found]:
    """Yield the dates of a row of items with nothing but what stands inside dates between them.

    A year of four digits counts before one of two: "the first, March fifteenth, nineteen eighty".
    """
    found = list(_dates(stretch, items, (4,)))
    yield from found or _dates(stretch, items, (2, 4))


def _dates(stretch: Stretch, items: list[_Item], years: tuple[int, ...]) -> Iterator[Found]:
    at = 0
    while at < len(items):
        step = 1
        for end in range(min(len(items), at + _MOST), at, -1):
            row = items[at:end]
            code = _code(row, years)
            if code and _stands(stretch.text, items, at, end) and _is_birth(stretch, row, code):
                value = "".join(item.digits or f"m{item.month}" for item in row)
                yield Found(code, row[0].start, row[-1].end, value, any(item.said for item in row))
                step = end - at
                break
        at += step


@cache
def _ordinal_words(language: Language) -> dict[str, int]:
    return {**_ORDINALS, **language.ordinals}


def _items(stretch: Stretch) -> list[_Item]:
    ordinals = _ordinal_words(stretch.language)
    out = [_Item(f.digits, 0, f.start, f.end, f.said) for f in stretch.figures]
    text, end = stretch.text, 0
    is_ascii = text.isascii()
    pieces = _ASCII_WORD.split(text.lower()) if is_ascii else _WORD.split(text)  # what is between, a word, and so on
    for at in range(1, len(pieces), 2):
        start = end + len(pieces[at - 1])
        end = start + len(pieces[at])
        word = pieces[at] if is_ascii else unaccented(pieces[at].lower())
        if word in _MONTH:
            out.append(_Item("", _MONTH[word], start, end, not stretch.figures))
        elif word in ordinals:
            out.append(_Item(str(ordinals[word]), 0, start, end, True))
    out.sort(key=lambda item: (item.start, item.end))
    return _ordinals(text, out)


def _ordinals(text: str, items: list[_Item]) -> list[_Item]:
    """Return the items with "twenty" and "first" put together."""
    out: list[_Item] = []
    for item in items:
        last = out[-1] if out else None
        tens = last is not None and last.said and last.digits in ("20", "30") and item.digits in tuple("123456789")
        if last is not None and tens and item.said and text[last.end : item.start] in (" ", "-"):
            out[-1] = _Item(str(int(last.digits) + int(item.digits)), 0, last.start, item.end, True)
        else:
            out.append(item)
    return out


def _chain(text: str, items: list[_Item], at: int) -> int:
    """Return the place after the last item that stands in one date with this one."""
    end = at + 1
    while end < len(items):
        gap = text[items[end - 1].end : items[end].start]
        if gap not in _PLAIN_GAPS and (len(gap) > 16 or _GAP.fullmatch(gap) is None):
            break
        end += 1
    return end


def _code(row: list[_Item], years: tuple[int, ...]) -> str:
    """Return how a row of items is a date: with a named month, or all in figures; empty where it is none."""
    months = [place for place, item in enumerate(row) if item.month]
    if len(months) == 1:
        before = [item.digits for item in row[: months[0]]]
        after = [item.digits for item in row[months[0] + 1 :]]
        if before:
            day, year = "".join(before), "".join(after)
            return (
                "named" if (_is_day(day) and _is_year(year, years)) or (_is_year(day, years) and _is_day(year)) else ""
            )
        splits = (("".join(after[:n]), "".join(after[n:])) for n in (1, 2))
        return "named" if any(_is_day(day) and _is_year(year, years) for day, year in splits) else ""
    if months:
        return ""
    parts = [item.digits for item in row]
    if len(parts) == 1:
        parts = list(parts[0]) if len(parts[0]) == 8 else []
    count = len(parts)
    joined = "".join(parts)
    if not 4 <= len(joined) <= 8:
        return ""
    for first in range(1, min(5, count - 1)):
        for second in range(first + 1, min(first + 5, count)):
            if _is_date("".join(parts[:first]), "".join(parts[first:second]), "".join(parts[second:]), years):
                return "numeric"
    return ""


def _is_date(one: str, two: str, three: str, years: tuple[int, ...]) -> bool:
    if len(one) == 4:
        return _is_year(one, years) and _is_day(three) and two.isdigit() and 1 <= int(two) <= 12
    return _is_day(one) and _is_day(two) and min(int(one), int(two)) <= 12 and _is_year(three, years)


def _is_day(digits: str) -> bool:
    return 1 <= len(digits) <= 2 and 1 <= int(digits) <= 31


def _is_year(digits: str, sizes: tuple[int, ...]) -> bool:
    return len(digits) in sizes and (len(digits) == 2 or 1900 <= int(digits) <= 2099)


def _stands(text: str, items: list[_Item], at: int, end: int) -> bool:
    """Say whether no other figure comes right before or behind, as it does where a longer number is cut."""
    before = text[items[at - 1].end : items[at].start] if at else ","
    behind = text[items[end - 1].end : items[end].start] if end < len(items) else ","
    return all(gap.strip(" -") != "" for gap in (before, behind))


def _is_birth(stretch: Stretch, row: list[_Item], code: str) -> bool:
    """Say whether the nearest word that tells what a date is for tells of a birth: before, behind or in the question.

    What is only a row of figures may be an id or a telephone number as well, so that words for these count too.
    """
    start, end = row[0].start, row[-1].end
    bare = code == "numeric" and not _MARKED.search(stretch.text, start, end)
    for word in reversed(words(stretch.text[max(0, start - BEFORE) : start])):
        if word in HINTS:
            return True
        if word in _OTHER or (bare and word in _NUMBERS):
            return False
    for word in () if bare else stretch.speech.behind(end):
        if word in HINTS:
            return True
        if word in _OTHER:
            return False
    return start <= OPENING and any(word in HINTS for word in stretch.speech.asked)
