"""Dates as people say and write them, with a map back to the characters.

A date is ISO 8601 text: `2026-05-03`, or `--05-03` where no year was said. Figures alone are read only where one order of
day and month is possible, or where the reader is told which one is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import msgspec

from hotato.match.spoken._language import Language, unaccented
from hotato.match.spoken._numbers import Number, numbers

ORDERS = ("dmy", "mdy")
_ISO = r"(?P<y>[0-9]{4})(?P<mark>[-/.])(?P<m>[0-9]{1,2})(?P=mark)(?P<d>[0-9]{1,2})"
_ENDS = r"(?P<a>[0-9]{1,2})(?P<other>[-/.])(?P<b>[0-9]{1,2})(?P=other)(?P<end>[0-9]{4})"
_FIGURES = re.compile(rf"(?<![^\W_])(?<![0-9][-/.])(?:{_ISO}|{_ENDS})(?:(?![^\W_]|[-/.][0-9])|(?=T[0-9]))")
_TOKEN = re.compile(r"[^\W_]+")
_BETWEEN = frozenset(" ,.-'\n")
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class Date(msgspec.Struct, frozen=True, gc=False):
    """A date and where it stands."""

    text: str
    start: int
    end: int


class _Part(msgspec.Struct, frozen=True, gc=False):
    """A piece of a date. `sort` is `m` month, `o` ordinal, `n` number, `g` a word that adds nothing, `x` anything else."""

    sort: str
    value: str
    start: int
    end: int


class _Words(msgspec.Struct, frozen=True):
    months: dict[str, int]
    ordinals: dict[str, int]
    tails: frozenset[str]
    between: frozenset[str]


@cache
def _words(language: Language) -> _Words:
    return _Words(
        {unaccented(word): number for word, number in language.months.items()},
        {unaccented(word): number for word, number in language.ordinals.items()},
        frozenset(map(unaccented, language.ordinal_tails)),
        frozenset(map(unaccented, language.date_words | language.weekdays)),
    )


def iso(year: int | None, month: int, day: int) -> str | None:
    """Return a date as ISO text, None where the calendar has no such day."""
    if not 1 <= month <= 12 or not 1 <= day <= _DAYS[month - 1]:
        return None
    if year is None:
        return f"--{month:02}-{day:02}"
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return f"{year:04}-{month:02}-{day:02}" if year >= 1 and (leap or (month, day) != (2, 29)) else None


def dates(text: str, language: Language, order: str | None = None, found: list[Number] | None = None) -> list[Date]:
    """Return every date of a text, in order of place. `order` is one of ORDERS or None."""
    out = list(_in_figures(text, order))
    parts = _parts(text, language, numbers(text, language) if found is None else found)
    done = 0
    for at, part in enumerate(parts):
        if part.sort == "m" and part.start >= done:
            date = _around(text, parts, at, done)
            if date is not None:
                out.append(date)
                done = date.end
    return sorted(out, key=lambda date: date.start)


def _in_figures(text: str, order: str | None) -> Iterator[Date]:
    for match in _FIGURES.finditer(text):
        if match["y"]:
            date = iso(int(match["y"]), int(match["m"]), int(match["d"]))
        else:
            first, second, year = int(match["a"]), int(match["b"]), int(match["end"])
            either = {"dmy": iso(year, second, first), "mdy": iso(year, first, second)}
            possible = {one for one in ([either[order]] if order else either.values()) if one is not None}
            date = possible.pop() if len(possible) == 1 else None
        if date is not None:
            yield Date(date, match.start(), match.end())


def _parts(text: str, language: Language, found: list[Number]) -> list[_Part]:
    words, by_start = _words(language), {number.start: number for number in found}
    tokens = list(_TOKEN.finditer(text))
    lows = [unaccented(token.group().lower()) for token in tokens]
    out: list[_Part] = []
    at = 0 if any(low in words.months for low in lows) else len(tokens)  # no month, no date
    while at < len(tokens):
        start, end = tokens[at].span()
        two = (
            f"{lows[at]} {lows[at + 1]}" if at + 1 < len(tokens) and text[end : tokens[at + 1].start()] in " -" else ""
        )
        number = by_start.get(start)
        if two in words.ordinals:
            out.append(_Part("o", str(words.ordinals[two]), start, tokens[at + 1].end()))
            at += 2
            continue
        if lows[at] in words.ordinals and number is None:
            out.append(_Part("o", str(words.ordinals[lows[at]]), start, end))
        elif lows[at] in words.months:
            out.append(_Part("m", str(words.months[lows[at]]), start, end))
        elif number is not None:
            tailed = lows[at][len(number.digits) :] in words.tails and not number.said
            out.append(_Part("o" if tailed else "n", number.digits, start, max(end, number.end)))
            while at + 1 < len(tokens) and tokens[at + 1].start() < number.end:
                at += 1
        else:
            out.append(_Part("g" if lows[at] in words.between else "x", "", start, end))
        at += 1
    return out


def _around(text: str, parts: list[_Part], at: int, least: int) -> Date | None:
    """Return the date whose month stands at a place: the day before it or behind it, the year at the end."""
    month = int(parts[at].value)
    best: Date | None = None
    left = _step(text, parts, at, -1)
    if left is not None and parts[left].start >= least and len(parts[left].value) <= 2:
        best = _dated(text, parts, (month, int(parts[left].value)), parts[left].start, at)
    right = _step(text, parts, at, 1)
    if right is not None and len(parts[right].value) <= 2 and (best is None or best.text[0] == "-"):
        behind = _dated(text, parts, (month, int(parts[right].value)), parts[at].start, right)
        if behind is not None and (best is None or behind.text[0] != "-"):
            return behind
    return best


def _step(text: str, parts: list[_Part], at: int, way: int) -> int | None:
    """Return the next number or ordinal in one direction, over at most two words that add nothing."""
    for _ in range(3):
        place = at + way
        if not 0 <= place < len(parts):
            return None
        first, second = (at, place) if way > 0 else (place, at)
        gap = text[parts[first].end : parts[second].start]
        if len(gap) > 3 or not set(gap) <= _BETWEEN:
            return None
        if parts[place].sort in "on":
            return place
        if parts[place].sort != "g":
            return None
        at = place
    return None


def _dated(text: str, parts: list[_Part], of_year: tuple[int, int], start: int, last: int) -> Date | None:
    """Return the date with the year that follows its last part, or without a year."""
    place = _step(text, parts, last, 1)
    digits, end = "", parts[last].end
    while place is not None and place < len(parts) and parts[place].sort == "n" and len(digits) < 4:
        if digits and text[end : parts[place].start] not in (" ", "-", "\n"):
            break
        digits, end, place = digits + parts[place].value, parts[place].end, place + 1
    if len(digits) == 4 and "1000" <= digits < "3000":
        date = iso(int(digits), *of_year)
        return None if date is None else Date(date, start, end)
    date = iso(None, *of_year)
    return None if date is None else Date(date, start, parts[last].end)
