"""The readings of a text: the same text with what was said as words written in figures, with a map back.

There are four, each of the whole text:

    figures   every number as its own figure: "four forty two" is `4 42`
    joined    numbers in a row as one: `442`; hesitations and separators said aloud between them are left out
    amounts   decimals, money and dates: `42.5`, `$42.10`, `2026-05-03`; other numbers as in `joined`
    codes     spelt letters and figures: `B2093`; other numbers as in `joined`
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache

import msgspec

from hotato.match.spoken._amounts import amounts
from hotato.match.spoken._codes import codes
from hotato.match.spoken._currency import SHOWN
from hotato.match.spoken._dates import dates
from hotato.match.spoken._language import Language, unaccented
from hotato.match.spoken._numbers import Number, numbers

_WORD = re.compile(r"[^\W\d_]+")
_MOST_BETWEEN = 32

Piece = tuple[int, int, str]


class Reading(msgspec.Struct, frozen=True):
    """A text as it was read. `starts` are the places in it at which a piece begins, `origins` where that was said."""

    text: str
    starts: tuple[int, ...] = (0,)
    origins: tuple[int, ...] = (0,)
    replaced: tuple[bool, ...] = (False,)

    def back(self, place: int) -> int:
        """Return where a place of the reading was said; of a place inside a replaced piece, where that begins."""
        at = bisect_right(self.starts, place) - 1
        return self.origins[at] + (0 if self.replaced[at] else place - self.starts[at])


@cache
def _between(language: Language) -> frozenset[str]:
    return frozenset(map(unaccented, language.hesitations | language.dashes))


def readings(text: str, language: Language) -> list[Reading]:
    """Return the readings of a text that are not the text itself, each once."""
    found = numbers(text, language)
    spelt = codes(text, language, found)
    if not found and not spelt:
        return []
    joined = rows(text, found, language)
    made = [
        [(number.start, number.end, number.digits) for number in found if number.said],
        joined,
        _over(_amounts(text, language, found), joined),
        _over([(code.start, code.end, code.text) for code in spelt], joined),
        _over([(code.start, code.end, code.other) for code in spelt], joined),
    ]
    out: dict[str, Reading] = {}
    for pieces in made:
        reading = _written(text, pieces)
        if reading.text != text:
            out.setdefault(reading.text, reading)
    return list(out.values())


def rows(text: str, found: list[Number], language: Language) -> list[Piece]:
    """Return numbers in a row as one each, where there are several or one was said."""
    between = _between(language)
    out: list[Piece] = []
    row: list[Number] = []
    for number in [*found, None]:
        if number is not None and row and _is_joined(text[row[-1].end : min(number.start, row[-1].end + 33)], between):
            row.append(number)
            continue
        if len(row) > 1 or (row and row[0].said):
            out.append((row[0].start, row[-1].end, "".join([one.digits for one in row])))
        row = [] if number is None else [number]
    return out


def _is_joined(space: str, between: frozenset[str]) -> bool:
    if len(space) > _MOST_BETWEEN or space in ("", ","):  # "4,42" is one figure with a mark
        return False
    bare = _WORD.sub("", space).strip(" \n")
    if len("".join(bare.split())) > 2 or bare.strip(" \n,-"):
        return False
    return all(unaccented(word.lower()) in between for word in _WORD.findall(space))


def _amounts(text: str, language: Language, found: list[Number]) -> list[Piece]:
    pieces: list[Piece] = [(date.start, date.end, date.text) for date in dates(text, language, found=found)]
    for amount in amounts(text, language, found):
        if amount.currency or "." in amount.value or amount.value[0] == "-":
            pieces.append((amount.start, amount.end, shown(amount.value, amount.currency)))
    return _over(pieces, [])


def shown(value: str, currency: str) -> str:
    """Return an amount as a reading writes it: money with two decimals unless it is whole, the sign before it."""
    if not currency:
        return value
    whole, _, rest = value.partition(".")
    figure = f"{whole}.{rest.ljust(2, '0')}" if rest else whole
    key = "$" if currency == "cents" else currency
    if currency == "cents":
        return figure
    return f"{SHOWN[key]}{figure}" if key in SHOWN else f"{figure} {key}"


def _over(pieces: Iterable[Piece], others: Iterable[Piece]) -> list[Piece]:
    """Return pieces in the order of place, and those of others that touch none; of two that overlap, the first given."""
    out: list[Piece] = []
    end = 0
    for piece in sorted(pieces, key=lambda one: (one[0], -one[1])):
        if piece[0] >= end:
            out.append(piece)
            end = piece[1]
    first, at = list(out), 0
    for other in others:
        while at < len(first) and first[at][1] <= other[0]:
            at += 1
        if at == len(first) or first[at][0] >= other[1]:
            out.append(other)
    return sorted(out)


def _written(text: str, pieces: list[Piece]) -> Reading:
    parts: list[str] = []
    starts, origins, replaced = [0], [0], [False]
    size = done = 0
    for start, end, new in pieces:
        parts += [text[done:start], new]
        size += start - done
        starts += [size, size + len(new)]
        origins += [start, end]
        replaced += [True, False]
        size += len(new)
        done = end
    parts.append(text[done:])
    return Reading("".join(parts), tuple(starts), tuple(origins), tuple(replaced))
