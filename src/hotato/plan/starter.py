"""A first assertions document, inferred from a trace of a call that went well."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from hotato.errors import Problem, UsageError
from hotato.match.spans import HANDOFF, TOOL_CALL, Trace, duration_ms, field, text
from hotato.model.call import Span

MOST_TOOLS = 20


def starter(spans: Sequence[Span] | None) -> dict[str, Any]:
    """Return a document that the trace itself passes: each tool called, their order, latency bounds, handoffs.

    Latency bounds are twice the slowest call seen, rounded up to 100 ms. Raise UsageError where the trace shows nothing to
    assert.
    """
    trace = Trace(spans or ())
    calls = [span for span in trace.of_type(TOOL_CALL) if span.name]
    names = list(dict.fromkeys(span.name or "" for span in calls))[:MOST_TOOLS]
    assertions: list[dict[str, Any]] = []
    ids: set[str] = set()

    def add(stem: str, kind: str, **fields: Any) -> None:
        base = re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-")[:100] or kind
        name, number = base, 2
        while name in ids:
            name, number = f"{base}-{number}", number + 1
        ids.add(name)
        assertions.append({"id": name, "kind": kind, **fields})

    for name in names:
        add(f"{name}-called", "tool_call", name=name)
    if len(names) > 1:
        add("tools-in-order", "tool_call", require_order=names)
    for name in names:
        measured = [ms for span in trace.calls(name) if (ms := duration_ms(span)) is not None]
        if measured and len(measured) == len(trace.calls(name)):
            add(f"{name}-latency", "latency", tool=name, max_ms=max(100, math.ceil(max(measured) * 2 / 100) * 100))
    for name in names:
        if all(trace.error(span) is None for span in trace.calls(name)):
            add(f"{name}-no-error", "tool_error", name=name, absent=True)
    for target in dict.fromkeys(text(field(s, "to", "target") or field(s, "name")) for s in trace.of_type(HANDOFF)):
        add(f"handoff-{target or 'any'}", "handoff", **({"to": target} if target else {}))
    if not assertions:
        said = "nothing to infer: the trace holds no tool call and no handoff"
        raise UsageError(Problem(code="nothing_to_infer", file="trace", message=said))
    return {"version": 1, "assertions": assertions}
