"""The `sequence` kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec

from hotato.kinds._kind import Check, Kind, Resources
from hotato.match.evidence import Evidence
from hotato.match.misspelt import type_faults
from hotato.match.steps import Step, align
from hotato.model.call import span_ids
from hotato.model.fault import Fault
from hotato.model.verdict import Verdict, breaks, holds


class Sequence(Kind, frozen=True, kw_only=True, tag="sequence"):
    """Events of the trace occur in this order, others allowed between.

    - `steps`: a list of `{span_type: T}` or `{tool: NAME}`; each step takes one span.

    Order is the order of time, not of the file. On FAIL the reason names the first step that breaks, and `alignment`
    shows which span each step took.

    ```yaml
    - id: verify-then-refund-then-handoff
      kind: sequence
      steps: [{tool: verify_identity}, {tool: issue_refund}, {span_type: handoff}]
    ```
    """

    steps: Annotated[tuple[Step, ...], msgspec.Meta(min_length=1)]

    family = "trace"
    reads = ("trace",)
    says = {
        "in_order": "all {count} steps occur in order",
        "missing_step": "step {step} ({what}) does not occur",
        "broken_step": "step {step} ({what}) occurs only before the step that must precede it",
    }
    shows = ("span_ids", "alignment")

    def faults(self, resources: Resources) -> Iterator[Fault]:
        """Yield all that is wrong beyond types."""
        yield from super().faults(resources)
        for place, step in enumerate(self.steps):
            if (step.span_type is None) == (step.tool is None):
                yield Fault(("steps", place), "exclusive_fields", "a step needs exactly one of span_type or tool")
            yield from type_faults(step.span_type, "steps", place, "span_type")

    def rests_on(self) -> tuple[str, ...]:
        """Return what the trace's source must record."""
        return tuple(step.span_type or "tool_call" for step in self.steps)

    def compile(self, resources: Resources) -> Check:  # noqa: ARG002
        """Return the check."""
        steps = self.steps

        def check(evidence: Evidence) -> Verdict:
            spans = evidence.trace.spans
            found = align(steps, spans)
            fields: dict[str, Any] = {"span_ids": span_ids(found.spans)}
            if found.broken is None:
                return holds("in_order", exercised=len(spans), fields=fields, count=len(steps))
            step = found.broken
            code = "broken_step" if found.shown[step]["state"] == "earlier" else "missing_step"
            what = " ".join(next(iter(steps[step].shown().items())))
            fields |= {"alignment": found.shown}
            return breaks(code, exercised=len(spans), fields=fields, step=step + 1, what=what)

        return check
