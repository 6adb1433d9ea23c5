"""The `order` kind."""

from __future__ import annotations

from collections.abc import Iterator

from hotato.kinds._kind import Check, Kind, Regex, Resources, Text
from hotato.match.evidence import Evidence
from hotato.match.text import fold_role
from hotato.model.fault import Fault
from hotato.model.verdict import Verdict, breaks, holds


class Order(Kind, frozen=True, kw_only=True, tag="order"):
    """The first turn with one phrase comes before the first turn with another.

    - `before`, `after`: regexes; the first turn matching `before` must come strictly before the first matching `after`.
    - `role`: only what this party said.
    - `case_sensitive`: default false.

    Where either phrase never occurs nothing is out of order: PASS with `vacuous: true`. Pair it with a `phrase` check, or
    run with `strict`, where the phrases must occur. Turns are in the order of time, not of the file.

    ```yaml
    - id: verified-before-balance
      kind: order
      before: verify your identity|date of birth
      after: current balance
      role: agent
    ```
    """

    before: Regex
    after: Regex
    role: Text | None = None
    case_sensitive: bool = False

    family = "composite"
    reads = ("transcript",)
    says = {
        "in_order": "turn {before_turn} comes before turn {after_turn}",
        "no_before": "nothing to compare: no {whose} turn matches 'before'",
        "no_after": "nothing to compare: no {whose} turn matches 'after'",
        "same_turn": "both phrases first occur in turn {after_turn}",
        "out_of_order": "'after' first occurs in turn {after_turn}, 'before' only in turn {before_turn}",
    }
    shows = ("before_turn", "after_turn")
    regexes = ("before", "after")

    def faults(self, resources: Resources) -> Iterator[Fault]:
        """Yield all that is wrong beyond types."""
        yield from super().faults(resources)
        if self.before == self.after:
            yield Fault(
                ("after",), "same_regex", "the same regex as 'before', so the check could not pass but vacuously"
            )

    def compile(self, resources: Resources) -> Check:
        """Return the check."""
        before = resources.pattern(self.before, case_sensitive=self.case_sensitive)
        after = resources.pattern(self.after, case_sensitive=self.case_sensitive)
        role = None if self.role is None else fold_role(self.role)
        whose = role or "recorded"

        def check(evidence: Evidence) -> Verdict:
            lane = evidence.transcript.lane(role)
            first, then = lane.first(before), lane.first(after)
            if first is None or then is None:
                return holds("no_before" if first is None else "no_after", exercised=0, whose=whose)
            turns = {"before_turn": first.index, "after_turn": then.index}
            if first is then:
                return breaks("same_turn", exercised=len(lane), fields=turns, **turns)
            place = lane.place
            if place(first) < place(then):
                return holds("in_order", exercised=len(lane), fields=turns, **turns)
            return breaks("out_of_order", exercised=len(lane), fields=turns, **turns)

        return check
