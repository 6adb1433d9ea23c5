"""The `termination` kind."""

from __future__ import annotations

from hotato.kinds._kind import Check, Kind, Resources, Text
from hotato.match.evidence import Evidence
from hotato.match.spans import ENDINGS, field, text
from hotato.match.text import fold_role, nfc
from hotato.model.call import Span, span_ids
from hotato.model.verdict import Verdict, breaks, holds


class Termination(Kind, frozen=True, kw_only=True, tag="termination"):
    """The call ended in this way or, with `absent`, did not.

    - `reason`: the recorded reason, compared without case; default any.
    - `by`: who ended it (`by` or `terminated_by` of the span); `assistant` is `agent`, `customer` is `caller`.
    - `absent`: true turns the check round.

    `termination`, `call_ended`, `call_terminated` and `hangup` spans are read. Where transport and application both
    recorded an end, one that says so is enough.

    ```yaml
    - id: caller-hung-up
      kind: termination
      reason: caller_hangup
    ```
    """

    reason: Text | None = None
    by: Text | None = None
    absent: bool = False

    family = "trace"
    reads = ("trace",)
    says = {
        "ended": "the call ended as asserted",
        "absent": "the call did not end in this way",
        "no_ending": "the trace holds no record of how the call ended",
        "other_ending": "the call's end is recorded, but none of this kind (records: {count})",
        "present": "the call ended in a way that must not happen",
    }
    shows = ("span_ids",)

    def rests_on(self) -> tuple[str, ...]:
        """Return what the trace's source must record."""
        return ("termination",)

    def compile(self, resources: Resources) -> Check:  # noqa: ARG002
        """Return the check."""
        absent = self.absent
        reason = None if self.reason is None else nfc(self.reason).casefold()
        by = None if self.by is None else fold_role(self.by).casefold()

        def ends(span: Span) -> bool:
            if reason is not None and (text(field(span, "reason")) or "").casefold() != reason:
                return False
            return by is None or fold_role(text(field(span, "by", "terminated_by")) or "").casefold() == by

        def check(evidence: Evidence) -> Verdict:
            spans = evidence.trace.of_type(*ENDINGS)
            found = [s.index for s in spans if ends(s)]
            looked = len(evidence.trace)
            shown = {"span_ids": span_ids(found)}
            if absent:
                tell, code = (breaks, "present") if found else (holds, "absent")
                return tell(code, exercised=looked, fields=shown)
            if found:
                return holds("ended", exercised=looked, fields=shown)
            shown = {"span_ids": span_ids(s.index for s in spans)}
            code = "other_ending" if spans else "no_ending"
            return breaks(code, exercised=looked, fields=shown, count=len(spans))

        return check
