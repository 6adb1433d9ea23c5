r"""From a parse tree to a program: a handful of instructions, each naming the ones that may come next.

A program reads a text forwards, or backwards: then it meets the end of every match first. Whatever looks around itself
(`^`, `$`, `\b`, lookarounds) becomes a condition on a place, which a table of the text answers.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from hotato.match.regex._parse import CHARACTERS, ENDLESS, LOOKS, REPEATS, C, node_pattern, scoped

CHAR, SPLIT, TEST, SAVE, BACK, FAIL, ACCEPT = range(7)
# CHAR reads a character of the set a, then goes to b. SPLIT goes to a, or else to b. TEST goes on to b where condition a
# holds. SAVE notes the place as mark a and goes to b. BACK repeats at a or, where nothing was read since, goes on to b.
Step = tuple[int, int, int]


class Condition(msgspec.Struct, frozen=True, eq=False):
    """What has to hold at a place: a boundary that CPython knows, or a lookaround with a tree of its own."""

    pattern: re.Pattern[str] | None = None
    tree: Any = None
    flags: int = 0
    behind: bool = False
    negative: bool = False
    width: int = 0
    marks: bool = False


class Program(msgspec.Struct, frozen=True, eq=False):
    """`steps` from `start`; the character sets and the conditions that they name by number."""

    steps: list[Step]
    start: int
    sets: list[re.Pattern[str]]
    conditions: list[Condition]


def compiled(tree: Any, flags: int, *, backwards: bool) -> Program:
    """Return the program of a checked tree."""
    return _Builder(backwards).program(tree, flags)


class _Builder:
    def __init__(self, backwards: bool) -> None:
        self._backwards = backwards
        self._steps: list[Step] = []
        self._sets: list[re.Pattern[str]] = []
        self._conditions: list[Condition] = []
        self._numbers: dict[tuple[Any, ...], int] = {}

    def program(self, tree: Any, flags: int) -> Program:
        start = self._sequence(tree, flags, self._add(ACCEPT))
        return Program(self._steps, start, self._sets, self._conditions)

    def _add(self, op: int, a: int = 0, b: int = 0) -> int:
        self._steps.append((op, a, b))
        return len(self._steps) - 1

    def _sequence(self, tree: Any, flags: int, then: int) -> int:
        """Add what matches a sequence and goes on to `then`; return where it begins."""
        for op, arg in tree if self._backwards else reversed(list(tree)):
            then = self._node(op, arg, flags, then)
        return then

    def _node(self, op: Any, arg: Any, flags: int, then: int) -> int:
        if op in CHARACTERS:
            return self._add(CHAR, self._set(op, arg, flags), then)
        if op is C.AT or op in LOOKS:
            return self._add(TEST, self._condition(op, arg, flags), then)
        if op is C.SUBPATTERN:
            return self._group(arg, flags, then)
        if op is C.BRANCH:
            starts = [self._sequence(branch, flags, then) for branch in arg[1]]
            first = starts.pop()
            while starts:
                first = self._add(SPLIT, starts.pop(), first)
            return first
        if op in REPEATS:
            return self._repeat(arg, flags, then, lazy=op is C.MIN_REPEAT)
        if op is C.FAILURE:
            return self._add(FAIL)
        raise ValueError(f"{op} has no linear meaning")

    def _group(self, arg: Any, flags: int, then: int) -> int:
        number, add, remove, body = arg
        inside = scoped(flags, add, remove)
        if number is None or self._backwards:
            return self._sequence(body, inside, then)
        return self._add(SAVE, 2 * number, self._sequence(body, inside, self._add(SAVE, 2 * number + 1, then)))

    def _repeat(self, arg: Any, flags: int, then: int, *, lazy: bool) -> int:
        least, most, body = arg
        if most is ENDLESS:
            again = self._add(SPLIT)
            if least:
                start = self._sequence(body, flags, again)
                inner, least = start, least - 1
            else:
                start = again
                inner = self._sequence(body, flags, self._add(BACK, again, then))
            self._steps[again] = (SPLIT, then, inner) if lazy else (SPLIT, inner, then)
        else:
            start = then
            for _ in range(most - least):
                once = self._sequence(body, flags, start)
                start = self._add(SPLIT, then, once) if lazy else self._add(SPLIT, once, then)
        for _ in range(least):
            start = self._sequence(body, flags, start)
        return start

    def _set(self, op: Any, arg: Any, flags: int) -> int:
        key = (op, arg if op is not C.IN else tuple(arg), flags)
        if key not in self._numbers:
            self._numbers[key] = len(self._sets)
            self._sets.append(node_pattern((op, arg), flags))
        return self._numbers[key]

    def _condition(self, op: Any, arg: Any, flags: int) -> int:
        key = (op, arg if op is C.AT else id(arg), flags)
        if key not in self._numbers:
            self._numbers[key] = len(self._conditions)
            if op is C.AT:
                made = Condition(node_pattern((op, arg), flags))
            else:
                behind, body = arg[0] < 0, arg[1]
                made = Condition(
                    tree=body, flags=flags, behind=behind, negative=op is C.ASSERT_NOT, width=body.getwidth()[0],
                    marks=op is C.ASSERT and _marks(body),
                )  # fmt: skip
            self._conditions.append(made)
        return self._numbers[key]


def _marks(tree: Any) -> bool:
    return any(
        (op is C.SUBPATTERN and arg[0] is not None)
        or any(_marks(below) for below in (arg[3:] if op is C.SUBPATTERN else ()))
        or (op in REPEATS and _marks(arg[2]))
        or (op is C.BRANCH and any(map(_marks, arg[1])))
        or (op is C.ASSERT and _marks(arg[1]))
        for op, arg in tree
    )
