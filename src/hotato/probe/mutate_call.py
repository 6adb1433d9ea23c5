"""What every change of a call is made with: where its parts stand in time, and a call with some of them replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from hotato.model.call import Call, Span, Turn

LATER = 60.0  # seconds: longer than what an agent is allowed for anything
_Item = TypeVar("_Item", Turn, Span)


class Change(msgspec.Struct, frozen=True):
    """One step away from the call. `what` is one of CHANGES, `sources` name what differs then.

    `turn` or `span` is the position of what is changed, where it is one thing. `make` returns the call changed.
    """

    what: str
    sources: tuple[str, ...]
    make: Callable[[Call], Call]
    turn: int | None = None
    span: int | None = None


class Clock(msgspec.Struct, frozen=True):
    """The first and the last second of which a call tells, and the numbers where turns and spans are counted together."""

    first: float | None
    last: float | None
    low: int | None
    high: int | None


def clock_of(call: Call) -> Clock:
    """Return the clock of a call."""
    items: list[Turn | Span] = [*(call.transcript or ()), *(call.spans or ())]
    starts = [item.start for item in items if item.start is not None]
    ends = [*starts, *(item.end for item in items if item.end is not None)]
    numbers = [seq for seq in map(seq_of, items) if seq is not None]
    is_counted = bool(numbers) and len(numbers) == len(items)
    return Clock(
        first=min(starts, default=None),
        last=max(ends, default=None),
        low=min(numbers) if is_counted else None,
        high=max(numbers) if is_counted else None,
    )


def seq_of(item: Turn | Span) -> int | None:
    """Return the number of a turn or a span in the order that both share."""
    seq = item.seq if isinstance(item, Turn) else item.data.get("seq")
    return seq if type(seq) is int else None


def of_turns(call: Call, turns: Iterable[Turn]) -> Call:
    """Return the call with other turns, numbered anew."""
    numbered = (one if one.index == place else replace(one, index=place) for place, one in enumerate(turns))
    return replace(call, transcript=tuple(numbered), state_evidence=[])


def of_spans(call: Call, spans: Iterable[Span]) -> Call:
    """Return the call with other spans, numbered anew."""
    numbered = (one if one.index == place else replace(one, index=place) for place, one in enumerate(spans))
    return replace(call, spans=tuple(numbered), state_evidence=[])


def at_time(item: _Item, start: float | None, seq: int | None) -> _Item:
    """Return a turn or a span that begins at another second and lasts as long; words have no times then."""
    end = item.end
    if start is not None and item.start is not None and end is not None:
        end = start + (end - item.start)
    if isinstance(item, Turn):
        return replace(item, start=start, end=end, seq=seq, words=())
    data = dict(item.data)
    if "seq" in data and seq is not None:
        data["seq"] = seq
    return replace(item, start=start, end=end, data=data)


def early(items: Sequence[_Item], item: _Item, clock: Clock) -> list[_Item]:
    """Return items with one more that begins before all others, as far as can be told."""
    start = None if clock.first is None else min(0.0, clock.first)
    out = list(items)
    out.insert(0, at_time(item, start, None if clock.low is None else clock.low - 1))
    return out


def late(items: Sequence[_Item], item: _Item, clock: Clock) -> list[_Item]:
    """Return items with one more that begins after all others have ended."""
    start = None if clock.last is None else clock.last + LATER
    out = list(items)
    out.append(at_time(item, start, None if clock.high is None else clock.high + 1))
    return out


def swapped(items: Sequence[_Item], a: int, b: int) -> list[_Item]:
    """Return items of which two have changed places."""
    first, then = items[a], items[b]
    out = list(items)
    out[a] = at_time(then, first.start, seq_of(first))
    out[b] = at_time(first, then.start, seq_of(then))
    return out


def delayed(call: Call, second: float) -> Call:
    """Return the call in which all that begins at a second or later happens a minute later."""

    def moved(item: _Item) -> _Item:
        is_later = item.start is not None and item.start >= second
        return at_time(item, (item.start or 0.0) + LATER, seq_of(item)) if is_later else item

    changed = replace(call, state_evidence=[])
    if call.transcript is not None:
        changed.transcript = tuple(moved(turn) for turn in call.transcript)
    if call.spans is not None:
        changed.spans = tuple(moved(span) for span in call.spans)
    return changed


def without(value: Any, path: Sequence[str | int]) -> Any:
    """Return a value without what stands at a path in it."""
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    if len(path) == 1:
        del copy[path[0]]
    else:
        copy[path[0]] = without(copy[path[0]], path[1:])
    return copy


def with_value(value: Any, path: Sequence[str | int], new: Any) -> Any:
    """Return a value with another one at a path in it."""
    if not path:
        return new
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    inner = copy.get(path[0], {}) if isinstance(copy, dict) else copy[path[0]]
    copy[path[0]] = with_value(inner, path[1:], new)
    return copy
