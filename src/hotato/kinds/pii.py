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

    - `detectors`: what to look for: `ssn` (US social security numbers), `card_luhn` (payment cards), `email`, `phone`,
      `iban`, `ip` (network addresses), `itin` (US taxpayer numbers), `dob` (dates of birth), `aba_routing` (US banks),
      `in_aadhaar` (India), `nhs_number` (England and Wales).
    - `mode`: always `must_not_leak`.
    - `role`: only what this party said (`agent`, `caller`, or another role of the transcript).
    - `spoken`: true counts what was said as words ("four one one one ...", "jane at example dot com"); false counts only
      what stands in the transcript as figures and signs.
    - `allow`: values that may be said, such as the company's own number; compared by letters and digits alone. `"*1111"`
      allows every number that ends in these digits, at least four.
    - `regions`: countries (ISO 3166, `DE`) whose telephone numbers are known as they are written there, without a country
      code, besides those of North America and Britain.

    A number said over several turns of one speaker is one hit at the turn in which it begins, also where the other party
    says "yes" or repeats a piece in between. `redacted_transcript` masks what any detector finds, whatever was asked for
    or allowed; `masks` tells where, and nothing else in it was masked.

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
    regions: tuple[Text, ...] = ()

    family = "core"
    reads = ("transcript",)
    veils = True
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
                said = f"unknown detector '{name}'; there are {', '.join(known)}"
                yield Fault(("detectors", place), "unknown_detector", said, name, known)
            elif name in self.detectors[:place]:
                yield Fault(("detectors", place), "duplicate_item", f"detector '{name}' is named twice")
        for place, value in enumerate(self.allow):
            plain = pii.plain(value)
            if not plain:
                yield Fault(("allow", place), "needless_field", "an allowed value without letters and digits")
            elif value.startswith("*") and not (len(plain) >= 4 and plain.isdigit()):
                yield Fault(("allow", place), "length", "'*' allows numbers by their last digits, at least four")
        if self.regions:
            every = pii.all_regions()
            for place, region in enumerate(self.regions):
                if region not in every:
                    said = f"unknown region '{region}'; a region is a country of ISO 3166, such as DE"
                    yield Fault(("regions", place), "wrong_value", said, region.upper(), every)

    def compile(self, resources: Resources) -> Check:  # noqa: ARG002  # nothing to prepare
        """Return the check."""
        role = None if self.role is None else fold_role(self.role)
        allowed = frozenset(form for value in self.allow if value[0] != "*" for form in pii.forms(value))
        endings = tuple(pii.plain(value) for value in self.allow if value[0] == "*")
        regions = tuple(sorted({*pii.REGIONS, *self.regions}))
        wanted, spoken = frozenset(self.detectors), self.spoken
        listed, whose = ", ".join(self.detectors), role or "recorded"

        def counts(hit: pii.Hit) -> bool:
            if hit.detector not in wanted or (hit.said and not spoken):
                return False
            return (role is None or hit.role == role) and not is_allowed(hit.value)

        def is_allowed(value: str) -> bool:
            return value in allowed or (value.isdigit() and value.endswith(endings))

        def check(evidence: Evidence) -> Verdict:
            every, fields = pii.in_call(evidence, regions, wanted if evidence.brief else None), dict[str, Any]()
            if not evidence.brief:
                fields["redacted_transcript"] = pii.redacted_call(evidence, regions)
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
