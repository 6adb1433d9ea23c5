"""Codes as people say them: spelt letters, names of letters, examples ("B as in boy"), and figures between them.

Order numbers, postcodes, number plates. What is read is the code in capitals, with a map back to the words.
"""

from __future__ import annotations

import re
from functools import cache

import msgspec

from hotato.match.spoken._language import Language, unaccented
from hotato.match.spoken._numbers import Number, numbers

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_LETTERS = re.compile(r"[^\W\d_]+")
_MOST_GAP = 3


class Code(msgspec.Struct, frozen=True, gc=False):
    """A code, and the same with the letter O for every "oh" that was said; where it stands."""

    text: str
    other: str
    start: int
    end: int


class _Item(msgspec.Struct, frozen=True, gc=False):
    text: str
    other: str
    start: int
    end: int
    letter: bool


class _Names(msgspec.Struct, frozen=True):
    letters: dict[str, str]
    as_in: frozenset[str]
    capitals: frozenset[str]
    telling: frozenset[str]
    repeats: dict[str, int]
    hesitations: frozenset[str]
    dashes: frozenset[str]


@cache
def _names(language: Language) -> _Names:
    def plain(listed: frozenset[str]) -> frozenset[str]:
        return frozenset(map(unaccented, listed))

    return _Names(
        {unaccented(word): letter for word, letter in language.letters.items()},
        plain(language.as_in),
        plain(language.capitals),
        frozenset(unaccented(word) for said in language.capitals for word in said.split()),
        {unaccented(word): times for word, times in language.repeats.items()},
        plain(language.hesitations),
        plain(language.dashes),
    )


def codes(text: str, language: Language, found: list[Number] | None = None) -> list[Code]:
    """Return every code of a text, in order: at least two characters, a letter among them."""
    speller = _Speller(text, language, numbers(text, language) if found is None else found)
    out: list[Code] = []
    row: list[_Item] = []
    for item in speller.items():
        if item is not None and (not row or speller.joins(row[-1].end, item.start)):
            row.append(item)
            continue
        _close(row, language, out)
        row = [] if item is None else [item]
    _close(row, language, out)
    return out


def _close(row: list[_Item], language: Language, out: list[Code]) -> None:
    while len(row) > 1 and _is_ordinary(row[0], row[1], language):
        row = row[1:]
    while len(row) > 1 and _is_ordinary(row[-1], row[-2], language):
        row = row[:-1]
    text, other = "".join([i.text for i in row]), "".join([i.other for i in row])
    if len(text) > 1 and any(item.letter for item in row):
        out.append(Code(text, other, row[0].start, row[-1].end))


def _is_ordinary(item: _Item, beside: _Item, language: Language) -> bool:
    """Say whether a letter at the edge of a code is a word of its own ("a 4 door car")."""
    return item.end - item.start == 1 and item.text.lower() in language.one_letter and not beside.letter


def _is_mixed(word: str) -> bool:
    return not word.isdigit() and any(char.isdigit() for char in word)


class _Speller:
    """Reads the words of one text as the letters and figures that they stand for."""

    def __init__(self, text: str, language: Language, found: list[Number]) -> None:
        self.text, self.names = text, _names(language)
        self.words = list(_WORD.finditer(text))
        self.lows = [unaccented(word.group().lower()) for word in self.words]
        self.numbers = {number.start: number for number in found}

    def items(self) -> list[_Item | None]:
        """Return each item in order, None for a word that is none; what only stands between items is left out."""
        out: list[_Item | None] = []
        at, announced = 0, -1
        if not any(self._letter(place) or _is_mixed(low) for place, low in enumerate(self.lows)):
            return []
        while at < len(self.words):
            item, after = self._item(at)
            if item is not None:
                out.append(item if announced < 0 else msgspec.structs.replace(item, start=announced))
                announced = -1
            elif self.lows[at] in self.names.dashes:
                if out and out[-1] is not None and self._begins(at + 1):
                    word = self.words[at]
                    if self.joins(out[-1].end, word.start()):
                        out.append(_Item("-", "-", word.start(), word.end(), False))
            elif self._announces(at):
                announced = self.words[at].start() if announced < 0 else announced
            elif self.lows[at] not in self.names.hesitations:
                out.append(None)
                announced = -1
            at = max(after, at + 1)
        return out

    def joins(self, end: int, start: int) -> bool:
        """Say whether what stands between two items leaves them one code."""
        if start - end > 24:
            return False
        space = self.text[end:start]
        for word in _WORD.findall(space):
            low = unaccented(word.lower())
            if low not in self.names.hesitations and low not in self.names.telling:
                return False
            space = space.replace(word, "", 1)
        bare = "".join(space.split())
        return not bare.strip(",.-") and len(bare) <= _MOST_GAP

    def _announces(self, at: int) -> bool:
        """Say whether a word tells that a capital or small letter follows."""
        two = " ".join(self.lows[at : at + 2])
        before = " ".join(self.lows[max(0, at - 1) : at + 1])
        told = self.lows[at] in self.names.capitals or two in self.names.capitals or before in self.names.capitals
        return told and self._begins(at + (2 if two in self.names.capitals else 1))

    def _begins(self, at: int) -> bool:
        return at < len(self.words) and self._item(at)[0] is not None

    def _item(self, at: int) -> tuple[_Item | None, int]:
        """Return the item that begins at a word, and the word after it."""
        word, low = self.words[at], self.lows[at]
        start, end = word.span()
        two = f"{low} {self.lows[at + 1]}" if at + 1 < len(self.words) and self._near(at) else ""
        letter, after = self.names.letters.get(two), at + 2
        if letter is None:
            letter, after = self._letter(at), at + 1
        number = self.numbers.get(start)
        if letter is None and low in self.names.repeats and two:
            letter = self._letter(at + 1)
            if letter is not None:
                letter, after = letter * self.names.repeats[low], at + 2
        if letter is not None and (number is None or not number.said or len(low) > 1):
            return self._exampled(letter, start, after)
        if number is not None and number.end >= end:
            after = at + 1
            while after < len(self.words) and self.words[after].start() < number.end:
                after += 1
            other = "O" if number.said and number.digits == "0" and low[0] == "o" else number.digits
            return _Item(number.digits, other, start, number.end, False), after
        if _is_mixed(low):
            text = word.group().upper()
            return _Item(text, text, start, end, True), at + 1
        return None, at + 1

    def _letter(self, at: int) -> str | None:
        low = self.lows[at]
        if len(low) == 1 and _LETTERS.fullmatch(low):
            return low.upper()
        return self.names.letters.get(low)

    def _exampled(self, letter: str, start: int, after: int) -> tuple[_Item, int]:
        """Return a letter with the example behind it ("as in boy"), where the example begins with it."""
        for size in (2, 1):
            said, example = " ".join(self.lows[after : after + size]), after + size
            if said in self.names.as_in and example < len(self.lows) and self.lows[example][0] == letter[-1].lower():
                gap = self.text[self.words[after - 1].end() : self.words[example].start()]
                if len(gap) <= 16 and not set(gap) & set(".;:!?\n"):
                    after = example + 1
                    break
        return _Item(letter, letter, start, self.words[after - 1].end(), True), after

    def _near(self, at: int) -> bool:
        return self.text[self.words[at].end() : self.words[at + 1].start()].strip(" -") == ""
