"""What was said and what was done, on one line: turns and spans in one order, as far as the order is known.

Times of a transcript and of a trace are seconds of one clock. Where neither has a clock, sources that are lists of
messages number turns and spans alike (`seq`), and that is the order. What has neither stands between its timed neighbours
of the same source; whether it came before something of the other source may then be unknown, and is never guessed.
Durations come from times that the source recorded: an inferred time orders, and measures nothing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from itertools import accumulate
from math import nextafter
from typing import Any, TypeVar

import msgspec

from hotato.match.order import in_order
from hotato.match.spans import ENDINGS
from hotato.model.call import Span, Turn

FIRST, LAST = float("-inf"), float("inf")
T = TypeVar("T")


class Moment(msgspec.Struct, frozen=True, gc=False):
    """Something that happened. `source` is `turn` or `span`, `index` its position in the input, `rank` in its source's order.

    It began no earlier than `low` and no later than `high`, in seconds or, where turns and spans are counted together, in
    numbers of that count; `start` and `end` are recorded seconds, None where none were recorded or they were inferred.
    """

    source: str
    index: int
    rank: int
    low: float
    high: float
    start: float | None
    end: float | None

    def edge(self, name: str) -> float | None:
        """Return the recorded second at which it started or ended; what has no end of its own ends where it starts."""
        return self.start if name == "start" or self.end is None else self.end


class Timeline:
    """The turns and spans of one call, each with its moment.

    What is asked of one and the same list of moments is indexed once. `known` keeps what timelines of one call share.
    """

    def __init__(self, turns: Sequence[Turn], spans: Sequence[Span], known: dict[str, _Moments] | None = None) -> None:
        self.is_counted = _is_counted(turns, spans)
        shared = {} if known is None or self.is_counted else known
        for source, items in (("turn", turns), ("span", spans)):
            if items and source not in shared:
                shared[source] = _Moments(source, items, self.is_counted)
        self._turns = shared["turn"] if turns else _NOTHING
        self._spans = shared["span"] if spans else _NOTHING
        self._indexed: dict[tuple[Any, int], tuple[Any, Sequence[Moment]]] = {}

    @cached_property
    def last(self) -> float | None:
        """The last second of which anything is told; None without times."""
        ends = [end for end in (self._turns.last(), self._spans.last()) if end is not None]
        return max(ends, default=None)

    @cached_property
    def is_over(self) -> bool:
        """Whether the end of the call is told."""
        return self._spans.holds(ENDINGS)

    def of_turn(self, turn: Turn) -> Moment:
        """Return the moment of a turn of the call."""
        return self._turns[turn.index]

    def of_span(self, span: Span) -> Moment:
        """Return the moment of a span of the call."""
        return self._spans[span.index]

    def place(self, moment: Moment, beside: Moment) -> tuple[float, float]:
        """Return the earliest and the latest place of a moment on the scale that it shares with another."""
        if moment.source == beside.source:
            return moment.rank, moment.rank
        return moment.low, moment.high

    def comes_before(self, first: Moment, then: Moment) -> bool | None:
        """Say whether one began before the other; None where that is not known, as for two that began at once."""
        a, b = self.place(first, then), self.place(then, first)
        if a[1] < b[0]:
            return True
        return False if b[1] < a[0] else None

    def done_before(self, first: Moment, then: Moment) -> bool | None:
        """Say whether one was over before the other; None where that is not known.

        What is said is said somewhere in its turn: what ends while the turn lasts may have come before it or after.
        """
        if first.source == then.source:
            done = first.edge("end")
            if done is None or then.start is None or done == then.start:
                return self.comes_before(first, then)
            return done < then.start
        (low, high), (begun, ended) = (
            self.over(first),
            self.said(then) if then.source == "turn" else (then.low, then.high),
        )
        return True if high <= begun else False if low > ended else None

    def over(self, moment: Moment) -> tuple[float, float]:
        """Return between which places something was over, on the scale that both sources share; what has no end of its own was over just after its start."""
        if self.is_counted or moment.start is None:
            return moment.low, moment.high
        if moment.end is not None:
            return moment.end, moment.end
        return moment.start, nextafter(moment.start, LAST)

    def said(self, moment: Moment) -> tuple[float, float]:
        """Return between which places something was said: anywhere in its turn, unless its words have times."""
        if self.is_counted or moment.start is None:
            return moment.low, moment.high
        return moment.start, moment.start if moment.end is None else moment.end

    def following(self, moments: Sequence[Moment]) -> Following:
        """Return moments of one source, ready to be asked which of them comes next after another."""
        return self._index(Following, moments)

    def preceding(self, moments: Sequence[Moment]) -> Preceding:
        """Return moments of one source, ready to be asked which of them was over last before another."""
        return self._index(Preceding, moments)

    def _index(self, made: Callable[[Timeline, Sequence[Moment]], T], moments: Sequence[Moment]) -> T:
        """Return what is made of a list of moments, once; the list is held, so that its id stays its own."""
        key = made, id(moments)
        if key not in self._indexed:
            self._indexed[key] = made(self, moments), moments
        found: T = self._indexed[key][0]
        return found


class Preceding:
    """Moments of one source in their order: which is the last that was over before a moment, and may another have been."""

    def __init__(self, timeline: Timeline, moments: Sequence[Moment]) -> None:
        self._timeline = timeline
        self._moments = sorted(moments, key=lambda moment: moment.rank)
        self._ranks = [moment.rank for moment in self._moments]
        self._done = sorted(self._moments, key=lambda moment: (timeline.over(moment)[1], moment.rank))
        self._latest = [timeline.over(moment)[1] for moment in self._done]
        self._earliest = sorted(timeline.over(moment)[0] for moment in self._done)

    def before(self, moment: Moment) -> tuple[Moment | None, bool]:
        """Return the last that was surely over before (None for none), and whether a later one may have been too."""
        if not self._moments:
            return None, False
        if self._moments[0].source == moment.source:
            place = bisect_left(self._ranks, moment.rank)
            row = (one for one in reversed(self._moments[:place]) if self._timeline.done_before(one, moment))
            return next(row, None), False
        low, high = self._timeline.said(moment) if moment.source == "turn" else (moment.low, moment.high)
        place = bisect_right(self._latest, low)
        is_open = bisect_right(self._earliest, high) > place
        return (self._done[place - 1] if place else None), is_open


class Following:
    """Moments of one source in their order: which is the first after a moment, and may another have come between."""

    def __init__(self, timeline: Timeline, moments: Sequence[Moment]) -> None:
        self._timeline = timeline
        self._moments = sorted(moments, key=lambda moment: timeline.place(moment, moment))
        self._scales: dict[str, tuple[list[float], list[float]]] = {}

    def after(self, moment: Moment) -> tuple[Moment | None, bool]:
        """Return the first that surely began later (None for none), and whether another may have, which is not known."""
        if not self._moments:
            return None, False
        lows, highs = self._scale(moment)
        low, high = self._timeline.place(moment, self._moments[0])
        place = bisect_right(lows, high)
        own = self._moments[0].source == moment.source
        is_open = place > 0 and not own and highs[place - 1] >= low
        return (self._moments[place] if place < len(self._moments) else None), is_open

    def _scale(self, beside: Moment) -> tuple[list[float], list[float]]:
        """Return the lowest places, rising, and the highest of all up to each."""
        if beside.source not in self._scales:
            places = [self._timeline.place(moment, beside) for moment in self._moments]
            self._scales[beside.source] = (
                [low for low, _ in places],
                list(accumulate((high for _, high in places), max)),
            )
        return self._scales[beside.source]


def _is_counted(turns: Sequence[Turn], spans: Sequence[Span]) -> bool:
    """Say whether one count runs over turns and spans: all have a number, and no number stands twice."""
    items: list[Turn | Span] = [*turns, *spans]
    if not turns or not spans or turns[0].seq is None:
        return False
    numbers = {_seq(item) for item in items}
    return None not in numbers and len(numbers) == len(items)


def _seq(item: Turn | Span) -> int | None:
    if isinstance(item, Turn):
        return item.seq
    seq = item.data.get("seq")
    return seq if type(seq) is int else None


class _Moments(dict[int, Moment]):
    """The moment of each turn or span of a source by its position in the input, made when it is first asked for."""

    def __init__(self, source: str, items: Sequence[Turn | Span], is_counted: bool) -> None:
        super().__init__()
        self._source = source
        row: list[float | None] = [_seq(item) for item in items] if is_counted else [item.start for item in items]
        self._ordered = items
        places = [place for place in row if place is not None]
        self._lows, self._highs = places, places
        if len(places) < len(row) or places != sorted(places):
            self._place(items, row)
        indices = [item.index for item in self._ordered]
        as_given = indices == list(range(len(indices)))  # mostly: then a position is a rank
        self._ranks = None if as_given else dict(zip(indices, range(len(indices)), strict=True))

    def _place(self, items: Sequence[Turn | Span], row: list[float | None]) -> None:
        by_index = {item.index: item for item in items}
        placed = in_order([_Placed(item.index, place) for item, place in zip(items, row, strict=True)])
        places = [one.start for one in placed]
        self._ordered = [by_index[one.index] for one in placed]
        self._lows = [*accumulate((FIRST if place is None else place for place in places), max)]
        self._highs = [*accumulate((LAST if place is None else place for place in reversed(places)), min)][::-1]

    def __missing__(self, index: int) -> Moment:
        rank = index if self._ranks is None else self._ranks[index]
        start, end = _recorded(self._ordered[rank])
        made = Moment(self._source, index, rank, self._lows[rank], self._highs[rank], start, end)
        self[index] = made
        return made

    def holds(self, types: Collection[str]) -> bool:
        """Say whether any span is of these types."""
        return any(isinstance(item, Span) and item.type in types for item in self._ordered)

    def last(self) -> float | None:
        """Return the last recorded second."""
        found = None
        for start, end in map(_recorded, self._ordered):
            edge = start if end is None else end
            if edge is not None and (found is None or edge > found):
                found = edge
        return found


_NOTHING = _Moments("turn", (), False)


def _recorded(item: Turn | Span) -> tuple[float | None, float | None]:
    """Return the recorded seconds of start and end; an inferred time is none, an end before its start is left out."""
    start, end = item.start, item.end
    if type(item) is Span and item.data.get("time_inferred") is True:
        return None, None
    return start, None if start is not None and end is not None and end < start else end


class _Placed(msgspec.Struct, frozen=True, gc=False):
    """A turn or a span by its position in the input and its place on the scale."""

    index: int
    start: float | None
