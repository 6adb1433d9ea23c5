"""What a kind may not read it does not touch: the trace, the transcript and the system of record are kept apart."""

from __future__ import annotations

from typing import Any

import pytest

from hotato import assert_, kinds
from hotato.context.trace import spans
from hotato.errors import InternalError
from hotato.state_adapter import MockStateAdapter

SOURCES = ("transcript", "spans", "timing", "state_adapter")

SPANS = [
    {"type": "tool_call", "name": "verify", "start_sec": 1, "arguments": {"day": "friday"}, "latency_ms": 20},
    {"type": "tool_call", "name": "refund", "start_sec": 2, "result": {"state": "paid"}, "error": None},
    {"type": "tool_call", "name": "charge", "start_sec": 3, "error": "declined"},
    {"type": "http_exchange", "start_sec": 4, "method": "POST", "url": "/v1/refunds", "status_code": 201},
    {"type": "handoff", "start_sec": 5, "to": "billing"},
    {"type": "dtmf", "time_sec": 6, "digits": "12"},
    {"type": "termination", "time_sec": 7, "reason": "caller_hangup", "by": "caller"},
]
ROWS = {
    "before": {"orders": [{"id": 7, "status": "open"}]},
    "after": {"orders": [{"id": 7, "status": "shut"}]},
}

OF_TRACE: list[tuple[str, dict[str, Any], str]] = [
    ("tool_call", {"name": "verify", "args_subset": {"day": "friday"}}, "PASS"),
    ("tool_call", {"name": "verify", "count": 0}, "FAIL"),
    ("tool_call", {"require_order": ["refund", "verify"]}, "FAIL"),
    ("tool_call", {"never_before": {"tool": "refund", "until": "verify"}}, "PASS"),
    ("tool_result", {"name": "refund", "result_subset": {"state": "paid"}}, "PASS"),
    ("tool_result", {"name": "refund", "result_subset": {"state": "held"}}, "FAIL"),
    ("tool_error", {"name": "charge", "error_matches": "declined"}, "PASS"),
    ("tool_error", {"name": "charge", "absent": True}, "FAIL"),
    ("http_result", {"method": "POST", "url_matches": "refunds$", "status": 201}, "PASS"),
    ("http_result", {"method": "POST", "url_matches": "refunds$", "status": 500}, "FAIL"),
    ("handoff", {"to": "billing"}, "PASS"),
    ("handoff", {"absent": True}, "FAIL"),
    ("dtmf", {"digits": "12"}, "PASS"),
    ("dtmf", {"digits": "21"}, "FAIL"),
    ("termination", {"reason": "caller_hangup", "by": "caller"}, "PASS"),
    ("termination", {"by": "agent"}, "FAIL"),
    ("entity_accuracy", {"reference": {"day": "friday"}}, "PASS"),
    ("entity_accuracy", {"reference": {"day": "monday"}}, "FAIL"),
    ("sequence", {"steps": [{"tool": "verify"}, {"span_type": "handoff"}]}, "PASS"),
    ("sequence", {"steps": [{"span_type": "handoff"}, {"tool": "verify"}]}, "FAIL"),
    ("latency", {"tool": "verify", "max_ms": 20}, "PASS"),
    ("latency", {"tool": "verify", "max_ms": 19}, "FAIL"),
    ("count", {"tool": "verify", "count": 1}, "PASS"),
    ("count", {"span_type": "tool_call", "count": 1}, "FAIL"),
    ("outcome", {"all_of": [{"tool_called": "verify"}]}, "PASS"),
    ("outcome", {"any_of": [{"tool_called": "nobody"}]}, "FAIL"),
    ("within", {"from": {"tool": "verify"}, "to": {"tool": "refund"}, "max_sec": 1}, "PASS"),
    ("within", {"from": {"tool": "verify"}, "to": {"handoff": "anyone"}, "max_sec": 1}, "FAIL"),
    ("between", {"from": {"tool": "verify"}, "to": {"tool": "refund"}, "min_sec": 2}, "FAIL"),
    ("until", {"never": {"tool": "refund"}, "until": {"tool": "verify"}}, "PASS"),
    ("until", {"never": {"tool": "verify"}, "until": {"tool": "refund"}}, "FAIL"),
]
OF_STATE: list[tuple[str, dict[str, Any], str]] = [
    ("state", {"resource": "orders", "filters": {"id": 7}, "expect": {"status": "shut"}}, "PASS"),
    ("state", {"resource": "orders", "filters": {"id": 8}, "expect": {"status": "shut"}}, "FAIL"),
    ("state_change", {"resource": "orders", "field": "status", "from": "open", "to": "shut"}, "PASS"),
    ("state_change", {"resource": "orders", "field": "status", "changed": False}, "FAIL"),
]
OF_TRANSCRIPT: list[tuple[str, dict[str, Any], str]] = [
    ("phrase", {"regex": "hello"}, "PASS"),
    ("phrase", {"regex": "goodbye"}, "FAIL"),
    ("pii", {"detectors": ["ssn"], "mode": "must_not_leak"}, "PASS"),
    ("policy", {"rule_ids": ["recording-disclosure"]}, "FAIL"),
    ("order", {"before": "hello", "after": "balance"}, "PASS"),
    ("count", {"phrase": "hello", "count": 1}, "PASS"),
    ("outcome", {"all_of": [{"phrase": "hello"}]}, "PASS"),
    ("during", {"max_gap_sec": 2}, "PASS"),
]
OF_BOTH: list[tuple[str, dict[str, Any], str]] = [
    ("claim", {"says": "hello", "requires": {"tool": "verify"}, "by": "ever"}, "PASS"),
    ("claim", {"says": "hello", "requires": {"tool": "charge"}, "by": "ever"}, "FAIL"),
]
OF_TIMING: list[tuple[str, dict[str, Any], str]] = [
    ("latency", {"field": "gap_sec", "max": 0.5}, "PASS"),
    ("outcome", {"all_of": [{"field_present": "nothing"}]}, "FAIL"),
]
OF_NOTHING: list[tuple[str, dict[str, Any], str]] = [
    ("human_rubric", {"criterion": "polite"}, "INCONCLUSIVE"),
    ("judge_rubric", {"criterion": "polite"}, "INCONCLUSIVE"),
    ("timing_contract", {"bundle": "contracts"}, "INCONCLUSIVE"),
]
GIVEN: dict[str, Any] = {
    "transcript": assert_.build_context(
        transcript=[{"role": "agent", "text": "hello"}, {"role": "agent", "text": "your balance"}]
    ).transcript,
    "spans": spans(SPANS),
    "timing": {"gap_sec": 0.4},
    "state_adapter": MockStateAdapter(ROWS),
}


class TouchedError(Exception):
    """A source was read that the assertion has no right to."""


class Walled:
    """A call of which one source can be read and every other raises when touched."""

    def __init__(self, **readable: Any) -> None:
        self._readable = readable

    def __getattr__(self, name: str) -> Any:
        if name in SOURCES:
            if name not in self._readable:
                raise TouchedError(name)
            return self._readable[name]
        raise AttributeError(name)


def judged(kind: str, fields: dict[str, Any], call: Any) -> dict[str, Any]:
    return assert_.evaluate_assertion({"id": "a", "kind": kind, **fields}, call)


CASES = [
    *((*case, "spans") for case in OF_TRACE),
    *((*case, "state_adapter") for case in OF_STATE),
    *((*case, "transcript") for case in OF_TRANSCRIPT),
    *((*case, "timing") for case in OF_TIMING),
]


@pytest.mark.parametrize(("kind", "fields", "status", "source"), CASES, ids=str)
def test_a_verdict_stands_on_its_own_source_alone(kind: str, fields: dict[str, Any], status: str, source: str) -> None:
    assert judged(kind, fields, Walled(**{source: GIVEN[source]}))["status"] == status


@pytest.mark.parametrize(("kind", "fields", "status", "source"), CASES, ids=str)
def test_without_its_source_nothing_else_is_asked(kind: str, fields: dict[str, Any], status: str, source: str) -> None:
    result = judged(kind, fields, Walled(**{source: None}))
    assert result["status"] == "INCONCLUSIVE"
    assert result["code"] in (
        "no_evidence",
        {"spans": "no_trace", "state_adapter": "no_state"}.get(source, f"no_{source}"),
    )


@pytest.mark.parametrize(("kind", "fields", "status", "source"), CASES, ids=str)
def test_what_the_other_sources_say_changes_no_byte(
    kind: str, fields: dict[str, Any], status: str, source: str
) -> None:
    alone = judged(kind, fields, Walled(**{source: GIVEN[source]}))
    beside = judged(kind, fields, Walled(**GIVEN))
    assert alone == beside


@pytest.mark.parametrize(("kind", "fields", "status"), OF_BOTH, ids=str)
def test_what_was_said_and_done_is_read_and_nothing_else(kind: str, fields: dict[str, Any], status: str) -> None:
    both = {name: GIVEN[name] for name in ("transcript", "spans")}
    assert judged(kind, fields, Walled(**both)) == judged(kind, fields, Walled(**GIVEN))
    assert judged(kind, fields, Walled(**both))["status"] == status
    for missing, code in (("transcript", "no_transcript"), ("spans", "no_trace")):
        assert judged(kind, fields, Walled(**{**both, missing: None}))["code"] == code


@pytest.mark.parametrize(("kind", "fields", "status"), OF_NOTHING, ids=str)
def test_what_reads_no_call_touches_none(kind: str, fields: dict[str, Any], status: str) -> None:
    assert judged(kind, fields, Walled())["status"] == status


def test_a_formula_reads_results_and_no_source() -> None:
    document = {
        "version": 1,
        "assertions": [
            {"id": "called", "kind": "tool_call", "name": "verify"},
            {"id": "both", "kind": "formula", "expr": "called and not late"},
            {"id": "late", "kind": "latency", "tool": "verify", "max_ms": 1},
        ],
    }
    results = assert_.run_assertions(document, Walled(spans=GIVEN["spans"]))["results"]
    assert [r["status"] for r in results] == ["PASS", "PASS", "FAIL"]


def test_a_skipped_assertion_touches_no_source() -> None:
    document = {
        "version": 1,
        "assertions": [
            {"id": "called", "kind": "tool_call", "name": "nobody"},
            {"id": "said", "kind": "phrase", "regex": "hello", "when": "called"},
            {"id": "kept", "kind": "state", "resource": "orders", "expect": {"id": 7}, "when": "called"},
        ],
    }
    results = assert_.run_assertions(document, Walled(spans=GIVEN["spans"]))["results"]
    assert [r["status"] for r in results] == ["FAIL", "INCONCLUSIVE", "INCONCLUSIVE"]


def test_the_wall_stands() -> None:
    with pytest.raises(InternalError, match="TouchedError"):
        judged("tool_call", {"name": "verify"}, Walled(transcript=GIVEN["transcript"]))


def test_each_read_of_the_system_of_record_is_kept_as_evidence() -> None:
    call = assert_.build_context(state_adapter=GIVEN["state_adapter"])
    wanted = {"resource": "orders", "filters": {"id": 7}, "expect": {"status": "open"}}
    assert judged("state", wanted, call)["status"] == "FAIL"
    judged("state", {**wanted, "filters": {"id": 8}}, call)
    judged("state", {**wanted, "resource": "nothing"}, call)
    judged("state_change", {"resource": "orders", "field": "status", "changed": True}, call)
    kept = [(e["id"], e["filters"], e.get("when"), (e["observed"] or {}).get("status")) for e in call.state_evidence]
    assert kept == [
        ("r_0", {"id": 7}, None, "shut"),
        ("r_1", {"id": 8}, None, None),
        ("r_2", {}, "before", "open"),
        ("r_3", {}, "after", "shut"),
    ]


def test_an_adapter_that_breaks_is_told_by_its_class_alone() -> None:
    class Broken:
        def query(self, resource: str, **filters: Any) -> dict[str, Any] | None:
            raise RuntimeError("secret-address")

    result = judged("state", {"resource": "orders", "expect": {"id": 7}}, Walled(state_adapter=Broken()))
    assert (result["status"], result["code"]) == ("INCONCLUSIVE", "unreadable")
    assert result["reason"] == "orders could not be read: the adapter raised RuntimeError"


def test_every_kind_stands_before_the_wall() -> None:
    lists = (OF_TRACE, OF_STATE, OF_TRANSCRIPT, OF_BOTH, OF_TIMING, OF_NOTHING)
    seen = {case[0] for row in lists for case in row} | {"formula"}
    assert seen == set(kinds.names())
