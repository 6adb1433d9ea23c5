"""Steps that must occur in order, gaps allowed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from hotato.match.spans import TOOL_CALL
from hotato.model.call import Span, span_id

_Name = Annotated[str, msgspec.Meta(min_length=1)]


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One step: a span of a type, or a call of a tool."""

    span_type: _Name | None = None
    tool: _Name | None = None

    def takes(self, span: Span) -> bool:
        """Say whether a span is this step."""
        if self.tool is not None:
            return span.type == TOOL_CALL and span.name == self.tool
        return span.type == self.span_type

    def shown(self) -> dict[str, str]:
        """Return the step as a document writes it."""
        return {"tool": self.tool} if self.tool is not None else {"span_type": self.span_type or ""}


class Alignment(msgspec.Struct, frozen=True):
    """Which spans the steps took, the first step that found none (None where all did), and the picture of it."""

    spans: list[int]
    broken: int | None
    shown: list[dict[str, Any]]


def align(steps: Sequence[Step], spans: Sequence[Span]) -> Alignment:
    """Give each step the earliest span after that of the step before; `spans` are in the order of time.

    Taking the earliest is complete: if any assignment of steps exists, this one does. `shown` has an entry a step:
    what it asks for, the span it took or null, and whether it was `matched`, is `missing` from the trace, occurs only
    `earlier` than the step before it, or was `not_reached` after a broken step.
    """
    taken: list[Span] = []
    left = iter(spans)
    for step in steps:
        kind, tool = (step.span_type, None) if step.tool is None else (TOOL_CALL, step.tool)
        found = next((span for span in left if span.type == kind and (tool is None or span.name == tool)), None)
        if found is None:
            break
        taken.append(found)
    broken = len(taken) if len(taken) < len(steps) else None
    shown: list[dict[str, Any]] = []
    if broken is not None:
        used = {span.index for span in taken}
        early = next((s for s in spans if s.index not in used and steps[broken].takes(s)), None)
        for number, step in enumerate(steps):
            span = taken[number] if number < broken else early if number == broken else None
            state = (
                "matched" if number < broken else "not_reached" if number > broken else "earlier" if span else "missing"
            )
            shown.append({**step.shown(), "state": state, "span_id": None if span is None else span_id(span.index)})
    return Alignment([span.index for span in taken], broken, shown)
