"""A text that a pattern matches: what has to be said for a check that forbids it to fail."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

from hotato.match.regex import compile_pattern
from hotato.match.regex._parse import CHARACTERS, LOOKS, REPEATS, C, inner, node_pattern, parse, scoped
from hotato.match.text import fold_pattern

_TRIED = ("a", "x", "1", " ", "e", "A", "-", "_", ".", ",", "$", "'", "@", "/", ":", "\n", "\u00e9", "\u4e00")
_MOST = 500  # characters
_WAYS = tuple(product((0, 1, 2), (0, 1), (" ", "a ", "")))  # which alternative, repeats beyond what is needed, around


def example(source: str, *, case_sensitive: bool = False) -> str | None:
    """Return a text in which a pattern matches, None where none was found. The same pattern gives the same text."""
    pattern = compile_pattern(source, case_sensitive=case_sensitive)
    flags = 0 if case_sensitive else re.IGNORECASE
    try:
        tree, compiled = parse(fold_pattern(source), flags)
    except (re.error, RecursionError, OverflowError):
        return None
    for branch, extra, around in _WAYS:
        made = _written(tree, compiled.flags, branch, extra)
        for text in () if made is None else (made, f"{around}{made}{around}"):
            if text.strip() and len(text) <= _MOST and pattern.search(text) is not None:
                return text
    return None


def _written(tree: Any, flags: int, branch: int, extra: int) -> str | None:
    """Return the text of one way through a tree; what looks around is left to the search that follows."""
    out = ""
    for op, arg in tree:
        part: str | None = ""
        if op in CHARACTERS:
            part = _character((op, arg), flags)
        elif op in REPEATS:
            least, most, body = arg
            times = min(least + extra, most) if most is not C.MAXREPEAT else least + extra
            once = _written(body, flags, branch, extra) if times else ""
            part = None if once is None else once * min(times, _MOST)
        elif op is C.BRANCH:
            part = _written(arg[1][min(branch, len(arg[1]) - 1)], flags, branch, extra)
        elif op is C.SUBPATTERN:
            part = _written(arg[3], scoped(flags, arg[1], arg[2]), branch, extra)
        elif op in LOOKS:
            is_ahead, is_wanted = arg[0] > 0, op is C.ASSERT
            part = _written(arg[1], flags, branch, extra) if is_wanted and (extra or not is_ahead) else ""
        elif op is not C.AT:
            below = next(inner(op, arg, flags), None)
            part = None if below is None else _written(*below, branch, extra)
        if part is None or len(out) + len(part) > _MOST:
            return None
        out += part
    return out


def _character(node: tuple[Any, Any], flags: int) -> str | None:
    if node[0] is C.LITERAL:
        return chr(node[1])
    found = node_pattern(node, flags)
    if node[0] is C.IN:
        named = [chr(arg if op is C.LITERAL else arg[0]) for op, arg in node[1] if op in (C.LITERAL, C.RANGE)]
    else:
        named = []
    return next((one for one in (*named, *_TRIED) if found.match(one)), None)
