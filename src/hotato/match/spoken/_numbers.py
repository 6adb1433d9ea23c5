"""The reader: text -> numbers, each with its digits and its place, and the runs that they stand in.

The text has ASCII digits and plain dashes and blanks; a line feed in it is where one turn ends and the next begins.
A number is one figure as it was written or said: `4111`, `forty-two`, `triple one`, `eight hundred`. A run is a row of
numbers with nothing between them but what people put inside one long number. Everything is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

import msgspec

from hotato.match.spoken._language import Language

LONGEST_GAP = 32
_SLASHES = "/_|~*\u00b7\u2022\u2219\u30fb"
_TOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|[0-9]+")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_UUID = re.compile(r"(?<![0-9A-Za-z])[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}(?![0-9A-Za-z])")

_WRITTEN, _DIGIT, _TEEN, _TENS, _REPEAT, _HUNDRED, _THOUSAND = range(7)
_Token = tuple[int, str, int, int]


class Number(msgspec.Struct, frozen=True, gc=False):
    """One figure: its digits, where it stands, and whether it was said as words."""

    digits: str
    start: int
    end: int
    said: bool


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


@cache
def _vocabulary(language: Language) -> dict[str, tuple[int, str]]:
    words: dict[str, tuple[int, str]] = {word: (_DIGIT, digit) for word, digit in language.digits.items()}
    words.update({word: (_TEEN, digits) for word, digits in language.teens.items()})
    words.update({word: (_TENS, digit) for word, digit in language.tens.items()})
    words.update({word: (_REPEAT, str(times)) for word, times in language.repeats.items()})
    words.update(dict.fromkeys(language.hundreds, (_HUNDRED, "00")))
    words.update(dict.fromkeys(language.thousands, (_THOUSAND, "000")))
    return words


def numbers(text: str, language: Language) -> list[Number]:
    """Return every figure of a text, in order. Figures inside a code (`3f9c2ab`, a UUID) are none."""
    tokens = _tokens(text, language)
    reader = _Reader(text, language, tokens)
    out = []
    at = 0
    while at < len(tokens):
        kind, value, start, end = tokens[at]
        if kind == _WRITTEN:
            out.append(Number(value, start, end, False))
            at += 1
            continue
        digits, after = reader.figure(at)
        if digits:
            out.append(Number(digits, start, tokens[after - 1][3], True))
        at = max(after, at + 1)
    return out


def _tokens(text: str, language: Language) -> list[_Token]:
    vocabulary, plain = _vocabulary(language), language.plain
    codes = [m.span() for m in _UUID.finditer(text)] if "-" in text else []
    codes.reverse()
    out: list[_Token] = []
    for match in _TOKEN.finditer(text):
        word = match.group()
        start, end = match.span()
        if word[0] <= "9":  # a letter comes later in Unicode
            while codes and codes[-1][1] <= start:
                codes.pop()
            touched = text[start - 1 : start].isalpha() or text[end : end + 1].isalpha()
            if (codes and codes[-1][0] <= start) or (touched and _in_code(text, start, end)):
                continue
            out.append((_WRITTEN, word, start, end))
            continue
        low = word.lower()
        known = vocabulary.get(low)
        if known is None:
            continue
        if low in plain:
            after = _WORD.match(text, end + 1)
            if after is not None and after.group().lower() in plain[low]:
                continue
        out.append((*known, start, end))
    return out


def _in_code(text: str, start: int, end: int) -> bool:
    """Say whether digits are part of a word that mixes letters and digits more than once; `x4021` is an extension."""
    before = start - 1
    while before >= 0 and start - before <= 16 and text[before].isalpha():
        before -= 1
    letters = text[before + 1 : start]
    if letters and before >= 0 and text[before].isdigit() and letters.lower() not in ("x", "ext"):
        return True
    after = end
    while after < len(text) and after - end <= 16 and text[after].isalpha():
        after += 1
    letters = text[end:after]
    return bool(letters) and after < len(text) and text[after].isdigit() and letters.lower() not in ("x", "ext")


class _Reader:
    """Puts number words together: `forty` `five`, `triple` `one`, `eight` `hundred`."""

    def __init__(self, text: str, language: Language, tokens: list[_Token]) -> None:
        self.text, self.language, self.tokens = text, language, tokens

    def figure(self, at: int) -> tuple[str, int]:
        """Return the digits of the figure that starts at a token, and the token after it; no digits where none does."""
        kind, value, _, _ = self.tokens[at]
        if kind == _REPEAT:
            if self._near(at, at + 1):
                following = self.tokens[at + 1]
                if following[0] in (_DIGIT, _WRITTEN) and len(following[1]) == 1:
                    return following[1] * int(value), at + 2
            return "", at + 1
        digits, after = self._below_hundred(at)
        if not digits or digits == "0":
            return digits, after
        for kind in (_HUNDRED, _THOUSAND):
            if self._near(after - 1, after) and self.tokens[after][0] == kind:
                tail, end = self._tail(after + 1, len(self.tokens[after][1]))
                return digits + tail, end
        return digits, after

    def _below_hundred(self, at: int) -> tuple[str, int]:
        kind, value, _, _ = self.tokens[at]
        if kind == _TENS:
            if self._near(at, at + 1):
                following = self.tokens[at + 1]
                if following[0] == _DIGIT and following[1] != "0":
                    return value + following[1], at + 2
            return value + "0", at + 1
        return (value, at + 1) if kind in (_DIGIT, _TEEN) else ("", at + 1)

    def _tail(self, at: int, width: int) -> tuple[str, int]:
        """Return what follows `hundred` or `thousand`, filled with zeros: "eight hundred five five" is 800 5 5."""
        joined = self._near(at - 1, at, joins=True)
        if not joined or self.tokens[at][0] not in (_DIGIT, _TEEN, _TENS):
            return "0" * width, at
        digits, after = self._below_hundred(at)
        lone = len(digits) == 1
        if lone and self._near(after - 1, after):
            return "0" * width, at
        return digits.rjust(width, "0"), after

    def _near(self, at: int, following: int, joins: bool = False) -> bool:
        if following >= len(self.tokens):
            return False
        gap = self.text[self.tokens[at][3] : min(self.tokens[following][2], self.tokens[at][3] + 8)]
        bare = gap.strip(" \n-")
        return bool(gap) and len(gap) < 8 and (not bare or (joins and bare.lower() in self.language.joins))


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
