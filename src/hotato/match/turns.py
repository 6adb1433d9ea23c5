"""The transcript as checks read it: in the order of time, by role, utterance by utterance.

A turn is what the source wrote as one record. An utterance is what one party said without another speaking in between:
speech-to-text cuts it into several turns wherever there was a pause. A pattern is looked for in each utterance as a
whole, so that a phrase may run across such a cut, and in each turn of it, so that `^` and `$` hold at the cuts as well;
a match is evidence at the turn in which it starts. With joining off, every turn is an utterance of its own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from hotato.match.order import in_order
from hotato.match.regex import Pattern, is_even
from hotato.model.call import Turn


class Lane:
    """The utterances of one role, or of all, laid end to end so that one search can read them all.

    A `plain` lane is searched utterance by utterance, without any shortcut: what it finds is what every lane finds.
    """

    def __init__(self, utterances: list[list[Turn]], plain: bool = False) -> None:
        self.utterances = utterances
        self._plain = plain
        self._turns = [turn for utterance in utterances for turn in utterance]
        self._text: str | None = None
        self._begins: list[int] | None = None
        self._lowered: str | None = None
        self._bounds: list[int] | None = None
        self._found: dict[Pattern, Turn | None] = {}
        self._every: dict[Pattern, list[Turn]] = {}

    def __len__(self) -> int:
        """Return how many turns there are."""
        return len(self._turns)

    @property
    def text(self) -> str:
        """Return the whole lane: a blank between the turns of an utterance, a line end between utterances."""
        if self._text is None:
            self._text = "\n".join([u[0].text if len(u) == 1 else _joined(u) for u in self.utterances])
        return self._text

    def place(self, turn: Turn) -> int:
        """Return where a turn of the lane stands in the order of time."""
        return self._turns.index(turn)

    def first(self, pattern: Pattern) -> Turn | None:
        """Return the first turn in which a match starts."""
        if pattern not in self._found:
            text = self._telling(pattern)
            if text:
                places = [place for word in pattern.words if (place := text.find(word)) >= 0]
                self._found[pattern] = self._turns[self._at(min(places))] if places else None
            else:
                self._found[pattern] = next(self._matching(pattern), None)
        return self._found[pattern]

    def count(self, pattern: Pattern) -> int:
        """Return in how many turns a match starts."""
        return len(self.matching(pattern))

    def matching(self, pattern: Pattern) -> list[Turn]:
        """Return the turns in which a match starts, in the order of time."""
        if pattern not in self._every:
            text, turns = self._telling(pattern), self._turns
            if text:
                self._every[pattern] = [turns[number] for number in _numbers(text, self._starts(), pattern.words)]
            else:
                self._every[pattern] = list(self._matching(pattern))
        return self._every[pattern]

    def _telling(self, pattern: Pattern) -> str:
        """Return the text in which a match begins where a word of the pattern does; empty where that takes a search."""
        if not pattern.words or self._plain or not self.text.isascii():
            return ""
        return self._lower() if pattern.folds else self.text

    def _matching(self, pattern: Pattern) -> Iterator[Turn]:
        if not self._turns:
            return
        if pattern.needles and not self._plain:
            for number in self._holding(pattern.needles):
                utterance = self.utterances[number]
                if len(utterance) > 1:
                    yield from _in_utterance(utterance, pattern)
                elif pattern.search(utterance[0].text) is not None:
                    yield utterance[0]
            return
        if self._plain or not pattern.local or len(self.text) > pattern.safe:  # piece by piece `re` is safe more often
            for utterance in self.utterances:
                yield from _in_utterance(utterance, pattern)
            return
        yield from self._in_all(pattern)

    def _in_all(self, pattern: Pattern) -> Iterator[Turn]:
        """Yield the turns in which a match starts, by searches of the whole lane."""
        place, text, starts = 0, self.text, self._starts()
        while place <= len(text):
            match = pattern.search(text, place)
            if match is None:
                return
            number = self._at(match.start())
            if "\n" in match.group(0):  # it runs over a change of speaker: look at what is left piece by piece
                yield from self._after(number, pattern)
                return
            yield self._turns[number]
            place = starts[number + 1]

    def _after(self, number: int, pattern: Pattern) -> Iterator[Turn]:
        left = {id(turn) for turn in self._turns[number:]}
        for utterance in self.utterances:
            if id(utterance[-1]) in left:
                yield from (turn for turn in _in_utterance(utterance, pattern) if id(turn) in left)

    def _starts(self) -> list[int]:
        """Return where each turn begins in the text, and last where one after them would."""
        if self._begins is None:
            self._begins = [*accumulate([len(turn.text) + 1 for turn in self._turns], initial=0)]
        return self._begins

    def _at(self, place: int) -> int:
        """Return the number of the turn in which a place of the text lies."""
        return bisect_right(self._starts(), place) - 1

    def _lower(self) -> str:
        """Return the text in lower case; empty where that does not tell by ASCII letters where needles are."""
        if self._lowered is None:
            lowered = self.text.lower()
            self._lowered = lowered if is_even(lowered) else ""
        return self._lowered

    def _holding(self, needles: tuple[str, ...]) -> Iterable[int]:
        """Yield the numbers of the utterances that hold a needle, in order; only in them a match can be."""
        lowered = self._lower()
        if not lowered:
            return range(len(self.utterances))
        if self._bounds is None:
            if len(self.utterances) == len(self._turns):
                self._bounds = self._starts()
            else:
                self._bounds = [*accumulate([len(_joined(one)) + 1 for one in self.utterances], initial=0)]
        return _numbers(lowered, self._bounds, needles)


def _numbers(text: str, bounds: list[int], needles: tuple[str, ...]) -> Iterator[int]:
    """Yield the numbers of the pieces of a text, by the places at which they begin, in which a needle begins."""
    left = [(place, needle) for needle in needles if (place := text.find(needle)) >= 0]
    while len(left) > 1:
        number = bisect_right(bounds, min(left)[0]) - 1
        yield number
        after = bounds[number + 1]
        left = [
            (place, needle) for old, needle in left if (place := old if old >= after else text.find(needle, after)) >= 0
        ]
    if left:
        place, needle = left[0]
        while place >= 0:
            number = bisect_right(bounds, place) - 1
            yield number
            place = text.find(needle, bounds[number + 1])


def _joined(utterance: list[Turn]) -> str:
    return utterance[0].text if len(utterance) == 1 else " ".join([turn.text for turn in utterance])


def _in_utterance(utterance: list[Turn], pattern: Pattern) -> Iterator[Turn]:
    """Yield the turns of an utterance in which a match starts: of the turn alone, or of the utterance as a whole."""
    whole = _joined(utterance) if len(utterance) > 1 else ""
    place = 0
    for turn in utterance:
        after = place + len(turn.text) + 1
        if pattern.search(turn.text) is not None:
            yield turn
        elif whole:
            across = pattern.search(whole, place)
            if across is not None and across.start() < after:
                yield turn
        place = after


class Transcript:
    """The turns of one call, indexed by role. `join` reads consecutive turns of one role as one utterance."""

    def __init__(self, turns: Sequence[Turn], join: bool, plain: bool = False) -> None:
        self.turns = in_order(turns)
        self._join = join
        self._plain = plain
        self._lanes: dict[str | None, Lane] = {}
        self._edges: dict[tuple[str | None, bool], Lane] = {}
        self._utterances: list[list[Turn]] | None = None

    def lane(self, role: str | None) -> Lane:
        """Return the lane of one role (already folded), or of everybody for None."""
        if role not in self._lanes:
            self._lanes[role] = Lane([u for u in self.utterances if role is None or u[0].role == role], self._plain)
        return self._lanes[role]

    @property
    def utterances(self) -> list[list[Turn]]:
        """Return the utterances in order of time."""
        if self._utterances is None:
            out: list[list[Turn]] = []
            before = None
            for turn in self.turns:
                role = turn.role
                if role == before and self._join:
                    out[-1].append(turn)
                else:
                    out.append([turn])
                before = role
            self._utterances = out
        return self._utterances

    def edge(self, role: str | None, last: bool) -> Lane:
        """Return the lane that holds only the first or the last utterance of a role."""
        if (role, last) not in self._edges:
            utterances = self.lane(role).utterances
            self._edges[role, last] = Lane(utterances[-1:] if last else utterances[:1], self._plain)
        return self._edges[role, last]
