"""The `tool_error` kind."""

from __future__ import annotations

from hotato.kinds._kind import Check, Kind, Regex, Resources, Text
from hotato.match.evidence import Evidence
from hotato.match.text import fold
from hotato.model.call import span_ids
from hotato.model.verdict import Verdict, breaks, holds


class ToolError(Kind, frozen=True, kw_only=True, tag="tool_error"):
    """A call of a tool went wrong or, with `absent`, none did.

    - `name`: the tool.
    - `error_matches`: a regex searched in the error message; only such errors count.
    - `absent`: true turns the check round.

    A call went wrong when it has a truthy `error`, a failing `status` (`error`, `failed`, `cancelled`, `timeout` ...),
    `ok: false`, or a result with `isError: true`. With `absent`, a tool that was never called PASSes as vacuous.

    ```yaml
    - id: card-never-declined
      kind: tool_error
      name: charge_card
      error_matches: declined
      absent: true
    ```
    """

    name: Text
    error_matches: Regex | None = None
    absent: bool = False

    family = "trace"
    reads = ("trace",)
    says = {
        "errored": "{name} went wrong as asserted (calls: {count})",
        "clean": "{name} never went wrong in that way (calls: {count})",
        "not_called": "{name} was never called, so it did not go wrong",
        "no_error": "{name} never went wrong (calls: {count})",
        "other_error": "{name} went wrong, with a message that does not match",
        "present": "{name} went wrong in a way that must be absent (calls: {count})",
    }
    shows = ("span_ids",)
    regexes = ("error_matches",)

    def rests_on(self) -> tuple[str, ...]:
        """Return what the trace's source must record."""
        return ("tool_call",)

    def compile(self, resources: Resources) -> Check:
        """Return the check."""
        name, absent = self.name, self.absent
        search = None if self.error_matches is None else resources.pattern(self.error_matches).search

        def check(evidence: Evidence) -> Verdict:
            trace = evidence.trace
            calls = trace.calls(name)
            wrong = [(call.index, message) for call in calls if (message := trace.error(call)) is not None]
            found = [index for index, message in wrong if search is None or search(fold(message)) is not None]
            shown = {"span_ids": span_ids(found)}
            facts = {"name": name, "count": len(found) or len(calls)}
            if absent:
                if found:
                    return breaks("present", exercised=len(calls), fields=shown, **facts)
                return holds("clean" if calls else "not_called", exercised=len(calls), fields=shown, **facts)
            if found:
                return holds("errored", exercised=len(calls), fields=shown, **facts)
            code = "other_error" if wrong else "no_error" if calls else "not_called"
            shown = {"span_ids": span_ids(index for index, _ in wrong)}
            return breaks(code, exercised=len(calls), fields=shown, **facts)

        return check
