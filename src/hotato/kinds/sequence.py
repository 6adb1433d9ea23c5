"""The `sequence` kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec

from hotato.kinds._kind import Check, Kind, Resources, Text
from hotato.match.evidence import Evidence
from hotato.match.steps import align
from hotato.model.call import Span, span_ids
from hotato.model.fault import Fault
from hotato.model.verdict import Verdict, breaks, holds


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One step: a span of a type or a call of a tool."""

    span_type: Text | None = None
    tool: Text | None = None

    def takes(self, span: Span) -> bool:
        """Say whether a span is this step."""
        if self.tool is not None:
            return span.type == "tool_call" and span.name == self.tool
        return span.type == self.span_type

    def shown(self) -> dict[str, str]:
        """Return the step as a document writes it."""
        return {"tool": self.tool} if self.tool is not None else {"span_type": self.span_type or ""}


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

    def compile(self, resources: Resources) -> Check:  # noqa: ARG002
        """Return the check."""
        shown = [step.shown() for step in self.steps]
        tests = [step.takes for step in self.steps]

        def check(evidence: Evidence) -> Verdict:
            spans = evidence.trace.spans
            found = align(shown, spans, tests)
            fields: dict[str, Any] = {"span_ids": span_ids(found.spans)}
            if found.broken is None:
                return holds("in_order", exercised=len(spans), fields=fields, count=len(tests))
            step = found.broken
            code = "broken_step" if found.shown[step]["state"] == "earlier" else "missing_step"
            what = " ".join(next(iter(shown[step].items())))
            fields |= {"alignment": found.shown}
            return breaks(code, exercised=len(spans), fields=fields, step=step + 1, what=what)

        return check
