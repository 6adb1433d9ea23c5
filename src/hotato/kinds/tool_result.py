"""The `tool_result` kind."""

from __future__ import annotations

from hotato.kinds._kind import Check, Kind, Resources, Subset, Text
from hotato.match.closest import Want
from hotato.match.evidence import Evidence
from hotato.match.values import Expected
from hotato.model.call import span_ids
from hotato.model.verdict import Verdict, breaks, holds


class ToolResult(Kind, frozen=True, kw_only=True, tag="tool_result"):
    """A tool answered, and its answer contains what is expected.

    - `name`: the tool.
    - `result_subset`: fields that the result of some call must contain; values may be matchers. Without it any object
      that a successful call returned will do.

    Only the trace is read. A call that went wrong (see `tool_error`) gave no answer: what it may carry as a result is a
    placeholder. On FAIL the reason says whether the tool was never called, went wrong each time, returned no object, or
    returned something else, and `closest` shows the nearest result and where it differs.

    ```yaml
    - id: refund-went-through
      kind: tool_result
      name: issue_refund
      result_subset: {status: ok, amount: {$gt: 0}}
    ```
    """

    name: Text
    result_subset: Subset | None = None

    family = "trace"
    reads = ("trace",)
    says = {
        "answered": "results of {name} that match: {count}",
        "not_called": "{name} was never called",
        "errored": "every call of {name} went wrong, so there is no result to compare; tool_error checks errors",
        "no_result": "no call of {name} returned an object",
        "result_differs": "{name} answered, but never with the fields expected (results: {count})",
    }
    shows = ("span_ids", "closest")
    values = ("result_subset",)

    def rests_on(self) -> tuple[str, ...]:
        """Return what the trace's source must record."""
        return ("tool_call", "result")

    def compile(self, resources: Resources) -> Check:  # noqa: ARG002
        """Return the check."""
        name = self.name
        expected = Expected(self.result_subset or {})

        def check(evidence: Evidence) -> Verdict:
            trace = evidence.trace
            calls = trace.calls(name)
            if not calls:
                return breaks("not_called", exercised=len(trace), fields={"span_ids": []}, name=name)
            well = [call for call in calls if trace.error(call) is None]
            answers = [(call.index, trace.result(call)) for call in well]
            objects = [(index, result) for index, result in answers if type(result) is dict]
            matching = [index for index, result in objects if expected.matches(result)]
            want = Want(("tool_result", name), expected, lambda: objects)
            if matching:
                shown = {"span_ids": span_ids(matching)}
                return holds("answered", exercised=len(calls), fields=shown, want=want, name=name, count=len(matching))
            code = "result_differs" if objects else "no_result" if well else "errored"
            shown = {"span_ids": span_ids(call.index for call in calls)}
            return breaks(code, exercised=len(calls), fields=shown, want=want, name=name, count=len(objects))

        return check
