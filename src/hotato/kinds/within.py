"""The `within` kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from hotato.kinds._kind import Check, Kind, Resources, Source
from hotato.match.events import Event, event_faults, finder, recorded, sources
from hotato.match.evidence import Evidence
from hotato.match.gaps import EARLY, LATE, NEVER, Gap, Limits, Seconds, limit_faults, pairs, shown
from hotato.model.fault import Fault
from hotato.model.verdict import Verdict, breaks, holds, unsettled


class Within(Kind, frozen=True, kw_only=True, tag="within"):
    """What must follow an event does follow it, in time.

    - `from`: the event that starts the clock; `to`: the event that must follow. Each is one of
      `{says: REGEX, role: ROLE}`, `{role: ROLE}`, `{tool: NAME}`, `{http: REGEX}`, `{handoff: TARGET}` and
      `{span_type: TYPE}`; a tool call may be narrowed by `args_subset`, `result_subset` and `outcome: success`.
    - `max_sec`: how long after `from` the other may begin, in seconds; counted from the end of `from` to the start of `to`
      unless their `edge` says otherwise.
    - `min_sec`: how long it must not begin before.
    - `each`: true judges every `from`; false only the first.

    An event that never follows is a FAIL, unless the record breaks off before the time is up: that is INCONCLUSIVE, as are
    durations between times that the source did not record and an order that it does not tell. Without any `from` there is
    nothing to follow: PASS with `vacuous: true`.

    ```yaml
    - id: transfer-follows-promise
      kind: within
      from: {says: 'transfer you', role: agent}
      to: {handoff: anyone}
      max_sec: 30
    ```
    """

    begins: Event = msgspec.field(name="from")
    follows: Event = msgspec.field(name="to")
    max_sec: Seconds
    min_sec: Seconds | None = None
    each: bool = True

    family = "say_do"
    says = {
        "in_time": "each of {count} times, {to} followed {origin} in time",
        "no_start": "nothing to follow: {origin} never occurs",
        "never": "{to} never follows {origin} (not followed: {wrong} of {count})",
        "too_late": "{to} follows {origin} later than {limit} s (late: {wrong} of {count})",
        "too_early": "{to} follows {origin} sooner than {limit} s (early: {wrong} of {count})",
        "cut_short": "the record ends before {limit} s have passed since {origin}",
        "no_clock": "{to} follows {origin}, but the source does not record when",
        "order_unknown": "whether {to} follows {origin} cannot be told: the sources share no clock and no count",
    }
    shows = ("pairs", "turns", "span_ids")

    def needs(self) -> tuple[Source, ...]:
        """Return the evidence that the two events are read from."""
        return sources(self.begins, self.follows)

    def rests_on(self) -> tuple[str, ...]:
        """Return what the trace's source must record."""
        return recorded(self.begins, self.follows)

    def faults(self, resources: Resources) -> Iterator[Fault]:
        """Yield all that is wrong beyond types."""
        yield from super().faults(resources)
        yield from event_faults(self.begins, "from")
        yield from event_faults(self.follows, "to")
        yield from limit_faults(self.min_sec, self.max_sec)

    def compile(self, resources: Resources) -> Check:
        """Return the check."""
        needs = self.needs()
        starts, ends = (finder(event, resources.pattern, needs) for event in (self.begins, self.follows))
        limits = Limits(self.min_sec, self.max_sec, self.begins.edge or "end", self.follows.edge or "start")
        facts: dict[str, Any] = {"origin": self.begins.words(), "to": self.follows.words()}

        def check(evidence: Evidence) -> Verdict:
            found = starts(evidence)
            if not found:
                return holds("no_start", exercised=0, **facts)
            gaps = pairs(evidence.timeline(needs), found if self.each else found[:1], ends(evidence), limits)
            return _verdict(gaps, limits, facts)

        return check


def _verdict(gaps: list[Gap], limits: Limits, facts: dict[str, Any]) -> Verdict:
    """Return the worst of all: what is broken before what is unknown, each told by the first of its sort."""
    for code, limit in ((NEVER, None), (LATE, limits.most), (EARLY, limits.least)):
        wrong = [gap for gap in gaps if gap.state == code]
        if wrong:
            told = {**facts, "wrong": len(wrong), "count": len(gaps), **({} if limit is None else {"limit": limit})}
            return breaks(code, exercised=len(gaps), fields=shown(wrong), **told)
    for gap in gaps:
        if gap.is_unknown:
            return unsettled(gap.state, fields=shown([g for g in gaps if g.is_unknown]), limit=limits.most, **facts)
    return holds("in_time", exercised=len(gaps), fields=shown(gaps), count=len(gaps), **facts)
