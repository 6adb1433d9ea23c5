"""What is known of a pattern before it has seen a text: strings it needs or is, and whether it looks around itself."""

from __future__ import annotations

import re
from typing import Any

from hotato.match.regex._parse import CHARACTERS, REPEATS, C, inner, scoped
from hotato.match.regex._sets import characters

MOST_NEEDLES = 64
MOST_RUNS = 8
MOST_LETTERS = 4
MOST_WORDS = 16


def facts(tree: Any, flags: int) -> tuple[tuple[str, ...], bool]:
    """Return `needles` (every match holds one of them, in lower case) and `local` (what is around a match is all one)."""
    plain = not flags & (re.MULTILINE | re.DOTALL | re.ASCII)
    return tuple(sorted({needle.lower() for needle in _needles(tree)})), plain and _is_local(tree)


def words(tree: Any, flags: int) -> tuple[str, ...]:
    """Return the strings that a pattern is, where it is a choice of a few strings of ASCII and no more; else nothing.

    A match begins in a text of ASCII where one of them does: in lower case in the lowered text where case is ignored. Of two of
    which one begins with the other the shorter is enough.
    """
    found = _words(tree)
    if found is None or "" in found or any("\n" in word for word in found):
        return ()
    if flags & re.IGNORECASE:
        found = {word.lower() for word in found}
    return tuple(sorted(w for w in found if not any(w != other and w.startswith(other) for other in found)))


def _words(tree: Any) -> set[str] | None:
    """Return all strings that a tree matches, None where it has other parts or they are more than a few."""
    made = {""}
    for op, arg in tree:
        each: set[str] | None = None
        if op is C.BRANCH:
            every = [_words(branch) for branch in arg[1]]
            each = None if None in every else set().union(*every)  # type: ignore[arg-type]  # None is none of them
        elif op is C.SUBPATTERN and not (arg[1] or arg[2]):
            each = _words(arg[3])
        elif op in REPEATS and arg[1] == 1 and (each := _words(arg[2])) is not None:
            each = each if arg[0] else each | {""}
        elif op not in REPEATS:
            each = set(_letters(op, arg)) or None
        if each is None or len(made) * len(each) > MOST_WORDS:
            return None
        made = {word + more for word in made for more in each}
    return made


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


def can_match(tree: Any, flags: int) -> bool:
    """Say whether some text may match: false where the tree asks for more before a text's beginning or after its end."""
    consumed = ended = False
    for op, arg in tree:
        takes = type(tree)(tree.state, [(op, arg)]).getwidth()[0] > 0
        if ended and takes and not _may_be_newline(op, arg, flags):
            return False
        if op is C.AT and not flags & re.MULTILINE:
            if arg in (C.AT_BEGINNING, C.AT_BEGINNING_STRING) and consumed:
                return False
            ended = ended or arg in (C.AT_END, C.AT_END_STRING)
        if not _node_can(op, arg, flags):
            return False
        consumed = consumed or takes
    return True


def _node_can(op: Any, arg: Any, flags: int) -> bool:
    if op is C.FAILURE or (op is C.ASSERT_NOT and not len(arg[1])):
        return False
    if op is C.BRANCH:
        return any(can_match(branch, flags) for branch in arg[1])
    if op in REPEATS:
        return arg[0] == 0 or can_match(arg[2], flags)
    if op is C.SUBPATTERN:
        return can_match(arg[3], scoped(flags, arg[1], arg[2]))
    return True


def _may_be_newline(op: Any, arg: Any, flags: int) -> bool:
    """Say whether what follows `$` can be the newline at the end of a text; of what is no one character, it may."""
    return op not in CHARACTERS or bool(characters(op, arg, flags) & (1 << 10))
