"""The files of a conversation: the evidence that a call was judged by, what it was judged by, and what came of it.

Evidence is written as hotato's own files and judged as it is read back from them, so that an artifact holds what was judged
and nothing else, whatever format it came in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from hotato.context.build import build_context
from hotato.context.trace import read_trace
from hotato.context.transcript import read_transcript
from hotato.context.written import rows_of, source_of, trace_text, transcript_text
from hotato.errors import StateAdapterError
from hotato.model.call import Call
from hotato.model.codec import decode, encode
from hotato.simulate import documents
from hotato.simulate.checks import Test
from hotato.simulate.conversation import Outcome
from hotato.simulate.evidence import RECORDED, SIMULATED, Simulated
from hotato.simulate.scenario import Scenario
from hotato.state.mock import MockStateAdapter
from hotato.state.snapshot import snapshot_text

TRANSCRIPT, TRACE, TIMING, STATE = "transcript.json", "voice_trace.jsonl", "timing.json", "state.json"
Files = dict[str, bytes]


def of_simulated(made: Simulated, scenario: Scenario) -> Files:
    """Return the evidence of a simulated call, and the scenario that it was made of."""
    files = {name: text.encode() for name, text in made.texts().items()}
    if made.audio is not None:
        files["call.wav"] = made.audio
    return {**files, "scenario.json": _document(scenario)}


def of_recorded(call: Call) -> tuple[Call, Files]:
    """Return a recorded call as its files have it, and these; what is read of its records is written once it was judged."""
    files: Files = {}
    turns, spans, source, timing = None, None, dict[str, Any](), call.timing
    if call.transcript is not None:
        text = transcript_text(call.transcript, SIMULATED if origin_of(call) == SIMULATED else "")
        files[TRANSCRIPT], turns = text.encode(), read_transcript(text, TRANSCRIPT)
    if call.spans is not None:
        text = trace_text(call.spans, source_of(call))
        files[TRACE] = text.encode()
        spans, source = read_trace(text, TRACE)
    if timing is not None:
        text = encode(timing, indent=2) + "\n"
        files[TIMING], timing = text.encode(), decode(text)
    again = build_context(
        transcript=turns, spans=spans, timing=timing, state_adapter=call.state_adapter, sources={"trace": source}
    )
    again.audit = call.audit
    return again, files


def origin_of(call: Call) -> str:
    """Return `simulated` for evidence that says so, whatever a user hands it in as."""
    return SIMULATED if any(one.get("format") == SIMULATED for one in call.audit.values()) else RECORDED


def of_records(reads: Sequence[Mapping[str, Any]], origin: str) -> Files:
    """Return the records that were read while a call was judged; nothing where none were.

    They are a state file that answers each question as the system did. Where rows cannot, as two questions about one
    resource wanted them in another order each, they are the questions with their answers.
    """
    if not reads:
        return {}
    rows = rows_of(reads)
    adapter = MockStateAdapter(rows)
    if all(_answered(adapter, one) == one["observed"] for one in reads):
        told = {"adapter": "mock", "origin": origin, "data": rows}
        return {STATE: (encode(told, indent=2) + "\n").encode()}
    return {STATE: snapshot_text([{**_question(one), "observed": one["observed"]} for one in reads]).encode()}


def of_outcome(test: Test, found: Outcome, notes: Sequence[Mapping[str, str]] = ()) -> Files:
    """Return the test, its scenario, and what came of it: deterministic results apart from what a model judged."""
    document = test.document if test.scenario is None else replace(test.document, scenario="scenario.json")
    result = {"test": test.document.id, **found.told(test.dimensions), **({"notes": list(notes)} if notes else {})}
    files = {"test.json": _document(document)}
    if test.scenario is not None:
        files["scenario.json"] = _document(test.scenario)
    files["result.json"] = (encode({**result, "envelope": found.envelope}, indent=2) + "\n").encode()
    if test.packs:
        files["packs.json"] = (encode(dict(sorted(test.packs.items())), indent=2) + "\n").encode()
    if found.rubric is not None:
        files["rubric.json"] = (encode(found.rubric, indent=2) + "\n").encode()
    return files


def _question(one: Mapping[str, Any]) -> dict[str, Any]:
    when = {"when": one["when"]} if one.get("when") else {}
    return {"resource": one["resource"], "filters": {**when, **one.get("filters", {})}}


def _answered(adapter: MockStateAdapter, one: Mapping[str, Any]) -> dict[str, Any] | None:
    asked = _question(one)
    try:
        return adapter.query(asked["resource"], **asked["filters"])
    except StateAdapterError:
        return {"": "no answer"}


def _document(made: Any) -> bytes:
    return (encode(documents.plain(made), indent=2) + "\n").encode()
