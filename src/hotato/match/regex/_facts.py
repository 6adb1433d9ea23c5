"""What is known of a pattern before it has seen a text: strings it needs, and whether it looks around itself."""

from __future__ import annotations

import re
from typing import Any

from hotato.match.regex._parse import CHARACTERS, REPEATS, C, inner

MOST_NEEDLES = 64


def facts(tree: Any, flags: int) -> tuple[tuple[str, ...], bool]:
    """Return `needles` (every match holds one of them, in lower case) and `local` (what is around a match is all one)."""
    plain = not flags & (re.MULTILINE | re.DOTALL | re.ASCII)
    return tuple(sorted({needle.lower() for needle in _needles(tree)})), plain and _is_local(tree)


def _needles(tree: Any) -> tuple[str, ...]:
    """Return strings of which every match holds at least one, the most telling set that the tree gives."""
    best: tuple[str, ...] = ()
    run = ""
    options: list[tuple[str, ...]] = []
    for op, arg in [*tree, (None, None)]:
        if op is C.LITERAL and arg < 128:
            run += chr(arg)
            continue
        if run:
            options.append((run,))
            run = ""
        if op is C.SUBPATTERN and not (arg[1] or arg[2]):
            options.append(_needles(arg[3]))
        elif op in REPEATS and arg[0] > 0:
            options.append(_needles(arg[2]))
        elif op is C.BRANCH:
            each = [_needles(branch) for branch in arg[1]]
            options.append(tuple(n for one in each for n in one) if all(each) else ())
    for option in options:
        if option and min(map(len, option)) > min(map(len, best), default=0) and len(option) <= MOST_NEEDLES:
            best = option
    return best


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
