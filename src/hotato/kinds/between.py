"""The `between` kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from hotato.kinds._kind import Check, Kind, Resources, Source
from hotato.match.events import Event, event_faults, finder, recorded, sources
from hotato.match.evidence import Evidence
from hotato.match.gaps import CUT, EARLY, LATE, NEVER, Limits, Seconds, limit_faults, pairs, shown
from hotato.model.fault import Fault
from hotato.model.verdict import Verdict, breaks, holds, unsettled


class Between(Kind, frozen=True, kw_only=True, tag="between"):
    """The time between two events is in bounds, wherever both occur.

    - `from`, `to`: the two events, written as in `within`.
    - `min_sec`, `max_sec`: the least and the most seconds from the end of `from` to the start of `to` (`edge` on an event
      chooses otherwise); give at least one.
    - `each`: true judges every `from` with the `to` that follows it next; false only the first.

    Where `to` does not follow there is nothing to measure: `within` says that it must follow. Without any pair the
    result is PASS with `vacuous: true`. Times that the source did not record measure nothing: INCONCLUSIVE.

    ```yaml
    - id: pause-before-charging
      kind: between
      from: {says: 'is that correct', role: agent}
      to: {tool: charge_card}
      min_sec: 1
    ```
    """

    begins: Event = msgspec.field(name="from")
    follows: Event = msgspec.field(name="to")
    max_sec: Seconds | None = None
    min_sec: Seconds | None = None
    each: bool = True

    family = "say_do"
    says = {
        "in_bounds": "{count} times between {origin} and {to}, all in bounds",
        "no_pair": "nothing to measure: {to} never follows {origin}",
        "too_late": "{to} follows {origin} after more than {limit} s (so often: {wrong} of {count})",
        "too_early": "{to} follows {origin} after less than {limit} s (so often: {wrong} of {count})",
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
        if self.min_sec is None and self.max_sec is None:
            yield Fault((), "missing_field", "needs at least one of min_sec or max_sec")
        elif not self.min_sec and self.max_sec is None:
            yield Fault(("min_sec",), "bound", "at least 0 s allows every time, so the check could not fail")

    def compile(self, resources: Resources) -> Check:
        """Return the check."""
        needs = self.needs()
        starts, ends = (finder(event, resources.pattern, needs) for event in (self.begins, self.follows))
        limits = Limits(self.min_sec, self.max_sec, self.begins.edge or "end", self.follows.edge or "start")
        facts: dict[str, Any] = {"origin": self.begins.words(), "to": self.follows.words()}

        def check(evidence: Evidence) -> Verdict:
            begun = starts(evidence)
            gaps = pairs(evidence.timeline(needs), begun if self.each else begun[:1], ends(evidence), limits)
            measured = [gap for gap in gaps if gap.state not in (NEVER, CUT)]
            for code, limit in ((LATE, self.max_sec), (EARLY, self.min_sec)):
                wrong = [gap for gap in measured if gap.state == code]
                if wrong:
                    told = {**facts, "wrong": len(wrong), "count": len(measured), "limit": limit}
                    return breaks(code, exercised=len(measured), fields=shown(wrong), **told)
            unknown = [gap for gap in measured if gap.is_unknown]
            if unknown:
                return unsettled(unknown[0].state, fields=shown(unknown), **facts)
            if not measured:
                return holds("no_pair", exercised=0, **facts)
            return holds("in_bounds", exercised=len(measured), fields=shown(measured), count=len(measured), **facts)

        return check
