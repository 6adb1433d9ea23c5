"""Judging for counting finds what an envelope says, of every kind and case."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

from hotato import assert_ as A  # noqa: E402
from hotato import batch  # noqa: E402
from hotato.batch._rows import NUMBERS, _evidence  # noqa: E402
from hotato.document.load import load  # noqa: E402
from hotato.errors import HotatoError  # noqa: E402
from hotato.plan.compile import Plan, compile_plan  # noqa: E402
from hotato.plan.lean import Findings, findings, findings_of  # noqa: E402
from hotato.plan.resources import Resources  # noqa: E402
from hotato.plan.run import judge  # noqa: E402
from hotato.testing import UNDER_TEST, Case, build_call, load_suite  # noqa: E402

CASES = load_suite(Path(__file__).resolve().parent.parent / "conformance" / "kinds")


def told(found: Findings) -> list[Any]:
    """Return all that a table of results takes of what was found."""
    rows = [(_evidence(fields), [fields.get(name) for name in NUMBERS]) for fields in found.fields]
    return [found.statuses, found.codes, found.exercised, sorted(found.vacuous), sorted(found.skipped), rows]


def of_envelope(plan: Plan, call: Any) -> list[Any] | str:
    try:
        return told(findings_of(judge(plan, call)))
    except HotatoError as error:
        return str(error)


def for_counting(plan: Plan, call: Any) -> list[Any] | str:
    try:
        return told(findings(plan, call))
    except HotatoError as error:
        return str(error)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kind}: {case.name}")
def test_a_case_is_counted_as_its_envelope_has_it(case: Case) -> None:
    under_test = {"id": UNDER_TEST, "kind": case.kind, **case.assertion}
    loaded = {"version": 1, **case.document, "assertions": [*case.also, under_test]}
    bundles = case.call.bundles
    verify = None if bundles is None else lambda path: (*bundles.get(path, (0, 0)), 0)[:3]
    resources = Resources(case.files.__getitem__, verify)
    for strict in (None, True):
        plan = compile_plan(load(loaded, resources), resources, strict=strict)
        whole = of_envelope(plan, build_call(case.call))
        assert for_counting(plan, build_call(case.call)) == whole
        if isinstance(whole, list):
            bare = findings(plan, build_call(case.call), bare=True)
            assert [bare.statuses, bare.codes, bare.exercised, sorted(bare.vacuous), sorted(bare.skipped)] == whole[:5]
            assert not bare.fields


def test_an_assertion_that_breaks_is_named_as_in_an_envelope(monkeypatch: pytest.MonkeyPatch) -> None:
    from hotato.match.turns import Lane

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Lane, "first", broken)
    plan = A.compile_assertions({"version": 1, "assertions": [{"id": "a", "kind": "phrase", "regex": "x"}]})
    call = A.build_context(transcript=[{"role": "agent", "text": "x"}])
    said = of_envelope(plan, call)
    assert "ZeroDivisionError" in said
    assert for_counting(plan, call) == said


def test_a_batch_without_shortcuts_has_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    items = [
        {"id": "greets", "kind": "phrase", "regex": "hello"},
        {"id": "silent", "kind": "phrase", "regex": "never", "absent": True, "role": "caller"},
        {"id": "called", "kind": "tool_call", "name": "lookup", "when": "greets"},
        {"id": "fast", "kind": "latency", "tool": "lookup", "max_ms": 10},
        {"id": "stored", "kind": "state", "resource": "orders", "expect": {"a": 1}},
    ]
    calls: list[dict[str, Any]] = [
        {"transcript": [{"role": "agent", "text": "Hello"}], "spans": [{"type": "tool_call", "name": "lookup", "latency_ms": 20}]},
        {"transcript": [{"role": "agent", "text": "Good day"}], "state": {"orders": [{"a": 1}]}},
        {"spans": []},
        {"transcript": [{"role": "agent"}]},
        {},
    ]  # fmt: skip
    given = pa.RecordBatch.from_pylist([{"call_id": str(n), "call": json.dumps(one)} for n, one in enumerate(calls)])
    tables = []
    for plain in ("1", "0"):
        monkeypatch.setenv("HOTATO_PLAIN", plain)
        tables.append(batch.judge(A.compile_assertions({"version": 1, "assertions": items}), given))
    assert tables[0] == tables[1]
    bare = batch.judge(A.compile_assertions({"version": 1, "assertions": items}), given, statuses_only=True)
    assert bare.schema == batch.STATUSES
    assert bare == tables[0].select(batch.STATUSES.names)
    assert "vacuous" in bare.schema.names
    assert tables[0].column("status").to_pylist().count("ERROR") == 2
    assert tables[0].column("measured_ms").to_pylist()[3] == 20.0
