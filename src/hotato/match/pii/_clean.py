"""Text without what hides a number: any decimal digit is ASCII, any dash `-`, any blank a blank, nothing invisible."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

_FULL_WIDTH = range(0xFF01, 0xFF5F)
_LIKE = {"\u3002": ".", "\uff61": ".", "\u2024": ".", "\u2215": "/", "\u2044": "/", "\u2019": "'", "\u2018": "'"}


def clean(text: str) -> tuple[str, Sequence[int]]:
    """Return the plain text and, for each of its characters, the position that it has in the given one.

    One more position than there are characters is given, so that an end can be looked up as well.
    """
    if text.isascii():
        return text.replace("\n", " "), range(len(text) + 1)
    table: dict[str, str | int | None] = {char: _plain(char) for char in set(text) if not char.isascii()}
    table["\n"] = " "
    if all(table.values()):
        return text.translate(str.maketrans(table)), range(len(text) + 1)
    places = [place for place, char in enumerate(text) if table.get(char, char)]
    return text.translate(str.maketrans(table)), [*places, len(text)]


def _plain(char: str) -> str:
    """Return the one character that another stands for, or an empty string where it is invisible."""
    if char in _LIKE:
        return _LIKE[char]
    number = unicodedata.decimal(char, None)
    if number is not None:
        return str(number)
    if ord(char) in _FULL_WIDTH:
        return chr(ord(char) - 0xFEE0)
    category = unicodedata.category(char)
    if category == "Pd" or char == "\u2212":
        return "-"
    if category in ("Zs", "Zl", "Zp"):
        return " "
    return "" if category in ("Cf", "Mn", "Me") else char
