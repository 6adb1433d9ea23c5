"""Steps that must occur in order, gaps allowed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from hotato.model.call import Span, span_id


class Alignment(msgspec.Struct, frozen=True):
    """Which spans the steps took, the first step that found none (None where all did), and the picture of it."""

    spans: list[int]
    broken: int | None
    shown: list[dict[str, Any]]


def align(steps: Sequence[dict[str, str]], spans: Sequence[Span], tests: Sequence[Callable[[Span], bool]]) -> Alignment:
    """Give each step the earliest span after that of the step before; `spans` are in the order of time.

    Taking the earliest is complete: if any assignment of steps exists, this one does. `shown` has an entry a step:
    what it asks for, the span it took or null, and whether it was `matched`, is `missing` from the trace, occurs only
    `earlier` than the step before it, or was `not_reached` after a broken step.
    """
    taken: list[Span] = []
    place = 0
    for test in tests:
        while place < len(spans) and not test(spans[place]):
            place += 1
        if place == len(spans):
            break
        taken.append(spans[place])
        place += 1
    broken = len(taken) if len(taken) < len(tests) else None
    shown: list[dict[str, Any]] = []
    if broken is not None:
        for number, (step, test) in enumerate(zip(steps, tests, strict=True)):
            span = taken[number] if number < broken else None
            state = "matched" if span is not None else "not_reached"
            if number == broken:
                used = {s.index for s in taken}
                span = next((s for s in spans if test(s) and s.index not in used), None)
                state = "missing" if span is None else "earlier"
            shown.append({**step, "state": state, "span_id": None if span is None else span_id(span.index)})
    return Alignment([span.index for span in taken], broken, shown)
