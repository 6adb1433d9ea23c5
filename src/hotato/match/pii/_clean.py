"""Text without what hides a number: any decimal digit is ASCII, any dash `-`, any blank a blank, nothing invisible."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from hotato.match.spoken._language import unaccented

_FULL_WIDTH = range(0xFF01, 0xFF5F)
_LIKE = {
    "\u3002": ".", "\uff61": ".", "\u2024": ".", "\u2215": "/", "\u2044": "/", "\u2019": "'", "\u2018": "'",
    "\u2010": "-", "\u2043": "-", "\u2212": "-", "\u02d7": "-", "\u30fc": "-", "\uff70": "-", "\ufe6b": "@",
}  # fmt: skip
# Letters by category, and nothing to see all the same: Hangul fillers, the Braille blank.
_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800")


def clean(text: str) -> tuple[str, Sequence[int]]:
    """Return the plain text and, for each of its characters, the position that it has in the given one.

    One more position than there are characters is given, so that an end can be looked up as well.
    """
    if text.isascii() and text.isprintable():
        return text, range(len(text) + 1)
    table = _table(text)
    table["\n"] = " "
    if all(table.values()):
        return text.translate(str.maketrans(table)), range(len(text) + 1)
    places = [place for place, char in enumerate(text) if table.get(char, char)]
    return text.translate(str.maketrans(table)), [*places, len(text)]


def smooth(text: str) -> str:
    """Return the plain text with its line feeds and without accents."""
    table: dict[str, str | int | None] = {char: unaccented(str(plain)) for char, plain in _table(text).items()}
    return text.translate(str.maketrans(table))


def _table(text: str) -> dict[str, str | int | None]:
    return {char: _plain(char) for char in set(text) if not ("\x20" <= char <= "\x7e" or char == "\n")}


@lru_cache(maxsize=8192)
def _plain(char: str) -> str:
    """Return the one character that another stands for, or an empty string where it is invisible."""
    if char in _LIKE:
        return _LIKE[char]
    number = unicodedata.decimal(char, None)
    if number is not None:
        return str(number)
    if ord(char) in _FULL_WIDTH:
        return chr(ord(char) - 0xFEE0)
    if char in "\t\v\f\r\x1c\x1d\x1e\x1f\x85" or char in _BLANK:
        return " "
    category = unicodedata.category(char)
    if category == "Pd":
        return "-"
    if category in ("Zs", "Zl", "Zp"):
        return " "
    return "" if category in ("Cf", "Cc", "Mn", "Me") else char
