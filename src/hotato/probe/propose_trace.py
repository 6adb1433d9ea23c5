"""Assertions on what was done: which tools, in which order, with arguments of what shape, how fast, and how it ended."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from hotato.match.spans import ENDINGS, HANDOFF, TOOL_CALL, Trace, duration_ms, field, target, text
from hotato.model.call import Span
from hotato.probe.propose_calls import Candidate, Seen, rounded_up

# forms of text that say nothing of its content; the first that every value has is taken
_FORMS = (r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", r"^[0-9]+$", r"^\+[0-9]+$", r"^[^@\s]+@[^@\s]+$", r"\S")
_FIELD = re.compile(r"[A-Za-z_][A-Za-z_.-]{0,40}[0-9]{0,2}")
_LABEL = re.compile(r"[^\W\d_]+(?:[ _-][^\W\d_]+){0,4}")  # a label without figures: no number of anybody
_SLACK = 1.5


def tools(seen: Seen) -> Iterator[Candidate]:
    """Yield that a tool is called, how often where that is always the same, and that what only bad calls call is not."""
    for name in seen.tools:
        shown = seen.calling(name)
        times = {len(seen.traces[place].calls(name)) for place in shown}
        if len(shown) < len(seen.every):
            yield Candidate(stem=f"{name}-called", kind="tool_call", fields={"name": name}, shown=seen.every)
            if times == {1}:
                fields: dict[str, Any] = {"name": name, "count": {"max": 1}}
                yield Candidate(stem=f"{name}-at-most-once", kind="tool_call", fields=fields, shown=shown)
        elif times == {1}:
            fields = {"name": name, "count": 1}
            yield Candidate(stem=f"{name}-called-once", kind="tool_call", fields=fields, shown=shown)
        else:
            yield Candidate(stem=f"{name}-called", kind="tool_call", fields={"name": name}, shown=shown)
    known = {span.name for trace in seen.traces for span in trace.of_type(TOOL_CALL)}
    others = dict.fromkeys(span.name for trace in seen.bad_traces for span in trace.of_type(TOOL_CALL) if span.name)
    for name in others:
        if name not in known:
            fields = {"name": name, "count": 0}
            yield Candidate(stem=f"{name}-not-called", kind="tool_call", fields=fields, shown=seen.every)


def orders(seen: Seen) -> Iterator[Candidate]:
    """Yield the longest row of tools that every good call calls in the same order, and what is called only after another."""
    first = {name: [_first(trace, name) for trace in seen.traces] for name in seen.tools}
    before = {
        (a, b)
        for a in seen.tools
        for b in seen.tools
        if a != b
        and all(then is None or (now is not None and now < then) for now, then in zip(first[a], first[b], strict=True))
    }
    always = [name for name in seen.tools if None not in first[name]]
    chain = _longest(always, before)
    if len(chain) > 1:
        fields: dict[str, Any] = {"require_order": chain}
        yield Candidate(stem="tools-in-order", kind="tool_call", fields=fields, shown=seen.every)
    for a, b in sorted(before, key=lambda pair: (seen.tools.index(pair[0]), seen.tools.index(pair[1]))):
        is_told_already = a in chain and b in chain
        if is_told_already or any((a, c) in before and (c, b) in before for c in seen.tools):
            continue
        fields = {"never_before": {"tool": b, "until": a}}
        yield Candidate(stem=f"{b}-after-{a}", kind="tool_call", fields=fields, shown=seen.calling(b))


def _first(trace: Trace, name: str) -> int | None:
    return next((place for place, span in enumerate(trace.of_type(TOOL_CALL)) if span.name == name), None)


def _longest(names: Sequence[str], before: set[tuple[str, str]]) -> list[str]:
    """Return the longest row of names in which each comes before the next."""
    ordered = sorted(names, key=lambda name: (sum((other, name) in before for other in names), names.index(name)))
    best: dict[str, list[str]] = {}
    for name in ordered:
        rows = [best[other] for other in ordered[: ordered.index(name)] if (other, name) in before]
        best[name] = [*max(rows, key=len, default=[]), name]
    return max(best.values(), key=len, default=[])


def shapes(seen: Seen) -> Iterator[Candidate]:
    """Yield that no call of a tool has arguments of another shape: the fields that are always there, with types and forms."""
    for name in seen.tools:
        rows = [trace.arguments(span) for trace in seen.traces for span in trace.calls(name)]
        if not all(type(row) is dict for row in rows):
            continue
        common = [key for key in rows[0] if _FIELD.fullmatch(key) and all(key in row for row in rows)]
        shape = {key: kept for key in common if (kept := _shape([row[key] for row in rows])) is not None}
        if shape:
            fields = {"name": name, "args_subset": {"$not": shape}, "count": 0}
            note = "no call has arguments that are not of this shape"
            yield Candidate(
                stem=f"{name}-arguments", kind="tool_call", fields=fields, shown=seen.calling(name), note=note
            )


def _shape(values: Sequence[Any]) -> dict[str, Any] | None:
    """Return the matcher that all values meet, of their type and form alone; None where their types differ."""
    types = {type(value) for value in values}
    if types == {str}:
        form = next((one for one in _FORMS if all(re.search(one, value) for value in values)), None)
        return {"$type": "string"} if form is None else {"$regex": form}
    if types == {bool}:
        return {"$type": "boolean"}
    if types == {int}:
        return {"$type": "integer"}
    if types <= {int, float} and types:
        return {"$type": "number"}
    if types == {list}:
        return {"$type": "list"}
    return {"$type": "object"} if types == {dict} else None


def errors(seen: Seen) -> Iterator[Candidate]:
    """Yield that a tool never goes wrong."""
    for name in seen.tools:
        fields: dict[str, Any] = {"name": name, "absent": True}
        yield Candidate(stem=f"{name}-no-error", kind="tool_error", fields=fields, shown=seen.calling(name))


def latencies(seen: Seen) -> Iterator[Candidate]:
    """Yield that a tool takes at most half as long again as the slowest call of the good calls."""
    for name in seen.tools:
        rows = [[duration_ms(span) for span in seen.traces[place].calls(name)] for place in seen.calling(name)]
        slowest = sorted(max(row) for row in rows if None not in row)  # type: ignore[type-var]  # no None is left
        if not slowest or len(slowest) < len(rows) or not slowest[-1]:
            continue
        most = rounded_up(float(slowest[-1] or 0) * _SLACK)
        half, most_of = (float(_quantile(slowest, part) or 0) for part in (0.5, 0.95))
        note = f"slowest in a good call: median {half:g} ms, 95 % {most_of:g} ms, at most {slowest[-1]:g} ms"
        fields: dict[str, Any] = {"tool": name, "max_ms": most}
        yield Candidate(
            stem=f"{name}-latency", kind="latency", fields=fields, shown=seen.calling(name), note=note, is_told=False
        )


def _quantile(ordered: Sequence[Any], part: float) -> Any:
    """Return the smallest of the values, in order, that so large a part of them does not exceed."""
    return ordered[max(0, -(-round(part * 100) * len(ordered) // 100) - 1)]


def endings(seen: Seen) -> Iterator[Candidate]:
    """Yield that the call is handed over, or is not, and how it ends, where the recorded word is a mere label."""
    rows = [trace.of_type(HANDOFF) for trace in seen.traces]
    shown = tuple(place for place in seen.every if rows[place])
    if shown:
        targets = {target(span) for row in rows for span in row}
        name = next(iter(targets)) if len(targets) == 1 else ""
        fields: dict[str, Any] = {"to": name} if _LABEL.fullmatch(name) else {}
        yield Candidate(stem="handed-off", kind="handoff", fields=fields, shown=shown)
    elif any(trace.of_type(HANDOFF) for trace in seen.bad_traces):
        yield Candidate(stem="not-handed-off", kind="handoff", fields={"absent": True}, shown=seen.every)
    ends = [trace.of_type(*ENDINGS) for trace in seen.traces]
    for name, fields_ in (("reason", ("reason",)), ("by", ("by", "terminated_by"))):
        words = {_label(span, fields_) for row in ends for span in row}
        if len(words) == 1 and all(ends) and (word := next(iter(words))):
            yield Candidate(stem=f"ended-{name}", kind="termination", fields={name: word}, shown=seen.every)


def _label(span: Span, names: Sequence[str]) -> str:
    word = text(field(span, *names)) or ""
    return word if _LABEL.fullmatch(word) else ""
