"""The `state` kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from hotato.kinds._kind import Check, Kind, Resources, Subset, Text
from hotato.match.closest import shown
from hotato.match.evidence import Evidence
from hotato.match.records import Unreadable, filter_faults, read
from hotato.match.values import Expected
from hotato.model.fault import Fault
from hotato.model.verdict import Verdict, breaks, holds, unsettled


class State(Kind, frozen=True, kw_only=True, tag="state"):
    """The system of record holds a record, and its fields are as expected.

    - `resource`: what to ask for (a table, an endpoint), as the state adapter names it.
    - `filters`: which record; all must match.
    - `expect`: field to value; dotted paths reach inside; values may be matchers.

    Only the system of record is read. No such record is a FAIL: the system was asked and answered. A system that could
    not be read is INCONCLUSIVE, with the cause.

    ```yaml
    - id: refund-in-ledger
      kind: state
      resource: refunds
      filters: {order_id: A-1}
      expect: {status: posted, amount: {$gt: 0}}
    ```
    """

    resource: Text
    expect: Subset
    filters: dict[str, Any] = msgspec.field(default_factory=dict)

    family = "state"
    reads = ("state",)
    says = {
        "as_expected": "the {resource} record is as expected",
        "no_record": "{resource} holds no such record",
        "differs": "the {resource} record differs at {paths}",
        "unreadable": "{resource} could not be read: {cause}",
    }
    shows = ("closest",)
    values = ("expect",)

    def faults(self, resources: Resources) -> Iterator[Fault]:
        """Yield all that is wrong beyond types."""
        yield from super().faults(resources)
        yield from filter_faults(self.filters)

    def compile(self, resources: Resources) -> Check:  # noqa: ARG002
        """Return the check."""
        expected, resource, filters = Expected(self.expect, dotted=True), self.resource, self.filters

        def check(evidence: Evidence) -> Verdict:
            record = read(evidence, resource, filters)
            if isinstance(record, Unreadable):
                return unsettled("unreadable", resource=resource, cause=record.cause)
            if record is None:
                return breaks("no_record", resource=resource)
            differences = expected.differences(record)
            if not differences:
                return holds("as_expected", exercised=1, resource=resource)
            paths = ", ".join(d.path for d in differences)
            return breaks("differs", fields={"closest": shown(differences)}, resource=resource, paths=paths)

        return check
