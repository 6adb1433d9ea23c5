"""Whatever numbers a call holds, an envelope holds finite ones alone, and every way of judging gives the same bytes."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from _laws import law
from hotato import assert_ as A
from hotato.errors import EvidenceError, HotatoError
from hotato.model import codec
from hotato.model.call import Span, Turn
from hotato.state_adapter import MockStateAdapter

ODD = [-0.0, 5e-324, 2**53 + 1, 2**63, -(2**63) - 1, 10**40, 10**400, 1.5e-300, 10**15 + 1, 1.0000000000000002e15]
TIMES = (
    [-1.7e308, 1.7e308, 3, None],
    [-1e15, 1e15, 10**15, 0.1, None],
    [0, 3, 7.25, *ODD],
)  # a call has times of one sort


def calls(times: list[float | None]) -> st.SearchStrategy[dict[str, Any]]:
    """Return calls whose times and other numbers are of these, and some that are no evidence."""
    time, number = st.sampled_from(times), st.sampled_from([*times, *ODD])
    turn = st.fixed_dictionaries(
        {
            "role": st.sampled_from(["agent", "caller"]),
            "text": st.sampled_from(["your refund of 42", "hello"]),
            "start": time,
            "end": time,
        }
    )
    span = st.fixed_dictionaries(
        {
            "type": st.sampled_from(["tool_call", "tool_call", "handoff"]),
            "name": st.sampled_from(["refund", "lookup"]),
            "start_sec": time,
            "end_sec": time,
        },
        optional={
            "latency_ms": number,
            "arguments": st.fixed_dictionaries({"amount": number}),
            "result": st.fixed_dictionaries({"amount": number}),
        },
    )
    rows = st.fixed_dictionaries({"orders": st.lists(st.fixed_dictionaries({"total": number}), max_size=2)})
    events = st.lists(st.fixed_dictionaries({"sec": number}), max_size=2)
    return st.fixed_dictionaries(
        {"transcript": st.lists(turn, min_size=1, max_size=4), "spans": st.lists(span, min_size=1, max_size=4)},
        optional={
            "timing": st.fixed_dictionaries({"gap": number, "events": events}),
            "state": st.fixed_dictionaries({"before": rows, "after": rows}),
        },
    )


CALL = st.sampled_from(TIMES).flatmap(calls)
TOOL, SAID = {"tool": "refund"}, {"says": "refund"}
CHECKS: list[dict[str, Any]] = [
    {"kind": "within", "from": SAID, "to": TOOL, "max_sec": 5},
    {"kind": "within", "from": {"tool": "lookup"}, "to": TOOL, "max_sec": 1e300},
    {"kind": "between", "from": {"tool": "lookup"}, "to": TOOL, "min_sec": 1},
    {"kind": "until", "never": SAID, "until": TOOL},
    {"kind": "during", "max_gap_sec": 3},
    {"kind": "latency", "tool": "refund", "max_ms": 500},
    {"kind": "latency", "tool": "refund", "max_ms": 500, "percentile": 95},
    {"kind": "latency", "field": "gap", "max": 1e308},
    {"kind": "latency", "field": "events.sec", "max": 0.5},
    {"kind": "tool_call", "name": "refund", "args_subset": {"amount": 42}},
    {"kind": "tool_call", "name": "refund", "args_subset": {"amount": {"$gte": 1e308}}},
    {"kind": "tool_result", "name": "refund", "result_subset": {"amount": {"$lte": 1e308}}},
    {"kind": "http_result", "method": "POST", "url_matches": "refund", "status": 200},
    {"kind": "state", "resource": "orders", "expect": {"total": 7.25}},
    {"kind": "state_change", "resource": "orders", "field": "total", "from": 1, "to": 7.25},
    {"kind": "claim", "says": "refund of (?P<amount>[0-9]+)", "requires": TOOL, "capture": {"amount": "amount"}},
    {"kind": "order", "before": "hello", "after": "refund"},
    {"kind": "count", "tool": "refund", "count": {"max": 1}},
]


def plans() -> tuple[A.Plan, A.Plan]:
    """Return a plan of the checks that are in the language, with shortcuts and without."""
    source = {"version": 1, "assertions": [{"id": f"a{place}", **item} for place, item in enumerate(CHECKS)]}
    fast = A.compile_assertions(source)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("HOTATO_PLAIN", "1")
        return fast, A.compile_assertions(source)


FAST, PLAIN = plans()


def finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(finite, value.values()))
    if isinstance(value, list):
        return all(map(finite, value))
    return not isinstance(value, float) or math.isfinite(value)


def outcome(judge: Any) -> Any:
    try:
        return judge()
    except HotatoError as error:
        return [problem.code for problem in error.problems]


@law(150)
@given(CALL)
def test_no_number_of_a_call_makes_one_of_its_envelope_infinite(call: dict[str, Any]) -> None:
    raw = json.dumps(call).encode()

    def held() -> bytes:
        parts = {"transcript": call["transcript"], "spans": call["spans"], "timing": call.get("timing")}
        state = MockStateAdapter(call["state"]) if "state" in call else None
        judged = A.judge_call(PLAIN, A.build_context(**parts, state_adapter=state))
        assert finite(judged)
        return codec.encode_bytes(judged)

    found = outcome(lambda: A.judge_bytes(FAST, raw, state=MockStateAdapter))
    assert found == outcome(lambda: A.judge_bytes(PLAIN, raw, state=MockStateAdapter))
    if isinstance(found, bytes):
        assert b"NaN" not in found
        assert b"Infinity" not in found
        assert b'"sec":null' not in found
        assert finite(msgspec.json.decode(found))
        assert found == outcome(held)


@pytest.mark.parametrize("time", [1.7e308, -1.7e308, math.inf, math.nan, 10**15 + 1])
def test_turns_and_spans_in_hand_have_times_like_others(time: float) -> None:
    for turn in (Turn(0, "agent", "hello", time, 1), Turn(0, "agent", "hello", 1, time)):
        with pytest.raises(EvidenceError, match="must be a number of seconds between"):
            A.build_context(transcript=[turn])
    for span in (Span(0, "llm", None, time, 1, {}), Span(0, "llm", None, 1, time, {})):
        with pytest.raises(EvidenceError, match="must be a number of seconds between"):
            A.build_context(spans=[span])
