"""How many steps `re` can take over a text of n characters, at most, read from the tree.

`re` tries a pattern at each place and there one way after the other. The number of ways, and the steps on them, are
bounded by `factor * (n + 1) ** degree`; a repeat of what can itself be matched in several ways has no such bound. A
degree of 0 means that the work at each place does not grow with the text, so that the whole search takes linear time.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import msgspec

from hotato.match.regex._faults import program_size
from hotato.match.regex._parse import CHARACTERS, ENDLESS, LOOKS, REPEATS, C, inner, scoped
from hotato.match.regex._sets import EVERYTHING, characters

BUDGET = 2_000_000  # steps of `re`, some 10 to 20 ms; what may take more is searched in linear time
WORK = 200_000_000  # characters times instructions of the linear search; what may take more is refused
PACE = 16  # steps of `re`, written in C, for one of ours, at least
MOST_FACTOR = 1_000_000
MOST_DEGREE = 6
MOST_LOOKED_AT = 64  # nodes, to see what can come next
MANY = 1000  # a count from which a repeat is taken as endless: that bound is the lower one for a usual text
NEVER = -1
ALWAYS = 1 << 62


class Bound(msgspec.Struct, frozen=True):
    """`factor * (n + 1) ** degree`."""

    factor: int
    degree: int = 0

    def plus(self, other: Bound) -> Bound:
        """Return a bound of the sum."""
        return Bound(self.factor + other.factor, max(self.degree, other.degree))

    def times(self, other: Bound) -> Bound:
        """Return the product. Raise UnboundedError where it is too large to be of use."""
        found = Bound(self.factor * other.factor, self.degree + other.degree)
        if found.factor > MOST_FACTOR or found.degree > MOST_DEGREE:
            raise UnboundedError
        return found


class UnboundedError(Exception):
    """No bound is known, or none that is of use."""


ONE = Bound(1)
Work = tuple[Bound, Bound]  # in how many ways a part can match from one place; the steps to try them all


def degree(tree: Any, flags: int) -> int | None:
    """Return with what power of the text's length the steps at one place grow; None where there is no bound."""
    try:
        return _sequence(tree, flags)[1].degree
    except UnboundedError:
        return None


def longest(tree: Any, flags: int) -> int:
    """Return the length of the longest text that `re` may search: its steps are within the budget. -1: none."""
    if _has_scoped_type(tree):  # on which CPython's search contradicts its match
        return NEVER
    try:
        steps = _sequence(tree, flags)[1]
    except UnboundedError:
        return NEVER
    power = steps.degree + 1
    if tree and tuple(tree[0]) in ((C.AT, C.AT_BEGINNING_STRING), (C.AT, C.AT_BEGINNING)) and not flags & re.MULTILINE:
        power, steps = max(steps.degree, 1), steps.plus(ONE)  # every place but the first fails at once
    as_linear = not steps.degree and steps.factor <= PACE * program_size(tree)
    budget = WORK if as_linear else BUDGET  # where `re` is linear in the text as well, ours would only be slower
    fits = int((budget / steps.factor) ** (1 / power))
    while fits and steps.factor * fits**power > budget:
        fits -= 1
    return fits - 1


def _has_scoped_type(tree: Any) -> bool:
    for op, arg in tree:
        if op is C.SUBPATTERN and arg[1] & (re.ASCII | re.UNICODE):
            return True
        if any(_has_scoped_type(below) for below, _ in inner(op, arg, 0)):
            return True
    return False


def _sequence(tree: Any, flags: int) -> Work:
    ways, steps, plain = ONE, ONE, 0
    nodes = list(tree)
    for place, (op, arg) in enumerate(nodes):
        if op in CHARACTERS or op is C.AT or op is C.FAILURE:
            plain += 1
            continue
        if op in REPEATS:
            more, taken = _repeat(arg, nodes[place + 1 :], flags)
        elif op is C.SUBPATTERN:
            more, taken = _sequence(arg[3], scoped(flags, arg[1], arg[2]))
        elif op is C.BRANCH:
            more, taken = _branch(arg[1], flags)
        elif op in LOOKS:
            more, taken = ONE, _sequence(arg[1], flags)[1]
        else:
            raise UnboundedError
        steps = steps.plus(ways.times(taken.plus(Bound(plain + 1))))
        ways, plain = ways.times(more), 0
    return ways, steps.plus(ways.times(Bound(plain))) if plain else steps


def _branch(branches: Any, flags: int) -> Work:
    works = [_sequence(branch, flags) for branch in branches]
    ways, steps = works[0]
    for more, taken in works[1:]:
        ways, steps = ways.plus(more), steps.plus(taken)
    if _begin_apart(branches):
        ways = Bound(max(more.factor for more, _ in works), ways.degree)
    return ways, steps.plus(ONE)


def _begin_apart(branches: Any) -> bool:
    """Say whether at most one of the branches can match from any place: they begin with words that exclude each other."""
    words = sorted(map(_word, branches))
    return not any(after.startswith(word) for word, after in pairwise(words))


def _word(branch: Any) -> str:
    """Return the ASCII characters that a branch begins with, in lower case: no two of those are equal to one letter."""
    found = ""
    for op, arg in branch:
        if op is not C.LITERAL or arg > 127:
            break
        found += chr(arg)
    return found.lower()


def _repeat(arg: Any, following: list[Any], flags: int) -> Work:
    least, most, body = arg
    endless = most is ENDLESS or most > MANY
    if len(body) == 1 and body[0][0] in CHARACTERS:
        ways = ONE
        all_ways, steps = (Bound(1, 1), Bound(2, 1)) if endless else (Bound(most - least + 1), Bound(2 * most + 1))
    else:
        ways, once = _sequence(body, flags)
        each = once.plus(ONE)
        if ways == ONE:
            all_ways = Bound(min(least, MANY) + 2, 1) if endless else Bound(most - least + 1)
            steps = each.times(all_ways if endless else Bound(most + 1)).plus(ONE)
        elif endless:
            raise UnboundedError
        else:
            all_ways, last = ONE, ONE
            for _ in range(most):
                last = last.times(ways)
                all_ways = all_ways.plus(last)
            steps = each.times(all_ways)
    leaving = _leaving(body, following, flags) if ways == ONE != all_ways else 0
    if leaving:
        return ONE, steps.plus(all_ways.times(Bound(leaving)))  # in all ways but one what follows fails at once
    return all_ways, steps


def _leaving(body: Any, following: list[Any], flags: int) -> int:
    """Return the steps to see that a repeat cannot be left here; 0 where it can perhaps be left at several places.

    Where each round begins with a character that what follows cannot begin with, it can only be left after the last round.
    """
    inside, empty, _ = _first(body, flags)
    if empty:
        return 0
    behind, nothing, steps = _first(following, flags)
    return 0 if nothing or inside & behind else steps + 1


def _first(nodes: Any, flags: int) -> tuple[int, bool, int]:
    """Return what a match can begin with, whether it can be empty, and the most steps to see that it does not begin."""
    found, steps = 0, 0
    for op, arg in nodes:
        steps += 1
        if steps > MOST_LOOKED_AT:
            break
        if op is C.AT:
            continue
        if op in CHARACTERS and not flags & re.ASCII:
            return found | characters(op, arg, flags), False, steps
        if (op not in REPEATS and op is not C.SUBPATTERN and op is not C.BRANCH) or flags & re.ASCII:
            break
        parts = [_first(below, within) for below, within in inner(op, arg, flags)]
        empty = any(one for _, one, _ in parts) or (op in REPEATS and arg[0] == 0)
        for part, _, taken in parts:
            found, steps = found | part, steps + taken
        if not empty:
            return found, False, steps
    return EVERYTHING, True, steps
