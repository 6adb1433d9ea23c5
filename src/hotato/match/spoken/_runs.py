"""Rows of numbers: what people put between the figures of one long number, and what ends it.

A run is a row of numbers with nothing between them but what people put inside one long number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from hotato.match.spoken._language import Language
from hotato.match.spoken._numbers import Number

LONGEST_GAP = 32
_SLASHES = "/_|~*\u00b7\u2022\u2219\u30fb"
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


class Run(msgspec.Struct, frozen=True):
    """Numbers in a row; `gaps[i]` tells what stands between `numbers[i]` and the next.

    A gap is one of: `` (nothing), ` ` blank, `-` dash, `.` dot, `/` slash or a mark like it, `:` colon, `(` brackets,
    `,` comma and blank, `'` comma alone, `s` end of a sentence, `d` a separator said aloud, `w` a filler, `|` the end of
    a turn. `digits` is all of it, `offsets` where each number begins in it, `places` which number begins at an offset.
    """

    numbers: tuple[Number, ...]
    gaps: tuple[str, ...]
    digits: str
    offsets: tuple[int, ...]
    places: Mapping[int, int]
    said: bool

    def reach(self, at: int, size: int) -> int | None:
        """Return the last of the numbers that together, from a number on, have so many digits; None where none do."""
        after = self.places.get(self.offsets[at] + size)
        return None if after is None else after - 1

    def is_said(self, at: int, end: int) -> bool:
        """Say whether any number from one to another was said as a word."""
        return self.said and any(number.said for number in self.numbers[at : end + 1])


def _add(out: list[Run], row: list[Number], gaps: list[str], least: int) -> None:
    digits = "".join([number.digits for number in row])
    if len(digits) < least:
        return
    offsets, offset = [], 0
    for number in row:
        offsets.append(offset)
        offset += len(number.digits)
    places = {place: index for index, place in enumerate(offsets)}
    places[offset] = len(row)
    said = any(number.said for number in row)
    out.append(Run(tuple(row), tuple(gaps), digits, tuple(offsets), places, said))


def runs(text: str, found: list[Number], language: Language, least: int = 1) -> list[Run]:
    """Return the runs that numbers stand in, in order, but for those of fewer digits than `least`."""
    out: list[Run] = []
    known: dict[str, str | None] = {}
    row: list[Number] = []
    gaps: list[str] = []
    for number in found:
        if row:
            space = text[row[-1].end : min(number.start, row[-1].end + LONGEST_GAP)]
            if space not in known:
                known[space] = _gap(space, language) if len(space) < LONGEST_GAP else None
            gap = known[space]
            if gap is None:
                _add(out, row, gaps, least)
                row, gaps = [], []
            else:
                gaps.append(gap)
        row.append(number)
    if row:
        _add(out, row, gaps, least)
    return out


def _gap(space: str, language: Language) -> str | None:
    """Return the sort of gap that a piece of text is, None where it ends the number."""
    words = [word.lower() for word in _WORD.findall(space)]
    marks = _WORD.sub("", space)
    bare = "".join(marks.split())
    if words:
        aloud = all(word in language.dashes for word in words)
        if not aloud and not all(word in language.fillers or word in language.dashes for word in words):
            return None
        if bare.strip(".,-") or len(bare) > 4:
            return None
        return "|" if "\n" in space else "d" if aloud else "w"
    if "\n" in space:
        return "|" if not bare.strip(".,;!?-/") and len(bare) <= 4 else None
    if bare in ("", "-"):
        return bare or ("" if not space else " ")
    if len(bare) == 1 and bare in _SLASHES:
        return "/"
    if bare == ".":
        return "." if space[-1] == "." else "s"
    if bare == ",":
        return "," if len(space) > 1 else "'"
    if bare == ":":
        return ":" if len(space) == 1 else None
    if not bare.strip("-") and len(bare) <= 3:
        return "-"
    if not bare.strip(".") or bare == "\u2026":
        return "w"
    return "(" if not bare.strip("()[]-.") and len(bare) <= 3 else None
