"""The files of a shrunk call, and proof that what they hold still fails the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hotato.context.build import build_context
from hotato.context.trace import SCHEMA, read_trace
from hotato.context.transcript import read_transcript
from hotato.errors import InternalError
from hotato.model import codec
from hotato.model.call import Call, Span, StateAdapter, Turn
from hotato.plan.compile import Plan
from hotato.plan.run import judge
from hotato.probe.shrink import Shrunk, part_of

TRANSCRIPT, TRACE, STATE = "transcript.json", "voice_trace.jsonl", "state.json"
NAMES = (TRANSCRIPT, TRACE, STATE)
Rows = Callable[[Mapping[str, Any]], StateAdapter]


def files(plan: Plan, shrunk: Shrunk, rows: Rows) -> dict[str, str]:
    """Return name and text of each file that the call is written to; each is judged by the assertion again.

    Where records were read, the third file holds them and no others; `rows` makes a system of record of what it holds.
    Where these do not answer as the system did, it is left out. Raise InternalError where transcript and trace are judged
    otherwise.
    """
    call, assertion = shrunk.call, str(shrunk.result["id"])
    texts: dict[str, str] = {}
    if call.transcript is not None:
        texts[TRANSCRIPT] = codec.encode([_turn(turn) for turn in call.transcript], indent=2) + "\n"
    if call.spans is not None:
        captures = dict(sorted(call.captures.items()))
        meta = {"schema": SCHEMA, "_meta": True, **({"source": {"captures": captures}} if captures else {})}
        texts[TRACE] = "".join(f"{codec.encode(one)}\n" for one in (meta, *map(_span, call.spans)))
    part = part_of(plan, assertion)
    again = _read_back(texts, call, call.state_adapter)
    if not _is_same(part, again, shrunk):
        raise InternalError("what was shrunk is judged otherwise once it is written", assertion)
    if again.state_evidence:
        state = _records(again.state_evidence)
        if _is_same(part, _read_back(texts, call, rows(state)), shrunk):
            texts[STATE] = codec.encode(state, indent=2) + "\n"
    return texts


def _read_back(texts: Mapping[str, str], call: Call, adapter: StateAdapter | None) -> Call:
    spans, source = read_trace(texts[TRACE], TRACE) if TRACE in texts else (None, {})
    return build_context(
        transcript=read_transcript(texts[TRANSCRIPT], TRANSCRIPT) if TRANSCRIPT in texts else None,
        spans=spans,
        timing=call.timing,
        state_adapter=adapter,
        sources={"trace": source},
    )


def _is_same(part: Plan, call: Call, shrunk: Shrunk) -> bool:
    now = judge(part, call)[-1]
    return (now["status"], now["code"]) == (shrunk.result["status"], shrunk.result["code"])


def _records(read: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the records read as rows by resource, apart for before and after the call where either was asked for."""
    found: dict[str, dict[str, list[Any]]] = {}
    for one in read:
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
