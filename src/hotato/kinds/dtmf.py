"""The `dtmf` kind."""

from __future__ import annotations

from collections.abc import Iterator

from hotato.kinds._kind import Check, Kind, Resources, Text
from hotato.match.evidence import Evidence
from hotato.match.spans import DTMF, field, text
from hotato.model.call import span_ids
from hotato.model.fault import Fault
from hotato.model.verdict import Verdict, breaks, holds

KEYS = frozenset("0123456789*#ABCD")


class Dtmf(Kind, frozen=True, kw_only=True, tag="dtmf"):
    """Keys were pressed in this order or, with `absent`, were not.

    - `digits`: the keys, as text (`"1234"`, quoted): digits, `*`, `#` and A to D.
    - `absent`: true turns the check round.

    The keys of all `dtmf` spans (`digits` or `digit`) are joined in the order of time, one event a key or several; the
    digits must occur in them without a gap.

    ```yaml
    - id: pin-entered
      kind: dtmf
      digits: "04*2#"
    ```
    """

    digits: Text
    absent: bool = False

    family = "trace"
    reads = ("trace",)
    says = {
        "entered": "the keys were pressed",
        "absent": "the keys were not pressed, as it must be",
        "no_keys": "the trace holds no key press",
        "other_keys": "keys were pressed, but not these in this order (keys: {count})",
        "present": "keys were pressed that must not be",
    }
    shows = ("span_ids",)

    def faults(self, resources: Resources) -> Iterator[Fault]:
        """Yield all that is wrong beyond types."""
        yield from super().faults(resources)
        if not KEYS.issuperset(self.digits.upper()):
            yield Fault(("digits",), "digits", "a telephone has the keys 0 to 9, *, # and A to D")

    def rests_on(self) -> tuple[str, ...]:
        """Return what the trace's source must record."""
        return ("dtmf",)

    def compile(self, resources: Resources) -> Check:  # noqa: ARG002
        """Return the check."""
        wanted, absent = self.digits.upper(), self.absent

        def check(evidence: Evidence) -> Verdict:
            keys, owners = "", []
            for span in evidence.trace.of_type(DTMF):
                pressed = (text(field(span, "digits", "digit")) or "").upper()
                keys += pressed
                owners += [span.index] * len(pressed)
            place, looked = keys.find(wanted), len(evidence.trace)
            if place < 0:
                if absent:
                    return holds("absent", exercised=looked, fields={"span_ids": []})
                shown = {"span_ids": span_ids(owners)}
                return breaks("other_keys" if keys else "no_keys", exercised=looked, fields=shown, count=len(keys))
            shown = {"span_ids": span_ids(owners[place : place + len(wanted)])}
            return (
                breaks("present", exercised=looked, fields=shown)
                if absent
                else holds("entered", exercised=looked, fields=shown)
            )

        return check
