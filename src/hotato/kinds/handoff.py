"""The `handoff` kind."""

from __future__ import annotations

from hotato.kinds._kind import Check, Kind, Resources, Text
from hotato.match.evidence import Evidence
from hotato.match.spans import HANDOFF, fell_through, target
from hotato.match.text import nfc
from hotato.model.call import span_ids
from hotato.model.verdict import Verdict, breaks, holds


class Handoff(Kind, frozen=True, kw_only=True, tag="handoff"):
    """The call was handed to someone else or, with `absent`, was not.

    - `to`: the target (`to`, `target` or `name` of the span), compared without case; default anyone.
    - `absent`: true turns the check round.

    A handoff that failed or was cancelled (a truthy `error`, `ok: false`, or a status such as `failed`, `cancelled`,
    `no_answer`) is no handoff. Saying "I will transfer you" is not one either: only the trace is read.

    ```yaml
    - id: reached-billing
      kind: handoff
      to: billing
    ```
    """

    to: Text | None = None
    absent: bool = False

    family = "trace"
    reads = ("trace",)
    says = {
        "handed_off": "the call was handed to {to}",
        "absent": "the call was not handed to {to}",
        "no_handoff": "the trace holds no handoff",
        "not_completed": "the handoff to {to} failed or was cancelled",
        "other_target": "the call was handed off, but not to {to}",
        "present": "the call was handed to {to}, which must not happen",
    }
    shows = ("span_ids",)

    def rests_on(self) -> tuple[str, ...]:
        """Return what the trace's source must record."""
        return ("handoff",)

    def compile(self, resources: Resources) -> Check:  # noqa: ARG002
        """Return the check."""
        absent, to = self.absent, self.to or "anyone"
        wanted = None if self.to is None else nfc(self.to).casefold()

        def check(evidence: Evidence) -> Verdict:
            spans = evidence.trace.of_type(HANDOFF)
            aimed = [s for s in spans if wanted is None or target(s) == wanted]
            done = [s for s in aimed if not fell_through(s)]
            looked = len(evidence.trace)
            shown = {"span_ids": span_ids(s.index for s in done)}
            if absent:
                tell, code = (breaks, "present") if done else (holds, "absent")
                return tell(code, exercised=looked, fields=shown, to=to)
            if done:
                return holds("handed_off", exercised=looked, fields=shown, to=to)
            code = "not_completed" if aimed else "other_target" if spans else "no_handoff"
            shown = {"span_ids": span_ids(s.index for s in aimed or spans)}
            return breaks(code, exercised=looked, fields=shown, to=to)

        return check
