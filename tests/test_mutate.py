"""A call is changed one step at a time, and every assertion that can fail is seen to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from hotato import assert_ as A
from hotato import packs
from hotato.cli import main
from hotato.match.evidence import Evidence
from hotato.match.pii import names as detectors
from hotato.match.regex import compile_pattern
from hotato.model.call import Call
from hotato.plan.resources import Resources
from hotato.plan.run import judge, settle
from hotato.probe.mutate import ADDED, CHANGES, OF_THE_DOCUMENT, every_change, mutate, spread
from hotato.probe.mutate_call import Change
from hotato.probe.mutate_held import Recorded
from hotato.probe.mutate_pattern import example
from hotato.probe.mutate_said import LEAKS
from hotato.state_adapter import MockStateAdapter
from hotato.testing import CaseCall, build_call, load_suite, read_suite

ROOT = Path(__file__).resolve().parent.parent
REFUND = ROOT / "examples" / "refund"
CASES = load_suite(ROOT / "conformance" / "kinds")
ACCEPTED = read_suite(ROOT / "conformance" / "documents" / "accepted.yaml")["accepted"]
SAID = [
    {"role": "agent", "text": "Which card shall I charge, marmalade?", "start": 0.5, "end": 2.0},
    {"role": "caller", "text": "The one ending in quince.", "start": 2.4, "end": 4.0},
    {"role": "agent", "text": "Charged, goodbye.", "start": 7.0, "end": 8.0},
]
DONE = [
    {"type": "tool_call", "name": "charge", "start_sec": 4.5, "end_sec": 6.0, "arguments": '{"card": "quince", "sum": 12}', "result": {"ok": True, "note": "damson"}},
    {"type": "tool_call", "name": "receipt", "start_sec": 6.1, "end_sec": 6.4, "arguments": {"by": "post"}, "error": "no printer"},
    {"type": "http_exchange", "method": "POST", "url": "https://pay.example/charges", "status_code": 201, "start_sec": 5.0, "end_sec": 5.5},
    {"type": "llm", "name": "small", "start_sec": 6.5, "end_sec": 6.8},
    {"type": "dtmf", "digits": "4", "time_sec": 6.9},
]  # fmt: skip
HELD = {
    "before": {"orders": [{"id": 1, "status": "open"}], "notes": []},
    "after": {"orders": [{"id": 1, "status": "paid"}], "notes": []},
}
TIMING = {"measurements": {"talk_over_sec": 0.2, "did_yield": True}}
DOCUMENT = [
    {"id": "asked", "kind": "phrase", "regex": "which card", "role": "agent"},
    {"id": "asked-first", "kind": "order", "before": "which card", "after": "charged"},
    {"id": "once", "kind": "count", "tool": "charge", "count": {"max": 3}},
    {"id": "sum", "kind": "tool_call", "name": "charge", "args_subset": {"sum": {"$gt": 0}, "currency": {"$exists": False}}},
    {"id": "no-refund", "kind": "tool_call", "name": "refund", "count": 0},
    {"id": "ok", "kind": "tool_result", "name": "charge", "result_subset": {"ok": True, "code": {"$exists": False}}},
    {"id": "keyed", "kind": "dtmf", "digits": "4"},
    {"id": "paid", "kind": "state_change", "resource": "orders", "filters": {"id": 1}, "field": "status", "changed": True},
    {"id": "noted", "kind": "state", "resource": "notes", "filters": {"order": 1}, "expect": {"text": "paid"}},
    {"id": "short", "kind": "latency", "field": "measurements.talk_over_sec", "max": 0.5},
    {"id": "all", "kind": "formula", "expr": "asked and ok"},
]  # fmt: skip


def call_of(**less: Any) -> Call:
    given = {"transcript": SAID, "spans": DONE, "state_adapter": MockStateAdapter(HELD), "timing": TIMING}
    return A.build_context(**{**given, **less})


def plan_of(*assertions: dict[str, Any]) -> A.Plan:
    return A.compile_assertions({"version": 1, "assertions": list(assertions)})


def every_case() -> list[tuple[str, A.Plan, Call]]:
    found = []
    for case in CASES:
        if case.files or case.call.bundles is not None:
            continue
        assertions = [*case.also, {"id": "under-test", "kind": case.kind, **case.assertion}]
        plan = A.compile_assertions({"version": 1, **case.document, "assertions": assertions})
        found.append((f"{case.kind}: {case.name}", plan, build_call(case.call)))
    for one in ACCEPTED:
        call = build_call(msgspec.convert(one["call"], CaseCall))
        found.append((one["name"], A.compile_assertions(one["document"]), call))
    return found


EVERY = every_case()


def test_statuses_alone_are_those_of_whole_results() -> None:
    for name, plan, call in EVERY:
        evidence = Evidence(call, join=plan.join_segments)
        settle(plan, evidence, plan.order)
        assert evidence.statuses == {r["id"]: r["status"] for r in judge(plan, call)}, name


def test_judging_what_a_change_reaches_gives_what_judging_all_gives() -> None:
    for name, plan, call in [*EVERY[::7], ("own", plan_of(*DOCUMENT), call_of())]:
        assert mutate(plan, call, most=60) == mutate(plan, call, most=60, incremental=False), name


def test_every_kind_of_change_is_made_and_listed() -> None:
    plan, call = plan_of(*DOCUMENT), call_of()
    recorded = Recorded(MockStateAdapter(HELD))
    judge(plan, call_of(state_adapter=recorded))
    assert {change.what for change in every_change(plan, call, recorded, Resources().pack)} == set(CHANGES)
    assert {*ADDED, *OF_THE_DOCUMENT} <= set(CHANGES)


@pytest.mark.parametrize(
    ("assertion", "flips"),
    [
        ({"kind": "phrase", "regex": "which card"}, "turn_dropped turn_altered words_unsaid cut_short nothing_happened"),
        ({"kind": "phrase", "regex": "which card", "role": "agent"}, "speaker_changed party_silent"),
        ({"kind": "phrase", "regex": "sorry", "absent": True}, "words_said"),
        ({"kind": "order", "before": "which", "after": "charged"}, "turn_moved"),
        ({"kind": "order", "before": "hello", "after": "goodbye for now"}, "said_in_wrong_order"),
        ({"kind": "count", "phrase": "charged", "count": {"max": 4}}, "turn_repeated words_said"),
        ({"kind": "pii", "detectors": ["card_luhn"], "mode": "must_not_leak"}, "number_leaked"),
        ({"kind": "tool_call", "name": "charge", "args_subset": {"sum": 12}}, "call_dropped calls_dropped tool_renamed argument_changed argument_dropped"),
        ({"kind": "tool_call", "name": "charge", "args_subset": {"tip": {"$exists": False}}}, "argument_added"),
        ({"kind": "tool_call", "never_before": {"tool": "receipt", "until": "charge"}}, "event_moved call_dropped"),
        ({"kind": "sequence", "steps": [{"tool": "charge"}, {"span_type": "http_exchange"}]}, "events_swapped"),
        ({"kind": "order", "before": "which", "after": "quince"}, "turns_swapped"),
        ({"kind": "count", "tool": "charge", "count": 1}, "call_repeated call_added"),
        ({"kind": "tool_result", "name": "charge", "result_subset": {"note": "damson"}}, "result_changed result_dropped"),
        ({"kind": "tool_error", "name": "charge", "absent": True}, "made_to_fail"),
        ({"kind": "tool_error", "name": "receipt"}, "made_to_succeed"),
        ({"kind": "latency", "tool": "charge", "max_ms": 2000}, "slowed"),
        ({"kind": "within", "from": {"says": "quince"}, "to": {"tool": "charge"}, "max_sec": 5}, "all_later event_moved"),
        ({"kind": "dtmf", "digits": "4"}, "event_dropped events_dropped field_changed field_dropped"),
        ({"kind": "http_result", "method": "POST", "url_matches": "charges", "status": 201}, "field_changed"),
        ({"kind": "handoff", "to": "desk", "absent": True}, "event_added"),
        ({"kind": "count", "span_type": "dtmf", "count": 1}, "event_repeated"),
        ({"kind": "state", "resource": "orders", "filters": {"id": 1}, "expect": {"status": "paid"}}, "record_dropped record_changed record_field_dropped"),
        ({"kind": "state", "resource": "notes", "filters": {"order": 1}, "expect": {"text": "paid"}}, "record_added"),
        ({"kind": "state_change", "resource": "orders", "filters": {"id": 1}, "field": "status", "changed": True}, "record_unchanged"),
        ({"kind": "latency", "field": "measurements.talk_over_sec", "max": 0.5}, "timing_changed"),
        ({"kind": "outcome", "all_of": [{"field_present": "measurements.talk_over_sec"}]}, "timing_dropped"),
    ],
    ids=lambda value: value if isinstance(value, str) else value["kind"],
)  # fmt: skip
def test_a_change_flips_what_reads_it(assertion: dict[str, Any], flips: str) -> None:
    (row,) = mutate(plan_of({"id": "a", **assertion}), call_of()).assertions
    assert set(flips.split()) <= {flip.change for flip in row.flips}


def test_a_banned_phrase_of_a_pack_in_a_file_is_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    rule = {"id": "r", "type": "banned", "regex": "no refunds"}
    (tmp_path / "house.json").write_text(json.dumps({"name": "house", "version": "1", "rules": [rule]}))
    (tmp_path / "a.json").write_text(
        json.dumps({"version": 1, "assertions": [{"id": "a", "kind": "policy", "pack_path": "house.json"}]})
    )
    (tmp_path / "said.json").write_text(json.dumps(SAID))
    words = ["--assertions", str(tmp_path / "a.json"), "--transcript", str(tmp_path / "said.json")]
    assert main(["assert", "mutate", *words, "--min-score", "100"]) == 0
    assert "words_said" in capfd.readouterr().out


def test_what_nothing_flips_comes_first_and_what_has_no_verdict_last() -> None:
    report = mutate(
        plan_of(
            {"id": "rubric", "kind": "judge_rubric", "criterion": "polite"},
            {"id": "seen", "kind": "tool_call", "name": "charge"},
            {"id": "idle", "kind": "formula", "expr": "seen or not seen"},
            {"id": "blind", "kind": "tool_call", "name": "charge", "when": "never"},
            {"id": "never", "kind": "tool_call", "name": "absent-tool"},
        ),
        call_of(),
    )
    assert [row.id for row in report.assertions] == ["idle", "blind", "seen", "never", "rubric"]
    assert [row.scored for row in report.assertions] == [True, True, True, True, False]
    assert (report.flipped, report.of, report.score) == (2, 4, 50.0)


def test_a_check_that_only_what_is_added_flips_says_so() -> None:
    report = mutate(
        plan_of(
            {"id": "typo", "kind": "tool_error", "name": "chrage", "absent": True},
            {"id": "right", "kind": "tool_error", "name": "charge", "absent": True},
        ),
        call_of(),
    )
    assert [(row.id, row.only_by_added) for row in report.assertions] == [("typo", True), ("right", False)]


def test_becoming_inconclusive_is_no_flip() -> None:
    trace = {"captures": {"tool_call": False}}
    call = A.build_context(spans=DONE[:1], sources={"trace": trace})
    (row,) = mutate(plan_of({"id": "a", "kind": "count", "tool": "charge", "count": {"min": 1}}), call).assertions
    assert row.unsettled
    assert "call_dropped" not in {flip.change for flip in row.flips}


def test_the_call_itself_is_left_as_it_was() -> None:
    call, plan = call_of(), plan_of(*DOCUMENT)
    before = json.dumps(A.judge_call(plan, call))
    mutate(plan, call)
    assert json.dumps(A.judge_call(plan, call_of())) == before
    assert call.transcript == call_of().transcript
    assert call.spans == call_of().spans


def test_a_system_of_record_is_asked_once_for_all_changes() -> None:
    asked = []

    class Counting(MockStateAdapter):
        def query(self, resource: str, *, when: str = "", **filters: Any) -> Any:
            asked.append((resource, when))
            return super().query(resource, when=when, **filters)

    mutate(plan_of(*DOCUMENT), call_of(state_adapter=Counting(HELD)))
    assert len(asked) == len(set(asked)) == 3


def test_of_too_many_changes_those_of_the_document_and_some_of_every_kind_remain() -> None:
    def change(what: str) -> Change:
        return Change(what, ("transcript",), lambda call: call)

    many = [*[change("turn_dropped")] * 500, *[change("turn_moved")] * 20, *[change("words_said")] * 30]
    kept = [one.what for one in spread(many, 100)]
    assert {what: kept.count(what) for what in set(kept)} == {"words_said": 30, "turn_moved": 20, "turn_dropped": 50}
    assert len(spread(many, 10)) == 10
    report = mutate(plan_of(*DOCUMENT), call_of(), most=40)
    assert (report.mutations, report.left_out > 0) == (40, True)


def test_a_personal_number_is_there_for_every_detector_and_found_by_it() -> None:
    assert set(LEAKS) == set(detectors())
    for name, text in LEAKS.items():
        plan = plan_of({"id": "a", "kind": "pii", "detectors": [name], "mode": "must_not_leak"})
        call = A.build_context(transcript=[{"role": "agent", "text": text}])
        assert judge(plan, call)[0]["status"] == "FAIL", name


def test_what_is_made_of_a_pattern_matches_it() -> None:
    patterns = {
        spec
        for case in CASES
        for key in ("regex", "phrase", "says")
        if isinstance(spec := case.assertion.get(key), str)
    }
    made = {pattern: example(pattern) for pattern in patterns}
    for pattern, text in made.items():
        assert text is None or compile_pattern(pattern).search(text) is not None
    assert sum(text is not None for text in made.values()) >= 0.9 * len(made)
    assert example("(?!)") is None


@pytest.mark.parametrize("name", packs.names("assertions"))
def test_every_assertion_of_a_pack_can_fail(name: str) -> None:
    call = A.build_context(transcript_path=REFUND / "transcript.json", trace_path=REFUND / "voice_trace.jsonl")
    report = mutate(A.compile_assertions(packs.text("assertions", name)), call)
    assert report.score == 100.0


def files(folder: Path) -> list[str]:
    (folder / "said.json").write_text(json.dumps(SAID))
    (folder / "done.jsonl").write_text("".join(json.dumps(span) + "\n" for span in DONE))
    (folder / "held.json").write_text(json.dumps(HELD))
    (folder / "a.json").write_text(json.dumps({"version": 1, "assertions": DOCUMENT}))
    given = {"assertions": "a.json", "transcript": "said.json", "trace": "done.jsonl", "state": "held.json"}
    return [word for flag, file in given.items() for word in (f"--{flag}", str(folder / file))]


def test_the_report_is_what_its_schema_says_and_the_same_every_time(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["assert", "mutate", *files(tmp_path), "--format", "json"]
    assert main(words) == 0
    first = capfd.readouterr().out
    assert main(words) == 0
    assert capfd.readouterr().out == first
    assert main(["assert", "schema", "mutate"]) == 0
    schema = json.loads(capfd.readouterr().out)
    Draft202012Validator.check_schema(schema)
    assert list(Draft202012Validator(schema).iter_errors(json.loads(first))) == []
    assert list(Draft202012Validator(schema).iter_errors({**json.loads(first), "ok": 1})) != []


def test_a_score_below_the_least_ends_with_1(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["assert", "mutate", *files(tmp_path)]  # without timing 'short' is not judged
    assert main([*words, "--min-score", "50"]) == 0
    assert main([*words, "--min-score", "100"]) == 1
    out = capfd.readouterr().out
    assert "NEVER FLIPS   short  latency: INCONCLUSIVE" in out
    assert out.endswith("below --min-score 100\n")


@pytest.mark.parametrize(
    "words", [["--min-score", "101"], ["--min-score", "x"], ["--most", "0"], ["--most", "1.5"], ["--most", "-1"]]
)
def test_a_number_that_means_nothing_is_refused(words: list[str], tmp_path: Path) -> None:
    assert main(["assert", "mutate", *files(tmp_path), *words]) == 2


def test_nothing_that_was_said_or_passed_is_shown(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for form in ("text", "json"):
        main(["assert", "mutate", *files(tmp_path), "--format", form])
        told = "".join(capfd.readouterr()).lower()
        assert [word for word in ("marmalade", "quince", "damson", "printer", "pay.example") if word in told] == []
