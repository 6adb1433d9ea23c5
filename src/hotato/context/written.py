"""The evidence of a call written as hotato's own files: what is read back is what was judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hotato.context.trace import SCHEMA
from hotato.model.call import Call, Span, Turn
from hotato.model.codec import encode


def transcript_text(turns: Iterable[Turn], origin: str = "") -> str:
    """Return turns as a transcript file, which says where they come from where that is told."""
    told = [_turn(turn) for turn in turns]
    return encode({"origin": origin, "transcript": told} if origin else told, indent=2) + "\n"


def trace_text(spans: Iterable[Span], source: Mapping[str, Any]) -> str:
    """Return spans as a trace file. `source` is what is known of where they come from: `format`, `captures`, `notes`."""
    known = {name: source[name] for name in ("format", "captures", "notes") if source.get(name)}
    meta = {"schema": SCHEMA, "_meta": True, **({"source": known} if known else {})}
    return "".join(f"{encode(one)}\n" for one in (meta, *map(_span, spans)))


def source_of(call: Call) -> dict[str, Any]:
    """Return what is known of where a call's trace comes from; what was vouched for is not told as missing."""
    told = call.audit.get("trace", {})
    captures = dict(sorted(call.captures.items()))
    return {**told, "captures": captures}


def rows_of(reads: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return records read as rows by resource, apart for before and after the call where either was asked for."""
    found: dict[str, dict[str, list[Any]]] = {}
    for one in reads:
        rows = found.setdefault(one.get("when", ""), {}).setdefault(one["resource"], [])
        if one["observed"] is not None and one["observed"] not in rows:
            rows.append(one["observed"])
    if set(found) == {""}:
        return dict(found[""])
    after = {**found.get("", {}), **found.get("after", {})}
    return {"before": found.get("before", {}), "after": after}


def _turn(turn: Turn) -> dict[str, Any]:
    found: dict[str, Any] = {"role": turn.role, "text": turn.text}
    found |= {name: value for name in ("start", "end", "seq") if (value := getattr(turn, name)) is not None}
    if turn.words:
        found["words"] = [{"word": word, "start": start, "end": end} for word, start, end in turn.words]
    return found


def _span(span: Span) -> dict[str, Any]:
    found: dict[str, Any] = {"type": span.type, **({} if span.name is None else {"name": span.name}), **span.data}
    if span.start is not None and found.get("start_sec") is None and found.get("time_sec") is None:
        found["start_sec"] = span.start
    if span.end is not None and found.get("end_sec") is None:
        found["end_sec"] = span.end
    return found
