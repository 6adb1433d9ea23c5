"""The `tool_call` kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import msgspec

from hotato.kinds._kind import Check, Kind, Resources, Subset, Text, only_with
from hotato.match.bounds import Bound, allows, bound_faults, words
from hotato.match.closest import Want
from hotato.match.evidence import Evidence
from hotato.match.spans import TOOL_CALL
from hotato.match.steps import Step, align
from hotato.match.values import Expected
from hotato.model.call import Span, span_ids
from hotato.model.fault import Fault
from hotato.model.verdict import Verdict, breaks, holds


class Guard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`tool` may not be called before the first call of `until`."""

    tool: Text
    until: Text


class ToolCall(Kind, frozen=True, kw_only=True, tag="tool_call"):
    """A tool was called, so often, with these arguments, in this order; or was not called.

    Give at least one of `name`, `require_order` and `never_before`; every clause given must hold.

    - `name`: the tool. Alone: it was called at least once.
    - `args_subset`: only calls whose arguments contain this; values may be matchers such as `{$gte: 10}`.
    - `count`: how many such calls there are, a number or `{min, max}`; 0 means that it must not be called so.
    - `require_order`: tools that must be called in this order, other calls allowed between; each entry takes one call.
    - `never_before`: `{tool, until}`: `tool` must not be called before the first call of `until`.

    Only the trace is read: what the agent says it did does not count. A tool that was called and failed was called.
    On FAIL, `closest` shows the call that comes nearest and where its arguments differ.

    ```yaml
    - id: verified-before-refund
      kind: tool_call
      name: issue_refund
      args_subset: {amount: {$lte: 50}}
      never_before: {tool: issue_refund, until: verify_identity}
    ```
    """

    name: Text | None = None
    args_subset: Subset | None = None
    count: Bound | None = None
    require_order: Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)] | None = None
    never_before: Guard | None = None

    family = "core"
    reads = ("trace",)
    says = {
        "called": "every clause holds",
        "not_called": "{name} was never called",
        "args_differ": "{name} was called, but never with the arguments expected (calls: {count})",
        "wrong_count": "calls of {name} that match: {observed}; expected: {bound}",
        "out_of_order": "the calls required in order break at entry {step} ({name})",
        "too_early": "{name} was called before {until}",
        "guard_missing": "{name} was called, but {until} never was",
    }
    shows = ("span_ids", "closest", "alignment")
    values = ("args_subset",)

    def faults(self, resources: Resources) -> Iterator[Fault]:
        """Yield all that is wrong beyond types."""
        yield from super().faults(resources)
        yield from only_with(self, "args_subset", "name")
        yield from only_with(self, "count", "name")
        yield from bound_faults(self.count, "count")
        if self.name is None and self.require_order is None and self.never_before is None:
            yield Fault((), "missing_field", "needs at least one of name, require_order or never_before")
        if self.never_before is not None and self.never_before.tool == self.never_before.until:
            yield Fault(("never_before", "until"), "guard", "the same tool on both sides, so the check could not fail")

    def rests_on(self) -> tuple[str, ...]:
        """Return what the trace's source must record."""
        return ("tool_call", "arguments") if self.args_subset is not None else ("tool_call",)

    def compile(self, resources: Resources) -> Check:  # noqa: ARG002
        """Return the check."""
        given = {self._named: self.name, self._ordered: self.require_order, self._guarded: self.never_before}
        clauses = [clause for clause, value in given.items() if value is not None]
        expected = None if self.args_subset is None else Expected(self.args_subset)

        def check(evidence: Evidence) -> Verdict:
            seen, exercised, want = [], 0, None
            for clause in clauses:
                found = clause(evidence, expected)
                want = found.want or want
                if found.truth is not True:
                    return found
                seen += found.fields["spans"]
                exercised += found.exercised
            return holds("called", exercised=exercised, fields={"span_ids": span_ids(seen)}, want=want)

        return check

    def _named(self, evidence: Evidence, expected: Expected | None) -> Verdict:
        trace, name = evidence.trace, self.name or ""
        calls = trace.calls(name)
        matching, want = calls, None
        if expected is not None:
            matching = [call for call in calls if expected.matches(trace.arguments(call))]
            want = Want(("tool_call", name), expected, lambda: [(c.index, trace.arguments(c)) for c in calls])
        spans, looked = _positions(matching), len(trace)
        if self.count is not None:
            if allows(self.count, len(matching)):
                return holds("called", exercised=looked, fields={"spans": spans}, want=want if matching else None)
            want, shown = None if matching else want, {"span_ids": span_ids(spans)}
            facts = {"name": name, "observed": len(matching), "bound": words(self.count)}
            return breaks("wrong_count", exercised=looked, fields=shown, want=want, **facts)
        if matching:
            return holds("called", exercised=looked, fields={"spans": spans}, want=want)
        if calls:
            shown = {"span_ids": span_ids(_positions(calls))}
            return breaks("args_differ", exercised=looked, fields=shown, want=want, name=name, count=len(calls))
        return breaks("not_called", exercised=looked, fields={"span_ids": []}, name=name)

    def _ordered(self, evidence: Evidence, _: Expected | None) -> Verdict:
        names = self.require_order or ()
        spans = evidence.trace.of_type(TOOL_CALL)
        found = align([Step(tool=name) for name in names], spans)
        if found.broken is None:
            return holds("called", exercised=len(spans), fields={"spans": found.spans})
        step, shown = found.broken, {"span_ids": span_ids(found.spans), "alignment": found.shown}
        return breaks("out_of_order", exercised=len(spans), fields=shown, step=step + 1, name=names[step])

    def _guarded(self, evidence: Evidence, _: Expected | None) -> Verdict:
        tool, until = (self.never_before.tool, self.never_before.until) if self.never_before else ("", "")
        guarded = evidence.trace.calls(tool)
        if not guarded:
            return holds("called", exercised=0, fields={"spans": []})
        first = next(s for s in evidence.trace.of_type(TOOL_CALL) if s.name in (tool, until))
        if first.name == until:
            return holds("called", exercised=len(guarded), fields={"spans": _positions([first, *guarded])})
        opened = evidence.trace.calls(until)[:1]
        code, shown = "too_early" if opened else "guard_missing", {"span_ids": span_ids(_positions([first, *opened]))}
        return breaks(code, exercised=len(guarded), fields=shown, name=tool, until=until)


def _positions(spans: list[Span]) -> list[int]:
    return [span.index for span in spans]
