"""How long after one event another follows it, in three values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import msgspec

from hotato.match.timeline import LAST, Moment, Timeline
from hotato.model.call import span_id, span_ids
from hotato.model.fault import Fault

Seconds = Annotated[int, msgspec.Meta(ge=0)] | Annotated[float, msgspec.Meta(ge=0)]
MOST_SHOWN = 20
IN_TIME, NEVER, LATE, EARLY = "in_time", "never", "too_late", "too_early"
CUT, NO_CLOCK, NO_ORDER = "cut_short", "no_clock", "order_unknown"


class Limits(msgspec.Struct, frozen=True):
    """How long it may take, in seconds, and between which edges of the two events that is measured."""

    least: float | None
    most: float | None
    begins: str = "end"
    follows: str = "start"


class Gap(msgspec.Struct, frozen=True):
    """An event, the one that follows it, the seconds between (None where not measured), and what that says."""

    begins: Moment
    follows: Moment | None
    seconds: float | None
    state: str

    @property
    def is_unknown(self) -> bool:
        """Say whether the evidence does not settle it."""
        return self.state in (CUT, NO_CLOCK, NO_ORDER)


def limit_faults(least: float | None, most: float | None) -> Iterator[Fault]:
    """Yield what is wrong with the limits of a duration."""
    if least is not None and most is not None and least > most:
        yield Fault(("min_sec",), "bound", f"min_sec {least} is greater than max_sec {most}, so no time is allowed")


def pairs(timeline: Timeline, begun: Sequence[Moment], ended: Sequence[Moment], limits: Limits) -> list[Gap]:
    """Return for each of the first events the gap to the second event that next begins after it."""
    following, last = timeline.following(ended), last_second(timeline)
    gaps = []
    for moment in begun:
        then, is_open = following.after(moment)
        gaps.append(_gap(moment, then, is_open, limits, last))
    return gaps


def last_second(timeline: Timeline) -> float:
    """Return the second up to which the record tells what happened; infinity where nothing can have followed."""
    return LAST if timeline.is_over or timeline.last is None else timeline.last


def _gap(begun: Moment, then: Moment | None, is_open: bool, limits: Limits, last: float) -> Gap:
    since = begun.edge(limits.begins)
    if then is None:
        is_cut = since is not None and limits.most is not None and last < since + limits.most
        return Gap(begun, None, None, NO_ORDER if is_open else CUT if is_cut else NEVER)
    at = then.edge(limits.follows)
    seconds = None if since is None or at is None else max(0.0, round(at - since, 6))
    if seconds is None:
        return Gap(begun, then, None, NO_ORDER if is_open else NO_CLOCK)
    if limits.most is not None and seconds > limits.most:
        return Gap(begun, then, seconds, NO_ORDER if is_open else LATE)
    if limits.least is not None and seconds < limits.least:
        return Gap(begun, then, seconds, EARLY)
    if limits.least and is_open:  # what may have come between was sooner, perhaps too soon
        return Gap(begun, then, seconds, NO_ORDER)
    return Gap(begun, then, seconds, IN_TIME)


def shown(gaps: Sequence[Gap]) -> dict[str, Any]:
    """Return pairs as a result shows them, so many at most, and the evidence that all of them name."""
    return {
        "pairs": [_pair(gap) for gap in gaps[:MOST_SHOWN]],
        **named([moment for gap in gaps for moment in (gap.begins, gap.follows) if moment is not None]),
    }


def named(moments: Sequence[Moment]) -> dict[str, Any]:
    """Return the turns and spans of moments, by their positions and evidence ids."""
    return {
        "turns": sorted({moment.index for moment in moments if moment.source == "turn"}),
        "span_ids": span_ids([moment.index for moment in moments if moment.source == "span"]),
    }


def _pair(gap: Gap) -> dict[str, Any]:
    made: dict[str, Any] = {"from": reference(gap.begins)}
    if gap.follows is not None:
        made["to"] = reference(gap.follows)
    if gap.seconds is not None:
        made["sec"] = gap.seconds
    return made


def reference(moment: Moment) -> dict[str, Any]:
    """Return what a moment is of: `{turn: 3}` or `{span_id: s_2}`."""
    return {"turn": moment.index} if moment.source == "turn" else {"span_id": span_id(moment.index)}
