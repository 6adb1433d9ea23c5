"""The files of a shrunk call, and proof that what they hold still fails the same way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hotato.context.build import build_context
from hotato.context.trace import read_trace
from hotato.context.transcript import read_transcript
from hotato.context.written import rows_of, trace_text, transcript_text
from hotato.errors import InternalError
from hotato.model import codec
from hotato.model.call import Call, StateAdapter
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
        texts[TRANSCRIPT] = transcript_text(call.transcript)
    if call.spans is not None:
        texts[TRACE] = trace_text(call.spans, {"captures": dict(sorted(call.captures.items()))})
    part = part_of(plan, assertion)
    again = _read_back(texts, call, call.state_adapter)
    if not _is_same(part, again, shrunk):
        raise InternalError("what was shrunk is judged otherwise once it is written", assertion)
    if again.state_evidence:
        state = rows_of(again.state_evidence)
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
