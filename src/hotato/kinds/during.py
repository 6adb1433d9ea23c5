"""The `during` kind."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import msgspec

from hotato.kinds._kind import Check, Kind, Resources, Source, Text
from hotato.match.events import Event, event_faults, finder, recorded, sources
from hotato.match.evidence import Evidence
from hotato.match.gaps import MOST_SHOWN, Seconds
from hotato.match.text import fold_role
from hotato.match.timeline import FIRST, LAST
from hotato.model.call import Turn
from hotato.model.fault import Fault
from hotato.model.verdict import Verdict, breaks, holds, unsettled

Pause = tuple[float, Turn, Turn | None]


class During(Kind, frozen=True, kw_only=True, tag="during"):
    """While the call lasts, or between two events of it, no one is left waiting in silence.

    - `max_gap_sec`: the longest silence allowed, in seconds, from the end of what one party said to the start of what the
      other said next.
    - `after`: the party that has spoken.
    - `before`: the party that is waited for.
    - `from`, `to`: only silences that begin after the end of the first `from` event and before the start of the first `to`
      event that follows; both are written as in `within`, and either may be left out.

    Talking at once is no silence. Where the party is never answered, the silence lasts until the end of what is read, so
    `to: {span_type: termination}` measures the silence at the end of the call. Where turns have no times the result is
    INCONCLUSIVE; so it is where some have none and the silences that were measured keep the limit.

    ```yaml
    - id: no-dead-air-while-looking-up
      kind: during
      max_gap_sec: 3
      from: {tool: lookup_account}
    ```
    """

    max_gap_sec: Seconds
    after: Text = "caller"
    before: Text = "agent"
    opens: Event | None = msgspec.field(default=None, name="from")
    closes: Event | None = msgspec.field(default=None, name="to")

    family = "say_do"
    says = {
        "no_gap": "the longest of {count} silences is {measured} s, at most {limit} allowed",
        "no_turn": "nothing to measure: the {after} is never followed by the {before} there",
        "too_long": "a silence of {measured} s, at most {limit} allowed (too long: {wrong} of {count})",
        "not_measured": "{unmeasured} of {count} silences have no recorded times",
        "no_window": "nothing to measure: {origin} never occurs",
        "no_clock": "the source does not record when {origin} was",
    }
    shows = ("turns", "measured_sec")

    def needs(self) -> tuple[Source, ...]:
        """Return the evidence that the check reads."""
        return tuple(sorted({"transcript", *sources(self.opens, self.closes)}))

    def rests_on(self) -> tuple[str, ...]:
        """Return what the trace's source must record."""
        return recorded(self.opens, self.closes)

    def faults(self, resources: Resources) -> Iterator[Fault]:
        """Yield all that is wrong beyond types."""
        yield from super().faults(resources)
        yield from event_faults(self.opens, "from")
        yield from event_faults(self.closes, "to")
        if fold_role(self.after) == fold_role(self.before):
            yield Fault(("before",), "guard", "the same party on both sides")

    def compile(self, resources: Resources) -> Check:
        """Return the check."""
        needs = self.needs()
        opens = None if self.opens is None else finder(self.opens, resources.pattern, needs)
        closes = None if self.closes is None else finder(self.closes, resources.pattern, needs)
        after, before, limit = fold_role(self.after), fold_role(self.before), self.max_gap_sec
        facts: dict[str, Any] = {"after": after, "before": before, "limit": limit}

        def check(evidence: Evidence) -> Verdict:
            begin, end = FIRST, LAST
            if opens is not None:
                found = opens(evidence)
                if not found:
                    return holds("no_window", exercised=0, origin=self.opens.words() if self.opens else "")
                edge = found[0].edge((self.opens and self.opens.edge) or "end")
                if edge is None:
                    return unsettled("no_clock", origin=self.opens.words() if self.opens else "")
                begin = edge
            if closes is not None:
                edges = [m.edge((self.closes and self.closes.edge) or "start") for m in closes(evidence)]
                if None in edges:
                    return unsettled("no_clock", origin=self.closes.words() if self.closes else "")
                end = min((second for second in edges if second is not None and second >= begin), default=LAST)
            utterances, last = evidence.transcript.utterances, evidence.timeline(needs).last
            key = "pauses", last, after, before
            pauses, unmeasured = evidence.once(key, lambda: _pauses(utterances, last, after, before))
            inside = [pause for pause in pauses if begin <= (pause[1].end or 0.0) <= end]
            return _verdict(inside, unmeasured, limit, facts)

        return check


def _verdict(pauses: list[Pause], unmeasured: int, limit: float, facts: dict[str, Any]) -> Verdict:
    count = len(pauses) + unmeasured
    if not count:
        return holds("no_turn", exercised=0, **facts)
    wrong = [pause for pause in pauses if pause[0] > limit]
    longest = max(pauses, key=lambda pause: pause[0], default=None)
    told = {**facts, "count": count, "measured": longest[0] if longest else None}
    shown: dict[str, Any] = {"measured_sec": longest[0]} if longest else {}
    if wrong:
        return breaks("too_long", exercised=count, fields={**shown, "turns": _turns(wrong)}, wrong=len(wrong), **told)
    if unmeasured:
        return unsettled("not_measured", fields=shown, unmeasured=unmeasured, **told)
    return holds("no_gap", exercised=count, fields={**shown, "turns": _turns([longest] if longest else [])}, **told)


def _turns(pauses: list[Pause]) -> list[int]:
    return sorted({turn.index for _, *pair in pauses[:MOST_SHOWN] for turn in pair if turn is not None})


def _pauses(utterances: list[list[Turn]], end: float | None, after: str, before: str) -> tuple[list[Pause], int]:
    """Return the silences in seconds with the turns around each, and how many have no recorded times."""
    pauses: list[Pause] = []
    unmeasured = 0
    for first, then in pairwise([*utterances, None]):
        if first is None or first[0].role != after:
            continue
        last = max((turn.end for turn in first if turn.end is not None), default=None)
        if then is None:
            if end is None or any(t >= end for turn in first for t in (turn.start, turn.end) if t is not None):
                continue  # nothing is told of what came after it
            if last is None or first[-1].end is None:
                unmeasured += 1
            else:
                pauses.append((round(end - last, 6), first[-1], None))
        elif then[0].role == before:
            if last is None or then[0].start is None or first[-1].end is None:
                unmeasured += 1
            else:
                pauses.append((max(0.0, round(then[0].start - last, 6)), first[-1], then[0]))
    return pauses, unmeasured
