"""What the two rubric kinds share."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from hotato.kinds._kind import Check, Kind, Resources, Text
from hotato.match.evidence import Evidence
from hotato.model.verdict import Verdict, unsettled


class Rubric(Kind, frozen=True, kw_only=True):
    """A criterion of the rubric lane inside an assertions document."""

    criterion: Text | None = None
    evidence: Annotated[tuple[Literal["transcript", "tool_trace"], ...], msgspec.Meta(min_length=1)] | None = None
    examples: dict[str, Any] | None = None
    evaluation: dict[str, Any] | None = None
    review: dict[str, Any] | None = None

    family = "rubric"
    says = {"rubric_lane": "rubrics are not judged here: run them in the rubric lane, which is scored apart"}

    def compile(self, resources: Resources) -> Check:  # noqa: ARG002
        """Return a check that settles nothing."""

        def check(_: Evidence) -> Verdict:
            return unsettled("rubric_lane")

        return check
