"""Handoffs among telemetry: spans that are one, agents that follow one another, and tools that hand over.

Each handoff is told by one to three signs. A span that is a handoff counts; the other signs fill in its target, and count
alone only where no such span explains them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import msgspec

from hotato.importers._dialect_tools import Tool, failure, role_of
from hotato.importers._handoffs import named_target
from hotato.importers._notes import Lost
from hotato.importers._out import Out
from hotato.importers._payload import some
from hotato.importers._raw import Raw

AGENTS = ("gen_ai.agent.name", "agent.name", "graph.node.id", "traceloop.entity.name")
_FROM = ("gen_ai.handoff.from_agent", "gen_ai.handoff.source_agent", "lk.previous_agent_label")
_TO = ("gen_ai.handoff.to_agent", "gen_ai.handoff.target_agent", "lk.agent_label")
_UNKNOWN = ("", "unknown")
_FOLLOWS = 60 * 10**9  # nanoseconds in which an agent that follows is the target of a handoff


class Sign(msgspec.Struct, kw_only=True):
    """A sign that one agent handed over to another at a moment, in nanoseconds."""

    to: str | None
    by: str | None = None
    start: int | None = None
    end: int | None = None
    raw: Raw | None = None
    error: Any = None
    call_id: str | None = None
    is_span: bool = False
    used: bool = False
    out: Out | None = None


def of_span(raw: Raw) -> Sign:
    """Return the handoff that a span is."""
    by, to = some(raw.first(_FROM)), some(raw.first(_TO))
    name = raw.name
    if name[:11].lower() == "handoff to ":
        by = by or some(raw.attrs.get("input.value"))
        to = to or some(raw.attrs.get("output.value")) or name[11:].strip()
    elif "\u2192" in name or "->" in name:
        left, _, right = name.removesuffix(".handoff").partition("\u2192" if "\u2192" in name else "->")
        by, to = by or left.strip(), to or right.strip()
    return Sign(
        to=None if to is None or to.lower() in _UNKNOWN else to,
        by=None if by is None or by.lower() in _UNKNOWN else by,
        start=raw.start,
        end=raw.end,
        raw=raw,
        error=failure(raw)[0],
        is_span=True,
    )


def of_out(out: Out) -> Sign:
    """Return the sign that a handoff of the own type is; it is written as it stands, its target filled in."""
    data = out.data
    to = next((data[name] for name in ("to", "target", "name") if type(data.get(name)) is str), None)
    return Sign(to=to, start=out.start, end=out.end, raw=out.raw, is_span=True, out=out)


def of_agents(spans: list[Raw]) -> list[Sign]:
    """Return a sign for each agent that follows another one under the same parent."""
    rows: dict[tuple[str, str], list[Raw]] = {}
    for span in spans:
        if span.start is not None and span.parent and some(span.first(AGENTS)) is not None:
            rows.setdefault((span.trace, span.parent), []).append(span)
    signs = []
    for row in rows.values():
        row.sort(key=lambda s: (s.start or 0, s.end or 0, s.id))
        for before, after in pairwise(row):
            by, to = some(before.first(AGENTS)), some(after.first(AGENTS))
            if by != to and before.end is not None and before.end <= (after.start or 0):
                signs.append(Sign(to=to, by=by, start=after.start, raw=after))
    return signs


def of_tools(tools: list[Tool]) -> list[Sign]:
    """Return a sign for each call of a tool such as `transfer_to_billing`."""
    signs = []
    for tool in tools:
        to = named_target(tool.name)
        if to is None:
            continue
        told = tool.result.get("assistant") if type(tool.result) is dict else None
        end = None if tool.inferred else tool.end
        sign = Sign(to=told if type(told) is str else to, start=tool.start, end=end, raw=tool.raw, error=tool.error)
        sign.call_id = tool.call_id
        signs.append(sign)
    return signs


def collected(spans: list[Sign], others: list[list[Sign]], lost: Lost) -> list[Out]:
    """Return each handoff once. `others` holds the weaker signs, the stronger kinds first."""
    found = sorted(spans, key=_by_time)
    for signs in others:
        for taken in found:
            taken.used = False
        for sign in sorted(signs, key=_by_time):
            match = next((one for one in found if not one.used and _may_be(one, sign)), None)
            if match is None:
                found.append(sign)
                sign.used = True
                continue
            match.used = True
            lost["handoff_inferred"] += match.to is None
            match.to = match.to or sign.to
            match.by = match.by or sign.by
            match.call_id = match.call_id or sign.call_id
            match.error = match.error if match.error is not None else sign.error
    lost["handoff_inferred"] += sum(not sign.is_span for sign in found)
    return [_out(sign) for sign in found]


def _by_time(sign: Sign) -> tuple[Any, ...]:
    return sign.start is None, sign.start or 0, sign.to or "", sign.by or ""


def _may_be(one: Sign, sign: Sign) -> bool:
    """Say whether two signs can be of one handoff: of one target, as far as both tell it, and near in time."""
    if one.to is not None and sign.to is not None:
        short, long = sorted((_folded(one.to), _folded(sign.to)), key=len)
        if short not in long:
            return False
    if one.start is None or sign.start is None:
        return True
    return abs(one.start - sign.start) <= _FOLLOWS


def _folded(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())


def _out(sign: Sign) -> Out:
    if sign.out is not None:
        own = sign.out.data
        named = any(type(own.get(name)) is str for name in ("to", "target", "name"))
        sign.out.data = own if named or sign.to is None else {**own, "to": sign.to}
        return sign.out
    data = {"to": sign.to, "from": sign.by, "tool_call_id": sign.call_id, "error": sign.error}
    data = {key: value for key, value in data.items() if value is not None}
    if not sign.is_span:
        data["inferred"] = True
    return Out(type="handoff", data=data, start=sign.start, end=sign.end, raw=sign.raw)


def is_agent(raw: Raw) -> bool:
    """Say whether a span is the run of an agent."""
    return role_of(raw) == "agent"
