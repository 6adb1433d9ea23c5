"""The `until` kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from hotato.kinds._kind import Check, Kind, Resources, Source
from hotato.match.events import Event, event_faults, finder, recorded, sources
from hotato.match.evidence import Evidence
from hotato.match.gaps import MOST_SHOWN, named, reference
from hotato.match.timeline import Moment, Timeline
from hotato.model.fault import Fault
from hotato.model.verdict import Verdict, breaks, holds, unsettled


class Until(Kind, frozen=True, kw_only=True, tag="until"):
    """Something does not happen before something else has.

    - `never`: the event that is forbidden at first, written as in `within`.
    - `until`: the event that allows it, once it is over: a call that still runs allows nothing yet.
    - `since`: an event with which the permission lapses, so that it has to be given again: a yes to an earlier question
      allows nothing that comes after the next one.

    Where `until` never occurs, every `never` is a FAIL. Without any `never` nothing was forbidden: PASS with
    `vacuous: true`. Where the sources share no clock and no count, what came first may be unknown: INCONCLUSIVE.

    ```yaml
    - id: no-balance-before-consent
      kind: until
      never: {says: 'your balance is', role: agent}
      until: {tool: verify_identity, outcome: success}
    ```
    """

    never: Event
    allowed: Event = msgspec.field(name="until")
    since: Event | None = None

    family = "say_do"
    says = {
        "after": "{never} came only after {until}",
        "no_event": "nothing to forbid: {never} does not occur",
        "too_early": "{never} came before {until} (too early: {wrong} of {count})",
        "lapsed": "{never} came after {since}, without {until} in between (so often: {wrong} of {count})",
        "never_allowed": "{never} came, but {until} never did (occurrences: {count})",
        "order_unknown": "whether {never} came before {until} cannot be told: the sources share no clock and no count",
    }
    shows = ("events", "turns", "span_ids")

    def needs(self) -> tuple[Source, ...]:
        """Return the evidence that the events are read from."""
        return sources(self.never, self.allowed, self.since)

    def rests_on(self) -> tuple[str, ...]:
        """Return what the trace's source must record."""
        return recorded(self.never, self.allowed, self.since)

    def faults(self, resources: Resources) -> Iterator[Fault]:
        """Yield all that is wrong beyond types."""
        yield from super().faults(resources)
        yield from event_faults(self.never, "never")
        yield from event_faults(self.allowed, "until")
        yield from event_faults(self.since, "since")
        if self.never == self.allowed:
            yield Fault(("until",), "guard", "the same event on both sides, so the check could not fail")

    def compile(self, resources: Resources) -> Check:
        """Return the check."""
        needs = self.needs()
        forbidden, opening = (finder(event, resources.pattern, needs) for event in (self.never, self.allowed))
        lapsing = None if self.since is None else finder(self.since, resources.pattern, needs)
        facts: dict[str, Any] = {"never": self.never.words(), "until": self.allowed.words()}
        facts["since"] = self.since.words() if self.since is not None else ""

        def check(evidence: Evidence) -> Verdict:
            found = forbidden(evidence)
            if not found:
                return holds("no_event", exercised=0, **facts)
            opened = opening(evidence)
            if not opened:
                return breaks("never_allowed", exercised=len(found), fields=_shown(found), count=len(found), **facts)
            states = _states(evidence.timeline(needs), found, opened, [] if lapsing is None else lapsing(evidence))
            for code in ("too_early", "lapsed"):
                wrong = [moment for moment, state in zip(found, states, strict=True) if state == code]
                if wrong:
                    told = {**facts, "wrong": len(wrong), "count": len(found)}
                    return breaks(code, exercised=len(found), fields=_shown(wrong), **told)
            unknown = [moment for moment, state in zip(found, states, strict=True) if state == "order_unknown"]
            if unknown:
                return unsettled("order_unknown", fields=_shown(unknown), **facts)
            return holds("after", exercised=len(found), fields=_shown(found), **facts)

        return check


def _states(timeline: Timeline, found: list[Moment], opened: list[Moment], lapsed: list[Moment]) -> list[str]:
    """Return of each forbidden event whether it was allowed then (`after`), or what was wrong."""
    allowing, lapsing = timeline.preceding(opened), timeline.preceding(lapsed)
    states = []
    for moment in found:
        last, maybe = allowing.before(moment)
        since, is_open = lapsing.before(moment)
        if last is None:
            states.append("order_unknown" if maybe else "too_early")
        elif since is None and not is_open:
            states.append("after")
        else:
            is_given = True if since is None else timeline.done_before(since, last)
            known = is_given is not None and not (is_open if is_given else maybe)
            states.append(("after" if is_given else "lapsed") if known else "order_unknown")
    return states


def _shown(moments: list[Moment]) -> dict[str, Any]:
    return {"events": [reference(moment) for moment in moments[:MOST_SHOWN]], **named(moments)}
