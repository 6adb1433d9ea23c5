"""Spans of a call on their way out: still with nanoseconds, so that the origin can be chosen last."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from hotato.importers._clock import S, window
from hotato.importers._notes import Lost
from hotato.importers._raw import Raw, Tree


class Out(msgspec.Struct, kw_only=True):
    """A span to be written: `data` without its times, which are nanoseconds; `raw` is the span it was read from.

    `is_instant` marks what happened at one moment. `inferred` marks a start that the source does not tell; `order` then
    counts in the order in which messages tell.
    """

    type: str
    data: dict[str, Any]
    start: int | None = None
    end: int | None = None
    raw: Raw | None = None
    is_instant: bool = False
    inferred: bool = False
    order: int = 0


def of_raw(kind: str, raw: Raw, data: dict[str, Any]) -> Out:
    """Return what is read from a span, with the span's window."""
    return Out(type=kind, data=data, start=raw.start, end=raw.end, raw=raw)


def written(outs: list[Out], tree: Tree, origin: int, lost: Lost) -> list[dict[str, Any]]:
    """Return spans in the order of start, then depth; the order does not depend on the order of the source."""
    ordered = sorted(outs, key=_start)
    index = 0
    while index < len(ordered):
        upto = index + 1
        while upto < len(ordered) and ordered[upto].start == ordered[index].start:
            upto += 1
        if upto - index > 1:
            ordered[index:upto] = sorted(ordered[index:upto], key=lambda out: _place(out, tree))
        index = upto
    return [_span(out, origin, lost) for out in ordered]


def _start(out: Out) -> tuple[bool, int]:
    return out.start is None, out.start or 0


def _place(out: Out, tree: Tree) -> tuple[Any, ...]:
    """Return where a span stands among those of the same start: what brought another about stands before it."""
    raw = out.raw
    late = out.type not in ("tool_call", "http_exchange")
    ids = (raw.trace, raw.id) if raw is not None else ("", "")
    depth = tree.depth(raw) if raw is not None else 0
    return (
        depth,
        late,
        out.order,
        out.end is None,
        -(out.end or 0),
        out.type,
        str(out.data.get("name")),
        *ids,
        _text(out.data),
    )


def _span(out: Out, origin: int, lost: Lost) -> dict[str, Any]:
    span: dict[str, Any] = {"type": out.type}
    name = out.data.get("name")
    if name is not None:
        span["name"] = name
    if out.is_instant and out.start is not None:
        span["time_sec"] = (out.start - origin) / S
    else:
        span.update(window(out.start, None if out.inferred else out.end, origin, lost))
    if out.inferred:
        lost["time_inferred"] += 1
        span["time_inferred"] = True
    span.update(out.data)
    return span


def _text(span: dict[str, Any]) -> str:
    return json.dumps(span, sort_keys=True)
