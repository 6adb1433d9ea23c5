"""The public functions with values of other types: refused in words, never a bare error, and never a verdict by them."""

from __future__ import annotations

import datetime
import decimal
import inspect
import json
import types
from collections import ChainMap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy
import pyarrow
import pytest

from hotato import assert_ as A
from hotato import batch, core, importers, report, rubric, state_adapter, transcribe
from hotato.errors import StateAdapterError, UsageError

RECORDING = Path(core.__file__).parent / "timing" / "suites" / "barge_in" / "correction.flac"
DOCUMENT = {"version": 1, "assertions": [{"id": "greeted", "kind": "phrase", "regex": "hello"}]}
TURNS = [{"role": "agent", "text": "hello"}]
CONTEXT = A.build_context(transcript=TURNS)
PLAN = A.compile_assertions(DOCUMENT)
ENVELOPE = A.run_assertions(DOCUMENT, CONTEXT)
RAW = b'{"transcript": [{"role": "agent", "text": "hello"}], "state": {}}'


class Frozen(msgspec.Struct, frozen=True):
    role: str = "agent"


def generated() -> Iterator[Any]:
    yield {"role": "agent", "text": "hello"}


def itself() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["itself"] = value
    return value


# each is made anew, since a generator is used up
VALUES: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "int": lambda: 5,
    "bool": lambda: True,
    "nan": lambda: float("nan"),
    "str": lambda: "hello",
    "no text": lambda: "",
    "surrogate": lambda: "\ud800",
    "nul": lambda: "\0",
    "bytes": lambda: b"version: 1",
    "list": lambda: [1],
    "empty list": list,
    "set": lambda: {1},
    "empty dict": dict,
    "int key": lambda: {1: 2},
    "itself": itself,
    "chain map": lambda: ChainMap({"version": 1}),
    "proxy": lambda: types.MappingProxyType({"version": 1}),
    "generator": generated,
    "array": lambda: numpy.array([1, 2]),
    "scalar": lambda: numpy.int64(3),
    "truth": lambda: numpy.True_,
    "frozen": Frozen,
    "class": lambda: Frozen,
    "function": lambda: print,
    "object": object,
    "decimal": lambda: decimal.Decimal(1),
}
TEXTS = {"str", "no text", "surrogate", "nul"}
DICTS = {"empty dict", "int key", "itself", "chain map", "proxy"}

# (function, what it is called with, argument) -> the values that it takes
Case = tuple[Callable[..., Any], dict[str, Any], str, set[str]]


def judged(**settings: Any) -> Any:
    return A.judge_call(A.compile_assertions(DOCUMENT, **settings), CONTEXT)


def cases(folder: Path) -> Iterator[Case]:
    (folder / "a.yaml").write_text("version: 1\nassertions:\n  - {id: greeted, kind: phrase, regex: hello}\n")
    (folder / "c.json").write_text('[{"role": "agent", "text": "hello"}]')
    yield A.parse_assertions_yaml, {}, "text", {"str"}
    yield A.validate_assertions_doc, {}, "doc", set()
    yield A.compile_assertions, {}, "doc", set()
    for name in ("strict", "join_segments"):
        yield judged, {}, name, {"None", "bool"}
    yield judged, {}, "packs", {"empty list", "empty dict"}
    yield judged, {}, "file", TEXTS
    yield judged, {}, "inconclusive_policy", {"None"}
    yield judged, {}, "verify_bundle", {"None", "class", "function"}
    yield A.judge_call, {"ctx": CONTEXT}, "plan", set()
    yield A.judge_call, {"plan": PLAN}, "ctx", set()
    yield A.judge_bytes, {"raw": RAW}, "plan", set()
    yield A.judge_bytes, {"plan": PLAN}, "raw", set()
    yield A.judge_bytes, {"plan": PLAN, "raw": RAW}, "state", {"None", "class", "function"}
    yield A.run_assertions, {"doc": DOCUMENT}, "ctx", set()
    yield A.run_assertions_from_yaml, {"text": str(DOCUMENT)}, "ctx", set()
    yield A.run_assertions_from_yaml, {"ctx": CONTEXT}, "text", set()
    yield A.run_assertions_from_file, {"path": folder / "a.yaml"}, "ctx", set()
    yield A.run_assertions_from_file, {"ctx": CONTEXT}, "path", set()
    yield A.evaluate_assertion, {"ctx": CONTEXT}, "assertion", set()
    yield A.evaluate_assertion, {"assertion": DOCUMENT["assertions"][0]}, "ctx", set()  # type: ignore[index]
    yield A.envelope_from_results, {}, "results", {"no text", "empty list", "empty dict"}
    yield A.envelope_from_results, {"results": ENVELOPE["results"]}, "inconclusive_policy", {"None"}
    yield A.build_init_stub, {}, "ctx", set()
    yield A.render_assertions_yaml, {}, "doc", {"empty dict", "chain map", "proxy"}
    yield A.render_run_text, {}, "envelope", set()
    yield A.load_policy_pack, {}, "name", set()
    yield A.load_spans_file, {}, "path", set()
    yield A.load_transcript_file, {}, "path", set()
    yield A.build_context, {}, "transcript", {"None", "empty list"}
    yield A.build_context, {}, "transcript_path", {"None"}
    yield A.build_context, {}, "spans", {"None", "empty list"}
    yield A.build_context, {}, "trace_path", {"None"}
    yield A.build_context, {}, "timing", {"None", *DICTS}
    yield A.build_context, {}, "state_adapter", {"None"}
    yield A.build_context, {}, "sources", {"None", "empty dict"}
    yield A.build_context, {}, "capture_complete", {"bool"}
    yield from of_reports(folder)
    yield state_adapter.load_state_adapter, {}, "config", {"empty dict"}
    yield state_adapter.load_state_adapter, {"config": {}}, "base_dir", {"None", *TEXTS}
    yield state_adapter.HttpStateAdapter, {}, "config", set()
    yield state_adapter.SqlStateAdapter, {}, "config", set()
    yield from of_timing()
    given = {"assertions": folder / "a.yaml", "calls": str(folder / "c.json"), "out": folder / "out", "force": True}
    yield batch.run, given, "assertions", set()
    yield batch.run, given, "calls", set()
    yield batch.run, given, "packs", {"empty list", "empty dict"}
    yield batch.run, given, "inconclusive_policy", {"None"}
    for name in ("strict", "join_segments"):
        yield batch.run, given, name, {"None", "bool"}
    for name in ("force", "capture_complete", "envelopes"):
        yield batch.run, given, name, {"bool"}
    yield batch.run, given, "call_format", TEXTS
    yield batch.run, given, "address", TEXTS
    for name in ("batch_bytes", "workers"):
        yield batch.run, given, name, {"int"}
    yield batch.run, given, "max_errors", {"int"}
    yield batch.run, given, "min_pass_rate", {"None", "empty dict"}
    for name in ("engine", "kind"):
        yield batch.run, given, name, {"no text"} if name == "kind" else set()
    rows = {"plan": PLAN, "calls": pyarrow.RecordBatch.from_pylist([{"call_id": "1", "call": RAW.decode()}])}
    for name in ("plan", "calls"):
        yield batch.judge, rows, name, set()
    for name in ("capture_complete", "statuses_only"):
        yield batch.judge, rows, name, {"bool"}
    for function in (importers.load_call, importers.read_file):
        yield function, {}, "path", set()
        for name in ("format", "options"):
            yield function, {"path": folder / "c.json"}, name, {"None", *({"no text"} if name == "format" else set())}
    yield importers.load_call, {"path": folder / "c.json"}, "capture_complete", {"bool"}
    asked: dict[str, Any] = {"rubrics": (), "call": CONTEXT, "judge": print}
    yield rubric.run_rubrics, asked, "rubrics", {"empty list"}
    yield rubric.run_rubrics, asked, "call", set()
    yield rubric.run_rubrics, asked, "judge", {"class", "function"}
    yield rubric.run_rubrics, asked, "human", {"empty list"}
    for name in ("gate", "fresh"):
        yield rubric.run_rubrics, asked, name, {"bool"}
    yield rubric.load, {}, "source", set()
    yield rubric.load_file, {}, "path", set()
    yield batch.resume, {}, "out", set()
    yield batch.status, {}, "out", set()
    yield transcribe.transcribe, {}, "path", set()


def of_reports(folder: Path) -> Iterator[Case]:
    shown = {"assertions": ENVELOPE}
    for build in (report.build_report_html, report.build_report_md):
        yield build, {}, "assertions", {"None"}
        yield build, shown, "suite", {"None", *TEXTS}
        for name in ("transcript", "trace"):
            yield build, shown, name, {"None", "empty list"}
        for name in ("rubric", "base", "document"):
            yield build, shown, name, {"None"}
    for name in ("audio", "stereo"):
        yield report.build_report_html, shown, name, {"None"}
    for name in ("base", "new"):
        yield report.compare_runs, {"base": ENVELOPE, "new": ENVELOPE}, name, set()
    written = {"path": folder / "r.xml", "force": True, **shown}
    yield report.write_report, written, "path", set()
    yield report.write_report, written, "format", {"None"}
    yield report.write_report, written | {"path": folder / "new.xml"}, "force", {"bool"}
    yield report.build_report, shown, "format", set()
    yield report.build_index_html, {}, "rows", {"empty list"}
    yield report.build_index_html, {"rows": []}, "title", {"None", *TEXTS}


def of_timing() -> Iterator[Case]:
    heard = {"stereo": RECORDING}
    yield core.run_single, heard, "stereo", set()
    for name in ("onset_sec", "max_talk_over_sec", "max_time_to_yield_sec"):
        yield core.run_single, heard, name, {"None", "int"}
    yield core.run_single, heard, "expect", set()
    yield core.run_single, heard, "echo_gate", {"bool"}
    yield core.run_single, heard, "cfg", {"None", "empty dict"}
    yield core.run_single, heard, "stack", {"None", *TEXTS}
    yield core.run_suite, {}, "suite", set()
    yield core.run_suite, {"audio_dir": RECORDING.parent}, "scenarios_dir", {"None"}
    yield core.run_suite, {"scenarios_dir": RECORDING.parent}, "audio_dir", {"None"}
    yield core.run_suite, {}, "suffix", {"None"}
    yield core.verify_bundle, {}, "path", TEXTS


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def named(case: Case) -> str:
    return f"{case[0].__module__}.{case[0].__qualname__}({case[2]})"


def test_a_value_of_another_type_is_refused_in_words_by_every_public_function(folder: Path) -> None:
    wrong = []
    for case in cases(folder):
        function, given, argument, takes = case
        refused = set(VALUES) - takes
        for name in refused if function in (batch.run, core.run_suite) else VALUES:  # these work for seconds
            make = VALUES[name]
            try:
                function(**{**given, argument: make()})
            except (UsageError, StateAdapterError) as error:
                if name in takes or not str(error):
                    wrong.append(f"{named(case)} refuses {name}: {error}")
            except Exception as error:
                wrong.append(f"{named(case)} of {name}: {type(error).__name__}: {error}")
            else:
                if name not in takes:
                    wrong.append(f"{named(case)} takes {name}")
    assert wrong == []


def test_every_public_function_of_the_facade_is_tried(folder: Path) -> None:
    tried = {case[0] for case in cases(folder)}
    left = [name for name in A.__all__ if inspect.isfunction(getattr(A, name)) and getattr(A, name) not in tried]
    assert left == []
    assert [
        name for name in report.__all__ if callable(getattr(report, name)) and getattr(report, name) not in tried
    ] == []


# what would have passed -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        ({"Trace": {"captures": {"tool_call": False}}}, "sources.Trace: no such field.*did you mean 'trace'"),
        ({"trace": {"capture": {"tool_call": False}}}, "sources.trace.capture: no such field.*did you mean 'captures'"),
        ({"trace": {"captures": {"tool_cal": False}}}, "captures.tool_cal: no such field.*did you mean 'tool_call'"),
        ({"trace": {"captures": {"tool_call": "no"}}}, "captures.tool_call: must be True or False"),
        ({"trace": {"captures": ["tool_call"]}}, "captures: must be a mapping"),
        ({"trace": {"notes": ["lost"]}}, "notes: must be a list"),
    ],
)
def test_what_is_said_of_a_source_is_not_lost_for_how_it_is_spelt(sources: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        A.build_context(spans=[], sources=sources)


def test_a_result_that_nothing_would_count_is_refused() -> None:
    for status in ("fail", "ERROR", "SKIPPED", None, ["FAIL"]):
        with pytest.raises(UsageError, match=r"\[1\]\.status: a result's status is PASS, FAIL, INCONCLUSIVE"):
            A.envelope_from_results([*ENVELOPE["results"], {"id": "paid", "kind": "tool_call", "status": status}])


def test_a_mapping_of_evidence_is_no_context() -> None:
    with pytest.raises(UsageError, match="must be a context, as build_context returns it"):
        A.run_assertions(DOCUMENT, {"transcript": TURNS})


def test_an_object_with_one_of_the_attributes_is_a_context_and_none_of_them_is_looked_at_before_it_is_asked_for() -> (
    None
):
    class Lazy:
        transcript = CONTEXT.transcript

        @property
        def spans(self) -> Any:
            raise AssertionError

    class Remote:
        def __getattr__(self, name: str) -> Any:
            return getattr(CONTEXT, name)

    for ctx in (types.SimpleNamespace(transcript=CONTEXT.transcript), Lazy(), Remote()):
        assert A.run_assertions(DOCUMENT, ctx)["results"] == ENVELOPE["results"]


def test_a_path_may_be_an_object_of_pathlib(folder: Path) -> None:
    list(cases(folder))
    ctx = A.build_context(transcript_path=folder / "c.json")
    assert A.run_assertions_from_file(folder / "a.yaml", ctx)["exit_code"] == 0


def test_only_the_type_of_what_is_refused_is_told() -> None:
    with pytest.raises(UsageError) as refused:
        A.judge_call(PLAN, "my number is 4111 1111 1111 1111")
    assert "4111" not in str(refused.value)


# evidence in hand -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in VALUES if name != "itself"])
def test_an_envelope_is_json_whatever_a_span_in_hand_holds(name: str) -> None:
    for field in ("arguments", "result", "error", "status"):
        for value in (VALUES[name](), {"a": VALUES[name]()}):
            ctx = A.build_context(spans=[{"type": "tool_call", "name": "pay", field: value}])
            env = A.run_assertions({"version": 1, "assertions": PAID}, ctx)
            json.dumps(env, allow_nan=False)
            A.render_run_text(env)
            assert env["exit_code"] == 1


PAID = [
    {"id": "paid", "kind": "tool_call", "name": "pay", "args_subset": {"a": "x"}},
    {"id": "went-well", "kind": "tool_error", "name": "pay", "absent": True},
    {"id": "gave", "kind": "tool_result", "name": "pay", "result_subset": {"a": "x"}},
]


def test_a_value_without_a_json_form_is_shown_by_its_type() -> None:
    ctx = A.build_context(spans=[{"type": "tool_call", "name": "pay", "arguments": {"a": {4111}}}])
    (difference,) = A.evaluate_assertion(PAID[0], ctx)["closest"]["differences"]
    assert difference["observed"] == "(set, of which JSON has no form)"


class Text(str):
    __slots__ = ()


class Fields(dict[str, Any]):
    pass


@pytest.mark.parametrize(
    "value",
    [
        ("4111111111111111",),
        Text("4111111111111111"),
        Fields(k="4111111111111111"),
        {"k": ("4111111111111111",)},
        {4111111111111111: 1},
    ],
    ids=["tuple", "text", "mapping", "tuple inside", "int key"],
)
def test_a_recorded_value_in_hand_is_masked_whatever_its_class(value: Any) -> None:
    spans = [{"type": "tool_call", "name": "pay", "arguments": {"a": value}}]
    turns = [{"role": "agent", "text": "4111 1111 1111 1111"}]
    checks = [
        {"id": "private", "kind": "pii", "detectors": ["card_luhn"], "mode": "must_not_leak"},
        {"id": "paid", "kind": "tool_call", "name": "pay", "args_subset": {"a": "x"}},
        {**STATE, "kind": "state_change", "field": "v", "to": 2},
    ]
    ctx = A.build_context(spans=spans, transcript=turns, state_adapter=Adapter(v=value))
    results = A.run_assertions({"version": 1, "assertions": checks}, ctx)["results"]
    assert [result["status"] for result in results] == ["FAIL"] * 3
    assert "closest" in results[1]
    assert "delta" in results[2]
    assert "1111" not in json.dumps(results, allow_nan=False)


def test_a_report_tells_what_json_has_no_form_of_by_its_type_and_masks_what_stands_beside_it() -> None:
    spans = [
        {"type": "tool_call", "name": "pay", "arguments": {"a": [{"4111111111111111", "b"}, "4111111111111111", b"c"]}}
    ]
    check = {"id": "private", "kind": "pii", "detectors": ["card_luhn"], "mode": "must_not_leak"}
    turns = [{"role": "agent", "text": "4111 1111 1111 1111"}]
    env = A.run_assertions({"version": 1, "assertions": [check]}, A.build_context(spans=spans, transcript=turns))
    html, _ = report.build_report_html(assertions=env, trace=spans, transcript=turns)
    assert "(set, of which JSON has no form)" in html
    assert "(bytes, of which JSON has no form)" in html
    assert "1111" not in html


def test_a_span_that_contains_itself_is_refused() -> None:
    with pytest.raises(UsageError, match=r"\[1\]: a value in it contains itself"):
        A.build_context(spans=[{"type": "other"}, {"type": "tool_call", "name": "pay", "arguments": itself()}])


def test_values_of_numpy_are_those_of_python() -> None:
    arguments = {"a": numpy.array([1, 2]), "b": numpy.int64(3), "c": numpy.True_}
    ctx = A.build_context(spans=[{"type": "tool_call", "name": "pay", "arguments": arguments}])
    check = {"id": "paid", "kind": "tool_call", "name": "pay", "args_subset": {"a": [1, 2], "b": 3, "c": True}}
    assert A.evaluate_assertion(check, ctx)["status"] == "PASS"


def test_mappings_tuples_and_numbers_of_any_size_are_as_json_has_them() -> None:
    arguments = types.MappingProxyType({"a": (1, {"b": 10**400}), "c": {1: "d"}})
    ctx = A.build_context(spans=[{"type": "tool_call", "name": "pay", "arguments": arguments}])
    check = {"id": "paid", "kind": "tool_call", "name": "pay", "args_subset": {"a": [1, {"b": 10**400}]}}
    assert A.evaluate_assertion(check, ctx)["status"] == "PASS"


class Adapter:
    def __init__(self, **record: Any) -> None:
        self.record = record

    def query(self, resource: str, **filters: Any) -> Any:
        return self.record


STATE = {"id": "booked", "kind": "state", "resource": "orders", "filters": {"id": "1"}}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (decimal.Decimal("51.00"), 51),
        (decimal.Decimal("0.5"), 0.5),
        (datetime.date(2026, 3, 1), "2026-03-01"),
        (b"\x00", "AA=="),
        (float("nan"), "nan"),
    ],
)
def test_what_a_driver_gives_is_compared_as_hotatos_own_adapters_tell_it(value: Any, told: Any) -> None:
    ctx = A.build_context(state_adapter=Adapter(status="paid", amount=value))
    assert A.evaluate_assertion({**STATE, "expect": {"status": "paid", "amount": told}}, ctx)["status"] == "PASS"
    result = A.evaluate_assertion({**STATE, "expect": {"amount": "other"}}, ctx)
    assert result["status"] == "FAIL"
    json.dumps([result, ctx.state_evidence], allow_nan=False)


@pytest.mark.parametrize("value", [object(), {"a", "b"}, [frozenset("ab")]], ids=["object", "set", "frozenset"])
def test_a_record_with_a_value_whose_text_differs_from_run_to_run_settles_nothing(value: Any) -> None:
    ctx = A.build_context(state_adapter=Adapter(status="paid", more=value))
    result = A.evaluate_assertion({**STATE, "expect": {"status": "paid"}}, ctx)
    assert (result["status"], result["code"]) == ("INCONCLUSIVE", "unreadable")
    assert "holds an object of type" in result["reason"]
    assert ctx.state_evidence == []


def test_a_context_that_was_made_by_hand_of_raw_turns_or_spans_is_refused() -> None:
    for made in (A.Context(transcript=TURNS), A.Context(spans=[{"type": "x"}]), A.Context(transcript="")):  # type: ignore[arg-type]
        with pytest.raises(UsageError, match=r"ctx\.(transcript|spans): must be what build_context makes of"):
            A.run_assertions(DOCUMENT, made)
