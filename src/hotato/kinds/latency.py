"""The `latency` kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

import msgspec

from hotato.kinds._kind import Check, Kind, Resources, Source, Text, exactly_one, only_with
from hotato.match.evidence import Evidence
from hotato.match.misspelt import type_faults
from hotato.match.paths import in_timing
from hotato.match.spans import duration_ms, number
from hotato.model.call import span_ids
from hotato.model.fault import Fault
from hotato.model.verdict import Verdict, breaks, holds, unsettled

Limit = Annotated[int, msgspec.Meta(ge=0)] | Annotated[float, msgspec.Meta(ge=0)]
Percent = Annotated[int, msgspec.Meta(gt=0, le=100)] | Annotated[float, msgspec.Meta(gt=0, le=100)]


class Latency(Kind, frozen=True, kw_only=True, tag="latency"):
    """What took longest took at most so long.

    - `tool` with `max_ms`: the calls of a tool; `span_type` with `max_ms`: the spans of a type. Milliseconds.
    - `field` with `max`: the first number at a dotted path of the timing envelope, in that field's own unit.
    - `percentile`: judge this percentile of the measurements instead of the slowest (nearest rank: the smallest
      measurement that at least so many percent of them do not exceed).

    A span's measurement is its `latency_ms`; where it has none, its end minus its start. Only finite numbers of at least
    zero are measurements. Where nothing was measured the result is INCONCLUSIVE; so it is where the measurements keep
    the limit but some matching span has none, since that one may be the slow one.

    ```yaml
    - id: lookup-fast-enough
      kind: latency
      tool: lookup_account
      max_ms: 1500
    ```
    """

    tool: Text | None = None
    span_type: Text | None = None
    field: Text | None = None
    max_ms: Limit | None = None
    max: Limit | None = None
    percentile: Percent | None = None

    family = "measure"
    says = {
        "within": "{measured} measured, at most {limit} allowed",
        "too_slow": "{measured} measured, at most {limit} allowed",
        "no_span": "nothing to measure: no {what} in the trace",
        "not_measured": "no {what} has a measurement (a finite latency of at least 0)",
        "partly_measured": "some {what} has no measurement, so the slowest is not known ({unmeasured} of {count})",
        "no_number": "the timing envelope has no number at {what}",
    }
    shows = ("measured_ms", "measured", "span_ids")

    def needs(self) -> tuple[Source, ...]:
        """Return the timing for a field, else the trace."""
        return ("timing",) if self.field is not None else ("trace",)

    def faults(self, resources: Resources) -> Iterator[Fault]:
        """Yield all that is wrong beyond types."""
        yield from super().faults(resources)
        yield from exactly_one(self, "tool", "span_type", "field")
        yield from only_with(self, "percentile", "tool", "span_type")
        yield from type_faults(self.span_type, "span_type")
        wanted, other = ("max", "max_ms") if self.field is not None else ("max_ms", "max")
        if getattr(self, wanted) is None:
            yield Fault((), "missing_field", f"needs '{wanted}'")
        if getattr(self, other) is not None:
            yield Fault((other,), "needless_field", f"'{other}' does not go with this; the limit is '{wanted}'")

    def compile(self, resources: Resources) -> Check:  # noqa: ARG002
        """Return the check."""
        return self._of_timing if self.field is not None else self._of_spans

    def _of_timing(self, evidence: Evidence) -> Verdict:
        found = in_timing(evidence.timing, self.field or "")
        numbers = [n for value in found if (n := number(value)) is not None]
        if not numbers:
            return unsettled("no_number", what=self.field)
        return self._judge(numbers[0], self.max or 0, len(numbers), {"measured": numbers[0]})

    def _of_spans(self, evidence: Evidence) -> Verdict:
        trace = evidence.trace
        spans = trace.calls(self.tool) if self.tool is not None else trace.of_type(self.span_type or "")
        what = f"call of {self.tool}" if self.tool is not None else f"{self.span_type} span"
        if not spans:
            return unsettled("no_span", what=what)
        measured = sorted((ms, span.index) for span in spans if (ms := duration_ms(span)) is not None)
        if not measured:
            return unsettled("not_measured", what=what)
        slowest = measured[-1]
        if self.percentile is not None:
            slowest = measured[_rank(self.percentile, len(measured))]
        fields = {"measured_ms": slowest[0], "span_ids": span_ids([slowest[1]])}
        limit = self.max_ms or 0
        if slowest[0] <= limit and len(measured) < len(spans):
            unmeasured = len(spans) - len(measured)
            return unsettled("partly_measured", fields=fields, unmeasured=unmeasured, count=len(spans), what=what)
        return self._judge(slowest[0], limit, len(measured), fields)

    def _judge(self, measured: float, limit: float, count: int, fields: Mapping[str, object]) -> Verdict:
        tell, code = (holds, "within") if measured <= limit else (breaks, "too_slow")
        return tell(code, exercised=count, fields=fields, measured=measured, limit=limit)


def _rank(percent: float, count: int) -> int:
    """Return the position of the nearest-rank percentile among so many sorted measurements."""
    thousandths = round(percent * 1000)
    return max(0, -(-thousandths * count // 100_000) - 1)
