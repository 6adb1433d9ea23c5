"""The `pii` kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import msgspec

from hotato.kinds._kind import Check, Kind, Resources, Text
from hotato.match import pii
from hotato.match.evidence import Evidence
from hotato.match.text import fold_role
from hotato.model.fault import Fault
from hotato.model.verdict import Verdict, breaks, holds


class Pii(Kind, frozen=True, kw_only=True, tag="pii"):
    """No personal number or address was said.

    - `detectors`: what to look for: `ssn` (US social security numbers), `card_luhn` (payment cards), `email`, `phone`.
    - `mode`: always `must_not_leak`.
    - `role`: only what this party said (`agent`, `caller`, or another role of the transcript).
    - `spoken`: true counts what was said as words ("four one one one ...", "jane at example dot com"); false counts only
      what stands in the transcript as figures and signs.
    - `allow`: values that may be said, such as the company's own number; compared by letters and digits alone.

    A number said over several turns of one speaker is one hit at the turn in which it begins, also where the other party
    says "yes" or repeats a piece in between. `redacted_transcript` masks what any detector finds, whatever was asked for
    or allowed.

    ```yaml
    - id: no-card-said
      kind: pii
      detectors: [card_luhn, ssn]
      mode: must_not_leak
    ```
    """

    detectors: Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)]
    mode: Literal["must_not_leak"]
    role: Text | None = None
    spoken: bool = True
    allow: tuple[Text, ...] = ()

    family = "core"
    reads = ("transcript",)
    says = {
        "clean": "none of {detectors} found in {count} {whose} turns",
        "leaked": "{hits} found in {count} {whose} turns: {found}",
    }
    shows = ("redacted_transcript", "hits")

    def faults(self, resources: Resources) -> Iterator[Fault]:
        """Yield what is wrong: unknown or repeated detectors, allowed values that say nothing."""
        yield from super().faults(resources)
        known = pii.names()
        for place, name in enumerate(self.detectors):
            if name not in known:
                yield Fault(("detectors", place), "unknown_detector", f"unknown detector '{name}'", name, known)
            elif name in self.detectors[:place]:
                yield Fault(("detectors", place), "duplicate_item", f"detector '{name}' is named twice")
        for place, value in enumerate(self.allow):
            if not pii.plain(value):
                yield Fault(("allow", place), "needless_field", "an allowed value without letters and digits")

    def compile(self, resources: Resources) -> Check:  # noqa: ARG002  # nothing to prepare
        """Return the check."""
        role = None if self.role is None else fold_role(self.role)
        allowed = frozenset(form for value in self.allow for form in pii.forms(value))
        wanted, spoken = frozenset(self.detectors), self.spoken
        listed, whose = ", ".join(self.detectors), role or "recorded"

        def counts(hit: pii.Hit) -> bool:
            if hit.detector not in wanted or (hit.said and not spoken):
                return False
            return (role is None or hit.role == role) and hit.value not in allowed

        def check(evidence: Evidence) -> Verdict:
            turns = evidence.transcript.turns
            every = pii.find(turns)
            fields: dict[str, Any] = {"redacted_transcript": pii.redact(turns, every)}
            count = len(evidence.transcript.lane(role))
            hits = [hit for hit in every if counts(hit)]
            if not hits:
                return holds("clean", exercised=count, fields=fields, detectors=listed, count=count, whose=whose)
            fields["hits"] = [
                {"detector": hit.detector, "turn": hit.turn, "role": pii.redact_text(hit.role), "code": hit.code}
                for hit in hits
            ]
            named = [hit.detector for hit in hits]
            found = ", ".join(f"{named.count(name)} {name}" for name in self.detectors if name in named)
            return breaks(
                "leaked", exercised=count, fields=fields, hits=len(hits), count=count, whose=whose, found=found
            )

        return check
