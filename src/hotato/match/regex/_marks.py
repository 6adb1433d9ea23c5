"""Where a match ends and what its groups hold: of all ways to match from a place, the one that `re` would have taken.

All ways are followed at once, in the order in which `re` would have tried them, and of two that meet the first is kept.
It differs from `re` only where the body of a loop can match nothing, and then in the span alone, never in whether there
is a match.
"""

from __future__ import annotations

from hotato.match.regex._linear import Machine
from hotato.match.regex._program import ACCEPT, BACK, CHAR, SAVE, SPLIT, TEST, Condition

Marks = dict[int, int]
Way = tuple[int, Marks]


def marks(machine: Machine, text: str, start: int) -> Marks:
    """Return the marks of the match that begins at `start`; 1 is its end. There has to be one."""
    steps = machine.program.steps
    sets, holds = machine.sets(text), machine.holds(text)
    best: Marks = {}
    ways: list[Way] = [(machine.program.start, {})]
    for place in range(start, len(text) + 1):
        waiting, ended = _follow(machine, text, ways, place, holds[place])
        if ended is not None:
            best = {**ended, 1: place}
        if not waiting or place == len(text):
            break
        here = sets[place]
        ways = [(steps[one][2], kept) for one, kept in waiting if here >> steps[one][1] & 1]
    return best


def _follow(machine: Machine, text: str, ways: list[Way], place: int, holds: int) -> tuple[list[Way], Marks | None]:
    """Return the ways that wait for a character, best first, down to the one that ends here, and that one's marks."""
    steps = machine.program.steps
    seen: set[int] = set()
    waiting: list[Way] = []
    left = ways[::-1]
    while left:
        one, kept = left.pop()
        op, a, b = steps[one]
        if op == BACK:  # nothing was read since the loop was entered here: `re` goes on behind it
            left.append((b if a in seen else a, kept))
            continue
        if one in seen:
            continue
        seen.add(one)
        if op == CHAR:
            waiting.append((one, kept))
        elif op == SPLIT:
            left += ((b, kept), (a, kept))
        elif op == SAVE:
            left.append((b, {**kept, a: place}))
        elif op == TEST and holds >> a & 1:
            condition = machine.conditions[a]
            left.append((b, {**kept, **_within(condition, text, place)} if condition.marks else kept))
        elif op == ACCEPT:
            return waiting, kept
    return waiting, None


def _within(condition: Condition, text: str, place: int) -> Marks:
    """Return the marks of the groups in a lookaround that holds at a place."""
    machine = Machine(condition.tree, condition.flags, backwards=False)
    found = marks(machine, text, place - condition.width if condition.behind else place)
    return {mark: where for mark, where in found.items() if mark > 1}
