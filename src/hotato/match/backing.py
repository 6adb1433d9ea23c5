"""Which recorded event backs what was said: the one that was over last before it, or one that follows it, or any."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

import msgspec

from hotato.match.timeline import Moment, Timeline
from hotato.model.call import Span

BACKED, NONE, LATER, LATE, UNKNOWN, NO_CLOCK, CUT, UNCLEAR = (
    "backed", "no_evidence", "only_later", "too_late", "order_unknown", "no_clock", "cut_short", "said_unclear",
)  # fmt: skip


class Deed(msgspec.Struct, frozen=True):
    """Something that was done: when, and in one word what keeps it from backing a claim (empty where nothing does).

    `UNCLEAR` keeps it from being known.
    """

    moment: Moment
    fault: str
    span: Span


class Found(msgspec.Struct, frozen=True):
    """What a claim rests on: how it came out, and the deed that decided."""

    code: str
    deed: Deed | None = None


Judge = Callable[[Deed], str]


def _backs(found: Found) -> bool | None:
    """Say whether a claim is backed; None where that is not known."""
    return None if found.code in (NO_CLOCK, UNCLEAR) else found.code == BACKED


class Deeds:
    """The deeds of one call that claims may rest on, `all` in the order given. All have to be of the trace."""

    def __init__(self, timeline: Timeline, deeds: Sequence[Deed], last: float) -> None:
        self._timeline, self._last, self.all = timeline, last, deeds
        self._deeds = sorted(deeds, key=lambda deed: (timeline.over(deed.moment)[1], deed.moment.rank))
        self._latest = [timeline.over(deed.moment)[1] for deed in self._deeds]
        self._earliest = sorted(timeline.over(deed.moment)[0] for deed in self._deeds)
        self._begun = sorted(deeds, key=lambda deed: (deed.moment.low, deed.moment.rank))
        self._starts = [deed.moment.low for deed in self._begun]

    def before(self, claim: Moment, most: float | None, judge: Judge) -> Found:
        """Return what the last deed that was over before the claim says of it; `most` is how old it may be, in seconds."""
        low, high = self._timeline.said(claim)
        sure = bisect_right(self._latest, low)
        maybe = bisect_right(self._earliest, high) - sure
        last = self._deeds[sure - 1] if sure else None
        found = self._aged(claim, last, most, judge)
        if maybe > 0:
            others = (deed for deed in self._deeds[sure:] if self._timeline.over(deed.moment)[0] <= high)
            for deed in others:
                if _backs(self._aged(claim, deed, most, judge)) is not _backs(found):
                    return Found(UNKNOWN, deed)
        if found.code == NONE and sure < len(self._deeds):
            later = next((deed for deed in self._deeds[sure:] if not judge(deed)), None)
            return found if later is None else Found(LATER, later)
        return found

    def _aged(self, claim: Moment, deed: Deed | None, most: float | None, judge: Judge) -> Found:
        if deed is None:
            return Found(NONE)
        fault = judge(deed)
        if fault or most is None:
            return Found(fault or BACKED, deed)
        done = deed.moment.edge("end")
        if done is None or claim.start is None:
            return Found(NO_CLOCK, deed)
        return Found(BACKED if claim.start - done <= most else LATE, deed)

    def after(self, claim: Moment, most: float | None, judge: Judge) -> Found:
        """Return the first deed that begins with or after the claim, backs it and is in time."""
        since = claim.high
        place = bisect_left(self._starts, since)
        tried: Deed | None = None
        for deed in self._begun[place:]:
            fault = judge(deed)
            if fault:
                tried = tried if tried is not None and fault != UNCLEAR else deed
                continue
            said, begun = claim.edge("end"), deed.moment.start
            if most is None:
                return Found(BACKED, deed)
            if said is None or begun is None:
                return Found(NO_CLOCK, deed)
            return Found(BACKED if begun - said <= most else LATE, deed)
        for deed in self._begun[:place]:
            if deed.moment.high >= claim.low and judge(deed) in ("", UNCLEAR):
                return Found(UNKNOWN, deed)
        said = claim.edge("end")
        if most is not None and said is not None and self._last < said + most:
            return Found(CUT, tried)
        return Found(NONE) if tried is None else Found(judge(tried), tried)

    def ever(self, judge: Judge) -> Found:
        """Return the first deed that backs the claim, whenever it was."""
        tried = None
        for deed in self._begun:
            fault = judge(deed)
            if not fault:
                return Found(BACKED, deed)
            tried = tried if tried is not None and judge(tried) == UNCLEAR else deed
        return Found(NONE) if tried is None else Found(judge(tried), tried)
