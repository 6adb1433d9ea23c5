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
from hotato.document.text import is_json
from hotato.errors import Problem, StateAdapterError, UsageError
from hotato.model.call import Call
from hotato.model.codec import decode, encode
from hotato.simulate import documents
from hotato.simulate.artifact import MOST_PACKS
from hotato.simulate.checks import Document, Test
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
    """Return the test, its scenario and rule packs, and what came of it: deterministic results apart from a model's.

    The test names scenario and packs as they lie beside it. Raise UsageError where there are too many packs.
    """
    packs = _names_of(test.packs)
    document = _beside(
        test.document if test.scenario is None else replace(test.document, scenario="scenario.json"), packs
    )
    result = {"test": test.document.id, **found.told(test.dimensions), **({"notes": list(notes)} if notes else {})}
    files = {"test.json": _document(document)}
    if test.scenario is not None:
        files["scenario.json"] = _document(test.scenario)
    files["result.json"] = (encode({**result, "envelope": found.envelope}, indent=2) + "\n").encode()
    files |= {name: test.packs[path].encode() for path, name in packs.items()}
    if found.rubric is not None:
        files["rubric.json"] = (encode(found.rubric, indent=2) + "\n").encode()
    return files


def _names_of(packs: Mapping[str, str]) -> dict[str, str]:
    """Return by the path of each rule pack the name that it has in the folder; packs with the same text are one file."""
    names: dict[str, str] = {}
    for text in (packs[path] for path in sorted(packs)):
        if text not in names:
            names[text] = f"pack-{len(names) + 1}.{'json' if is_json(text) else 'yaml'}"
    if len(names) > MOST_PACKS:
        said = f"the test names {len(names)} rule packs; a conversation holds {MOST_PACKS} at most"
        raise UsageError(Problem(code="conversation", file="test.json", message=said))
    return {path: names[text] for path, text in packs.items()}


def _beside(document: Document, packs: Mapping[str, str]) -> Document:
    """Return a test whose assertions name rule packs as they lie beside it."""
    if not packs:
        return document
    asserted = document.assertions
    moved = [
        {**one, "pack_path": packs[one["pack_path"]]} if one.get("pack_path") in packs else one
        for one in asserted.deterministic
    ]
    return replace(document, assertions=replace(asserted, deterministic=moved))


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
