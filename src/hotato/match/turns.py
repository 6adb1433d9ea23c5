"""The transcript as checks read it: in the order of time, by role, utterance by utterance.

A turn is what the source wrote as one record. An utterance is what one party said without another speaking in between:
speech-to-text cuts it into several turns wherever there was a pause. A pattern is looked for in each utterance as a
whole, so that a phrase may run across such a cut, and in each turn of it, so that `^` and `$` hold at the cuts as well;
a match is evidence at the turn in which it starts. With joining off, every turn is an utterance of its own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from hotato.match.order import in_order
from hotato.match.regex import Pattern
from hotato.model.call import Turn

_OUTSIDE_ASCII = "\u017f\u0131"  # equal to s and i when case is ignored, but not lowered to them


class Lane:
    """The utterances of one role, or of all, laid end to end so that one search can read them all."""

    def __init__(self, utterances: list[list[Turn]]) -> None:
        self.utterances = utterances
        self.text = "\n".join(" ".join(t.text for t in u) for u in utterances)
        self._turns = [turn for utterance in utterances for turn in utterance]
        self._starts: list[int] = []
        place = 0
        for turn in self._turns:
            self._starts.append(place)
            place += len(turn.text) + 1
        self._lowered: str | None = None
        self._found: dict[Pattern, Turn | None] = {}

    def __len__(self) -> int:
        """Return how many turns there are."""
        return len(self._turns)

    def place(self, turn: Turn) -> int:
        """Return where a turn of the lane stands in the order of time."""
        return self._turns.index(turn)

    def first(self, pattern: Pattern) -> Turn | None:
        """Return the turn in which the first match of the lane starts."""
        if pattern not in self._found:
            self._found[pattern] = self._first(pattern)
        return self._found[pattern]

    def _first(self, pattern: Pattern) -> Turn | None:
        if not self._turns or (pattern.needles and self._lacks(pattern)):
            return None
        if not pattern.local:
            return next(self._each(pattern), None)
        match = pattern.search(self.text)
        if match is None:
            return None
        if "\n" in match.group():  # it runs over a change of speaker: look at each utterance by itself
            return next(self._each(pattern), None)
        return self._turns[bisect_right(self._starts, match.start()) - 1]

    def _lacks(self, pattern: Pattern) -> bool:
        if not pattern.ignores_case:
            return False
        if self._lowered is None:
            self._lowered = self.text.lower()
        lowered = self._lowered
        if not lowered.isascii() and any(c in lowered for c in _OUTSIDE_ASCII):
            return False
        return not any(needle in lowered for needle in pattern.needles)

    def count(self, pattern: Pattern) -> int:
        """Return how many turns match; an utterance that matches only across its cuts counts once."""
        if not self._turns or (pattern.needles and self._lacks(pattern)):
            return 0
        return sum(1 for _ in self._each(pattern))

    def _each(self, pattern: Pattern) -> Iterator[Turn]:
        for utterance in self.utterances:
            alone = [turn for turn in utterance if pattern.search(turn.text) is not None]
            across = None
            if len(utterance) > 1 and (not alone or alone[0] is not utterance[0]):
                across = _across(utterance, pattern)
            if across is not None and (not alone or across.index != alone[0].index):
                first = not alone or utterance.index(across) < utterance.index(alone[0])
                if first:
                    yield across
            yield from alone


def _across(utterance: list[Turn], pattern: Pattern) -> Turn | None:
    match = pattern.search(" ".join(t.text for t in utterance))
    if match is None:
        return None
    place = 0
    for turn in utterance:
        place += len(turn.text) + 1
        if match.start() < place:
            return turn
    return utterance[-1]


class Transcript:
    """The turns of one call, indexed by role. `join` reads consecutive turns of one role as one utterance."""

    def __init__(self, turns: Sequence[Turn], join: bool) -> None:
        self.turns = in_order(turns)
        self._join = join
        self._lanes: dict[str | None, Lane] = {}
        self._utterances: list[list[Turn]] | None = None

    def lane(self, role: str | None) -> Lane:
        """Return the lane of one role (already folded), or of everybody for None."""
        if role not in self._lanes:
            self._lanes[role] = Lane([u for u in self.utterances if role is None or u[0].role == role])
        return self._lanes[role]

    @property
    def utterances(self) -> list[list[Turn]]:
        """Return the utterances in order of time."""
        if self._utterances is None:
            out: list[list[Turn]] = []
            for turn in self.turns:
                if self._join and out and out[-1][0].role == turn.role:
                    out[-1].append(turn)
                else:
                    out.append([turn])
            self._utterances = out
        return self._utterances

    def edge(self, role: str | None, last: bool) -> Lane:
        """Return the lane that holds only the first or the last utterance of a role."""
        utterances = self.lane(role).utterances
        return Lane(utterances[-1:] if last else utterances[:1])
