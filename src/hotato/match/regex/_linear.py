"""A search that takes time in proportion to the text, whatever the pattern.

A program is run on all its ways at once: a state is the set of instructions that wait for a character. States are made
when first met, and kept; where there are more than 4000 of them, all are dropped and made again as they are met. What a
character is was told by CPython, once for each character. The work is bounded by the length of the text times the size of
the program, and a search whose bound is over the budget is refused before it begins: on every machine the same ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hotato.errors import Problem, UsageError
from hotato.match.regex._bound import WORK
from hotato.match.regex._faults import program_size
from hotato.match.regex._program import ACCEPT, BACK, CHAR, SAVE, SPLIT, TEST, Condition, Program, compiled

MOST_STATES = 4000
MOST_CHARACTERS = 20_000  # whose sets are remembered


class State:
    """The instructions that wait for a character, and where each character leads."""

    __slots__ = ("accepts", "leads", "waiting")

    def __init__(self, waiting: tuple[int, ...], accepts: bool) -> None:
        self.waiting = waiting
        self.accepts = accepts
        self.leads: dict[int, State] = {}


class _Sets(dict[str, int]):
    """The sets that a character is in, as bits, asked of CPython once."""

    def __init__(self, program: Program) -> None:
        self._tests: list[Callable[[str], Any]] = [one.match for one in program.sets]

    def __missing__(self, char: str) -> int:
        found = 0
        for number, test in enumerate(self._tests):
            if test(char) is not None:
                found |= 1 << number
        self[char] = found
        return found


class Machine:
    """A program, its states so far, and machines of its own for the lookarounds in it."""

    def __init__(self, tree: Any, flags: int, *, backwards: bool) -> None:
        self.program = compiled(tree, flags, backwards=backwards)
        self._backwards = backwards
        self._sets = _Sets(self.program)
        self._states: dict[tuple[tuple[int, ...], bool], State] = {}
        self.conditions = self.program.conditions
        self._shift = len(self.conditions)
        self._looks = [
            None if one.tree is None else Machine(one.tree, one.flags, backwards=not one.behind)
            for one in self.conditions
        ]

    def holds(self, text: str) -> list[int]:
        """Return for each place of the text, its end included, which conditions hold there, as bits."""
        found = [0] * (len(text) + 1)
        for number, (condition, look) in enumerate(zip(self.conditions, self._looks, strict=True)):
            bit = 1 << number
            if condition.pattern is not None:
                for match in condition.pattern.finditer(text):
                    found[match.start()] |= bit
            elif look is not None:
                for place, there in enumerate(look.table(text)):
                    if there != condition.negative:
                        found[place] |= bit
        return found

    def sets(self, text: str) -> list[int]:
        """Return for each character of the text in which sets it is, as bits."""
        if len(self._sets) > MOST_CHARACTERS:
            self._sets.clear()
        kept = self._sets
        return [kept[char] for char in text]

    def _read(self, text: str) -> tuple[list[int], int]:
        """Return what each character of the text, in the order of reading, asks of a state, and the first conditions."""
        sets = self.sets(text)
        if not self._shift:
            return (sets[::-1] if self._backwards else sets), 0
        holds, shift = self.holds(text), self._shift
        if self._backwards:
            sets.reverse()
            holds.reverse()
        return [(one << shift) | there for one, there in zip(sets, holds[1:], strict=True)], holds[0]

    def table(self, text: str) -> bytearray:
        """Return for each place whether a match ends there or, of a program that reads backwards, begins there."""
        asked, first = self._read(text)
        state = self._begin(first)
        out = bytearray(len(text) + 1)
        out[0] = state.accepts
        for place, one in enumerate(asked, 1):
            state = state.leads.get(one) or self._lead(state, one)
            if state.accepts:
                out[place] = 1
        if self._backwards:
            out.reverse()
        return out

    def found(self, text: str, place: int) -> bool:
        """Say whether there is a match that begins at `place` or after it. Only for a program that reads forwards."""
        asked, first = self._read(text)
        if place:
            first = asked[place - 1] & ((1 << self._shift) - 1)
            asked = asked[place:]
        state = self._begin(first)
        if state.accepts:
            return True
        for one in asked:
            state = state.leads.get(one) or self._lead(state, one)
            if state.accepts:
                return True
        return False

    def _begin(self, holds: int) -> State:
        return self._state([self.program.start], holds)

    def _lead(self, state: State, asked: int) -> State:
        """Return the state after a character, the start of a further match among it, and remember it."""
        steps, sets = self.program.steps, asked >> self._shift
        reached = [steps[one][2] for one in state.waiting if sets >> steps[one][1] & 1]
        reached.append(self.program.start)
        found = self._state(reached, asked & ((1 << self._shift) - 1))
        state.leads[asked] = found
        return found

    def _state(self, reached: list[int], holds: int) -> State:
        steps = self.program.steps
        seen: set[int] = set()
        waiting: list[int] = []
        accepts = False
        while reached:
            one = reached.pop()
            if one in seen:
                continue
            seen.add(one)
            op, a, b = steps[one]
            if op == CHAR:
                waiting.append(one)
            elif op in (SPLIT, BACK):
                reached += (a, b)
            elif op == SAVE or (op == TEST and holds >> a & 1):
                reached.append(b)
            elif op == ACCEPT:
                accepts = True
        key = (tuple(sorted(waiting)), accepts)
        found = self._states.get(key)
        if found is None:
            if len(self._states) >= MOST_STATES:
                self._drop()
            found = self._states[key] = State(*key)
        return found

    def _drop(self) -> None:
        for state in self._states.values():
            state.leads = {}
        self._states = {}


class Linear:
    """A pattern as it is searched in linear time. Machines are made when first needed."""

    def __init__(self, tree: Any, flags: int, source: str) -> None:
        self.tree = tree
        self.flags = flags
        self.names: dict[str, int] = dict(tree.state.groupdict)
        self._source = source
        self._size = program_size(tree) + 1
        self._forwards: Machine | None = None
        self._backwards: Machine | None = None

    @property
    def forwards(self) -> Machine:
        """Return the machine that tells whether there is a match."""
        if self._forwards is None:
            self._forwards = Machine(self.tree, self.flags, backwards=False)
        return self._forwards

    @property
    def backwards(self) -> Machine:
        """Return the machine that tells where matches begin."""
        if self._backwards is None:
            self._backwards = Machine(self.tree, self.flags, backwards=True)
        return self._backwards

    def search(self, text: str, place: int = 0) -> Found | None:
        """Return the first match that begins at `place` or after it. Raise UsageError where the budget is too small."""
        steps = (len(text) + 1) * self._size
        if steps > WORK:
            shown = self._source if len(self._source) <= 40 else self._source[:39] + "\u2026"
            said = (
                f"the regex '{shown}' takes up to {steps} steps on a text of {len(text)} characters; at most {WORK} are "
                "allowed: use smaller counts, or cut the text"
            )
            raise UsageError(Problem(code="regex_cost", message=said, file="hotato"))
        if place > len(text) or not self.forwards.found(text, place):
            return None
        return Found(self, text, place)


class Found:
    """A match, as far as callers of `re.Match` ask here; where it begins and ends is found out when asked for."""

    def __init__(self, linear: Linear, text: str, place: int) -> None:
        self._linear = linear
        self._text = text
        self._place = place
        self._start: int | None = None
        self._marks: dict[int, int] | None = None

    def start(self) -> int:
        """Return where it begins."""
        if self._start is None:
            self._start = self._linear.backwards.table(self._text).find(1, self._place)
        return self._start

    def end(self) -> int:
        """Return where it ends."""
        return self._all()[1]

    def group(self, group: int | str = 0) -> str | None:
        """Return what a group holds, or the whole; None for a group that took no part."""
        start, end = self.span(group)
        return None if start < 0 else self._text[start:end]

    def span(self, group: int | str = 0) -> tuple[int, int]:
        """Return where a group begins and ends, or the whole; -1 and -1 for a group that took no part."""
        number = self._linear.names[group] if isinstance(group, str) else group
        marks = self._all()
        return (marks[2 * number], marks[2 * number + 1]) if 2 * number + 1 in marks else (-1, -1)

    def _all(self) -> dict[int, int]:
        if self._marks is None:
            from hotato.match.regex._marks import marks

            machine, start = self._linear.forwards, self.start()
            self._marks = {0: start, **marks(machine, self._text, start)}
        return self._marks


__all__ = ["Condition", "Found", "Linear", "Machine"]
