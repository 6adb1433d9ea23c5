"""What is known of a pattern before it has seen a text: strings it needs, and whether it looks around itself."""

from __future__ import annotations

import re
from typing import Any

from hotato.match.regex._parse import CHARACTERS, REPEATS, C, inner

MOST_NEEDLES = 64
MOST_RUNS = 8
MOST_LETTERS = 4


def facts(tree: Any, flags: int) -> tuple[tuple[str, ...], bool]:
    """Return `needles` (every match holds one of them, in lower case) and `local` (what is around a match is all one)."""
    plain = not flags & (re.MULTILINE | re.DOTALL | re.ASCII)
    return tuple(sorted({needle.lower() for needle in _needles(tree)})), plain and _is_local(tree)


def _needles(tree: Any) -> tuple[str, ...]:
    """Return strings of which every match holds at least one, the most telling set that the tree gives."""
    best: tuple[str, ...] = ()
    runs: list[str] = [""]  # what a match holds here, one of them
    options: list[tuple[str, ...]] = []
    for op, arg in [*tree, (None, None)]:
        each = _letters(op, arg)
        if each and len(runs) * len(each) <= MOST_RUNS:
            runs = [run + letter for run in runs for letter in each]
            if op not in REPEATS:
                continue
        if runs != [""]:
            options.append(tuple(runs))
            runs = [""]
        if each and op not in REPEATS:
            runs = list(each)
        elif op is C.SUBPATTERN and not (arg[1] or arg[2]):
            options.append(_needles(arg[3]))
        elif op in REPEATS and arg[0] > 0:
            options.append(_needles(arg[2]))
        elif op is C.BRANCH:
            found = [_needles(branch) for branch in arg[1]]
            options.append(tuple(n for one in found for n in one) if all(found) else ())
    for option in options:
        if option and min(map(len, option)) > min(map(len, best), default=0) and len(option) <= MOST_NEEDLES:
            best = option
    return best


def _letters(op: Any, arg: Any) -> tuple[str, ...]:
    """Return the few ASCII characters of which the next must be one; nothing where there are more, or it is not known."""
    if op is C.LITERAL:
        return (chr(arg),) if arg < 128 else ()
    if op is C.IN and len(arg) <= MOST_LETTERS:
        is_plain = all(kind is C.LITERAL and code < 128 for kind, code in arg)
        return tuple(chr(code) for _, code in arg) if is_plain else ()
    if op in REPEATS and arg[0] > 0 and len(arg[2]) == 1:  # at least the first
        return _letters(*arg[2][0])
    return ()


def _is_local(tree: Any) -> bool:
    """Say whether the tree holds nothing that looks at what is around it, but for word boundaries."""
    for op, arg in tree:
        if op in CHARACTERS or (op is C.AT and arg is C.AT_BOUNDARY):
            continue
        if not (op in REPEATS or op is C.BRANCH or (op is C.SUBPATTERN and not (arg[1] or arg[2]))):
            return False
        if not all(_is_local(below) for below, _ in inner(op, arg, 0)):
            return False
    return True
