"""What is wrong with a pattern, in words, before anything runs: with the place in the text that its author wrote."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from hotato.match.regex._parse import CHARACTERS, ENDLESS, LOOKS, REPEATS, C, inner, parse
from hotato.match.text import fold_pattern

MAX_PATTERN = 10_000  # characters
MAX_PROGRAM = 20_000  # instructions: a text of 10,000 characters is still searched within the budget
MAX_NESTING = 100  # groups inside one another
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_NAMES = {"\x08": "a backspace", "\x07": "a bell", "\x1b": "an escape", "\x00": "a NUL"}
# a piece of a pattern: an escape, a class, a comment, what opens a group, or any other character
_PIECE = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?#[^)]*\)|\(\?P=|\(\?\(|\(\?>|[*+?]\+|\{\d*,?\d*\}\+?|.", re.DOTALL
)
_REFUSED: dict[Any, tuple[str, str, str]] = {
    C.GROUPREF: (
        "a back-reference", r"\\[1-9]|\(\?P=",
        "write out what may be repeated, or ask for it with two checks",
    ),
    C.GROUPREF_EXISTS: (
        "a condition on a group", r"\(\?\(",
        "write both cases as alternatives: (?:<a>|a)",
    ),
    C.ATOMIC_GROUP: (
        "an atomic group", r"\(\?>",
        "write (?:...); no regex here can take long by trying again",
    ),
    C.POSSESSIVE_REPEAT: (
        "a possessive repeat", r"(?:[*+?]|\{\d*,?\d*\})\+",
        "leave out the second +; no regex here can take long by trying again",
    ),
}  # fmt: skip


def regex_fault(source: str) -> str:
    """Return what is wrong with a pattern, in words, or an empty string. Places count characters from 1."""
    if len(source) > MAX_PATTERN:
        return f"a pattern of {len(source)} characters; at most {MAX_PATTERN} are read"
    control = _CONTROL.search(source)
    if control is not None:
        name = _NAMES.get(control.group(), f"U+{ord(control.group()):04X}")
        return f"holds {name} character; write regexes in single quotes, where a backslash stays a backslash"
    try:
        tree, _ = parse(fold_pattern(source), re.IGNORECASE)
    except (re.error, RecursionError, OverflowError) as error:
        said = getattr(error, "msg", None) or "nested too deep"
        return f"not a valid regex: {said}{_place(source, error)}"
    return _refusal(source, tree)


def _place(source: str, error: Exception) -> str:
    """Return where the author's own text is at fault: what was parsed is folded, and may be shorter."""
    try:
        parse(source, re.IGNORECASE)
    except (re.error, RecursionError, OverflowError) as own:
        error = own
        place = getattr(error, "pos", None)
    else:
        folded = getattr(error, "pos", None)
        place = None if folded is None else unfolded(source, folded)
    return "" if place is None else f" at character {place + 1}"


def unfolded(source: str, place: int) -> int:
    """Return where in a pattern the character stands that folding moved to `place`."""
    return bisect_right(range(len(source)), place, key=lambda end: len(fold_pattern(source[: end + 1])) - 1)


def _refusal(source: str, tree: Any) -> str:
    found = next(_foreign(tree, 0), None)
    if found is C.ANY:  # stands for too deep
        return f"groups and repeats inside one another, more than {MAX_NESTING} deep: use fewer"
    if found is not None:
        name, looks, hint = _REFUSED[found]
        at = next((m.start() for m in _PIECE.finditer(source) if re.match(looks, m.group())), None)
        where = "" if at is None else f" at character {at + 1}"
        return f"{name}{where}, which no search in linear time can follow; {hint}"
    size = program_size(tree)
    if size > MAX_PROGRAM:
        counted = f"{size} steps" if size <= 10**9 else "more than a billion steps"
        return f"its counts, written out, come to {counted}; at most {MAX_PROGRAM} are allowed: use smaller counts"
    return ""


def _foreign(tree: Any, depth: int) -> Iterator[Any]:
    """Yield the operations of a tree that are refused; ANY where it is nested too deep."""
    if depth > MAX_NESTING:
        yield C.ANY
        return
    for op, arg in tree:
        if op in _REFUSED:
            yield op
        for below, _ in inner(op, arg, 0):
            yield from _foreign(below, depth + 1)


def program_size(tree: Any) -> int:
    """Return how many instructions the linear search of a tree has, lookarounds included."""
    total = 0
    for op, arg in tree:
        if op in CHARACTERS or op is C.AT or op is C.FAILURE:
            total += 1
        elif op in REPEATS:
            least, most, body = arg
            size = program_size(body)
            if most is ENDLESS:
                total += size * max(least, 1) + 2
            else:
                total += size * most + (most - least)
        elif op is C.BRANCH:
            total += sum(program_size(branch) + 1 for branch in arg[1])
        elif op in LOOKS:
            total += program_size(arg[1]) + 2
        else:
            total += sum(program_size(below) for below, _ in inner(op, arg, 0)) + 2
    return total
