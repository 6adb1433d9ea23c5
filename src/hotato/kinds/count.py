"""The `count` kind."""

from __future__ import annotations

from collections.abc import Iterator

from hotato.kinds._kind import Check, Kind, Regex, Resources, Source, Text, exactly_one, only_with
from hotato.match.bounds import Bound, allows, bound_faults, words
from hotato.match.evidence import Evidence
from hotato.match.misspelt import type_faults
from hotato.match.text import fold_role
from hotato.model.call import span_ids
from hotato.model.fault import Fault
from hotato.model.verdict import Verdict, breaks, holds


class Count(Kind, frozen=True, kw_only=True, tag="count"):
    """Something happened so often: spans of a type, calls of a tool, or turns with a phrase.

    - exactly one of `span_type`, `tool` and `phrase` (a regex; `role` limits whose turns count).
    - `count`: a number, or `{min, max}`.

    `observed` is the number found. A phrase that runs over the cut between two turns of one utterance counts once.

    ```yaml
    - id: asked-at-most-twice
      kind: count
      phrase: date of birth
      role: agent
      count: {max: 2}
    ```
    """

    count: Bound
    span_type: Text | None = None
    tool: Text | None = None
    phrase: Regex | None = None
    role: Text | None = None

    family = "measure"
    says = {
        "within": "{what}: {observed} found, {bound} expected",
        "outside": "{what}: {observed} found, {bound} expected",
    }
    shows = ("observed", "span_ids")
    regexes = ("phrase",)

    def needs(self) -> tuple[Source, ...]:
        """Return the transcript for a phrase, else the trace."""
        return ("transcript",) if self.phrase is not None else ("trace",)

    def faults(self, resources: Resources) -> Iterator[Fault]:
        """Yield all that is wrong beyond types."""
        yield from super().faults(resources)
        yield from exactly_one(self, "span_type", "tool", "phrase")
        yield from only_with(self, "role", "phrase")
        yield from type_faults(self.span_type, "span_type")
        yield from bound_faults(self.count, "count")

    def rests_on(self) -> tuple[str, ...]:
        """Return what the trace's source must record."""
        return () if self.phrase is not None else (self.span_type or "tool_call",)

    def compile(self, resources: Resources) -> Check:
        """Return the check."""
        bound, what = self.count, self._what()
        role = None if self.role is None else fold_role(self.role)
        pattern = None if self.phrase is None else resources.pattern(self.phrase)

        def check(evidence: Evidence) -> Verdict:
            fields = {}
            if pattern is not None:
                lane = evidence.transcript.lane(role)
                observed, looked = lane.count(pattern), len(lane)
            else:
                trace = evidence.trace
                spans = trace.of_type(self.span_type) if self.span_type is not None else trace.calls(self.tool or "")
                observed, looked = len(spans), len(trace)
                fields["span_ids"] = span_ids(span.index for span in spans)
            tell, code = (holds, "within") if allows(bound, observed) else (breaks, "outside")
            facts = {"observed": observed, "what": what, "bound": words(bound)}
            return tell(code, exercised=looked, fields={"observed": observed, **fields}, **facts)

        return check

    def _what(self) -> str:
        if self.tool is not None:
            return f"calls of {self.tool}"
        return f"{self.span_type} spans" if self.span_type is not None else "turns with the phrase"
