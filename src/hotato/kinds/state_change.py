"""The `state_change` kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from hotato.kinds._kind import Check, Kind, Resources, Text
from hotato.match.evidence import Evidence
from hotato.match.matchers import value_faults
from hotato.match.paths import MISSING, at
from hotato.match.records import Unreadable, filter_faults, read
from hotato.match.values import Expected, same
from hotato.model.fault import Fault
from hotato.model.verdict import Verdict, breaks, holds, unsettled


class StateChange(Kind, frozen=True, kw_only=True, tag="state_change"):
    """A field of a record changed during the call as stated, or did not change.

    - `resource`, `filters`: which record, as for `state`.
    - `field`: a field of it; dotted paths reach inside.
    - at least one of `from` (its value before), `to` (its value after) and `changed` (true or false). `from` and `to` may
      be matchers.

    The state adapter is asked for the record before and after the call. One that has no such snapshot makes the result
    INCONCLUSIVE. A record that a snapshot does not hold is evidence: one that was made during the call has changed, one
    that is in neither snapshot is a FAIL, and so is a field that is in neither record. `delta` shows both values.

    ```yaml
    - id: order-was-cancelled
      kind: state_change
      resource: orders
      filters: {id: A-1}
      field: status
      from: open
      to: cancelled
    ```
    """

    resource: Text
    field: Text
    filters: dict[str, Any] = msgspec.field(default_factory=dict)
    before: Any = msgspec.field(default=msgspec.UNSET, name="from")
    after: Any = msgspec.field(default=msgspec.UNSET, name="to")
    changed: bool | None = None

    family = "state"
    reads = ("state",)
    says = {
        "as_stated": "{field} of {resource} is as stated",
        "no_record": "neither snapshot of {resource} holds such a record",
        "no_field": "neither snapshot of the {resource} record has {field}",
        "differs": "{field} of {resource} is not as stated: {what}",
        "unreadable": "{resource} could not be read {when} the call: {cause}",
    }
    shows = ("delta",)

    def faults(self, resources: Resources) -> Iterator[Fault]:
        """Yield all that is wrong beyond types."""
        yield from super().faults(resources)
        yield from filter_faults(self.filters)
        for name, value in (("from", self.before), ("to", self.after)):
            if value is not msgspec.UNSET:
                yield from value_faults(value, (name,))
        if self.before is msgspec.UNSET and self.after is msgspec.UNSET and self.changed is None:
            yield Fault((), "missing_field", "needs at least one of from, to or changed")

    def compile(self, resources: Resources) -> Check:  # noqa: ARG002
        """Return the check."""
        start = None if self.before is msgspec.UNSET else Expected(self.before)
        end = None if self.after is msgspec.UNSET else Expected(self.after)
        resource, field, changed = self.resource, self.field, self.changed

        def check(evidence: Evidence) -> Verdict:
            records = []
            for when in ("before", "after"):
                record = read(evidence, resource, self.filters, when)
                if isinstance(record, Unreadable):
                    return unsettled("unreadable", resource=resource, when=when, cause=record.cause)
                records.append(record)
            if records == [None, None]:
                return breaks("no_record", resource=resource)
            before, after = (MISSING if record is None else at(record, field) for record in records)
            if before is MISSING and after is MISSING:
                return breaks("no_field", resource=resource, field=field)
            wrong = []
            if start is not None and not start.matches(before):
                wrong.append("the value before differs")
            if end is not None and not end.matches(after):
                wrong.append("the value after differs")
            if changed is not None and same(before, after) is changed:
                wrong.append("it did not change" if changed else "it changed")
            values = {"before": before, "after": after}
            shown = {"delta": {"field": field, **{k: None if v is MISSING else v for k, v in values.items()}}}
            if wrong:
                return breaks("differs", fields=shown, resource=resource, field=field, what=", ".join(wrong))
            return holds("as_stated", exercised=2, fields=shown, resource=resource, field=field)

        return check
