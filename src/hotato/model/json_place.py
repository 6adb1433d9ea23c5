"""Where in a JSON text a rule beyond its grammar is broken. A slow scan, made only when that is to be reported."""

from __future__ import annotations

import json
import re

_TOKEN = re.compile(
    r'[\s,]*(?:([{}\[\]])|("[^"\\]*(?:\\.[^"\\]*)*")\s*(:?)|(-?[0-9][0-9.eE+-]*|-?[A-Za-z]+))', re.DOTALL
)
_NO_NUMBERS = ("NaN", "Infinity", "-Infinity")
_MOST_DIGITS = 4300  # CPython's own bound on the text of an integer


def place_of(text: str, code: str, depth: int) -> tuple[int, int]:
    """Return line and column, from 1, of what a decoder refused by `code`; (0, 0) where the scan does not find it.

    `code` is `json_depth`, `json_number` or `json_duplicate_key`, `depth` the deepest nesting allowed.
    """
    at = _offset(text, code, depth)
    return (0, 0) if at < 0 else (text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))


def _offset(text: str, code: str, depth: int) -> int:
    open_: list[set[str]] = []
    place = 0
    while (token := _TOKEN.match(text, place)) is not None:
        place = token.end()
        bracket, word, colon, number = token.groups()
        if bracket in ("{", "["):
            if code == "json_depth" and len(open_) == depth:
                return token.start(1)
            open_.append(set())
        elif bracket:
            if not open_:
                return -1
            open_.pop()
        elif colon and code == "json_duplicate_key" and open_:
            key = json.loads(word, strict=False) if "\\" in word else word[1:-1]
            if key in open_[-1]:
                return token.start(2)
            open_[-1].add(key)
        elif number and code == "json_number" and _is_refused(number):
            return token.start(4)
    return -1


def _is_refused(word: str) -> bool:
    """Say whether a word that stands for a number is too large, or is none."""
    if word[-1].isalpha():
        return word in _NO_NUMBERS
    if word.lstrip("-").isdigit():
        return len(word.lstrip("-")) > _MOST_DIGITS
    try:
        return float(word) in (float("inf"), float("-inf"))
    except ValueError:
        return False
