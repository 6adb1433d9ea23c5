"""Which characters a node stands for, roughly: enough to say of two nodes that no character is in both."""

from __future__ import annotations

import re
from typing import Any

from hotato.match.regex._parse import C

_ALL = (1 << 128) - 1
# beyond ASCII: letters and digits, blanks, all else; each one bit above those of ASCII
_WORDS, _BLANKS, _OTHERS = 1 << 128, 1 << 129, 1 << 130
_BEYOND = _WORDS | _BLANKS | _OTHERS
EVERYTHING = _ALL | _BEYOND


def _bits(pattern: str) -> int:
    found = re.compile(pattern)
    return sum(1 << place for place in range(128) if found.match(chr(place)))


_DIGIT, _SPACE, _WORD = _bits(r"\d"), _bits(r"\s"), _bits(r"\w")
_FOLDED = _bits("[kKsSiI]")  # equal to a letter beyond ASCII when case is ignored


def characters(op: Any, arg: Any, flags: int) -> int:
    """Return the characters of a one-character node as bits, rather too many than too few. `flags` lack re.ASCII."""
    if op is C.ANY:
        return EVERYTHING if flags & re.DOTALL else (_ALL & ~(1 << 10)) | _BEYOND
    if op is C.LITERAL:
        return _range(arg, arg, flags)
    if op is C.NOT_LITERAL:
        return _without(1 << arg if arg < 128 else 0)
    items = list(arg)
    if items[0][0] is C.NEGATE:
        return _without(_inside(items[1:]))
    found = 0
    for kind, value in items:
        if kind is C.LITERAL:
            found |= _range(value, value, flags)
        elif kind is C.RANGE:
            found |= _range(value[0], value[1], flags)
        else:
            found |= _category(value)
    return found


def _range(low: int, high: int, flags: int) -> int:
    found = 0
    for place in range(low, min(high, 127) + 1):
        found |= 1 << place
    if high > 127:
        found |= _BEYOND
    if flags & re.IGNORECASE:
        if high > 127:
            found |= _FOLDED
        for place in range(low, min(high, 127) + 1):
            other = chr(place).swapcase()
            found |= 1 << ord(other)
        if found & _FOLDED:
            found |= _WORDS
    return found


def _category(value: Any) -> int:
    plain = {C.CATEGORY_DIGIT: _DIGIT | _WORDS, C.CATEGORY_SPACE: _SPACE | _BLANKS, C.CATEGORY_WORD: _WORD | _WORDS}
    if value in plain:
        return plain[value]
    if value is C.CATEGORY_NOT_SPACE:
        return (_ALL & ~_SPACE) | _WORDS | _OTHERS
    if value is C.CATEGORY_NOT_WORD:
        return (_ALL & ~_WORD) | _BLANKS | _OTHERS
    return EVERYTHING if value is not C.CATEGORY_NOT_DIGIT else (_ALL & ~_DIGIT) | _BEYOND


def _inside(items: list[tuple[Any, Any]]) -> int:
    """Return characters that are surely in a class, of ASCII alone, case not folded; of blanks all."""
    found = 0
    for kind, value in items:
        if kind is C.LITERAL and value < 128:
            found |= 1 << value
        elif kind is C.RANGE:
            for place in range(value[0], min(value[1], 127) + 1):
                found |= 1 << place
        elif value is C.CATEGORY_DIGIT:
            found |= _DIGIT
        elif value is C.CATEGORY_SPACE:
            found |= _SPACE
        elif value is C.CATEGORY_WORD:
            found |= _WORD
    return found


def _without(inside: int) -> int:
    return (_ALL & ~inside) | _BEYOND
