"""`hotato suite run`: many runs of conversation tests, resumed, counted, and judged by one gate."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotato.cli import main
from hotato.errors import DocumentError, EvidenceError, UsageError
from hotato.runs import journal
from hotato.simulate import ran as ran_
from hotato.simulate import statistics
from hotato.simulate.against import compared
from hotato.simulate.gate import Rules, judge
from hotato.simulate.ran import Ran
from hotato.simulate.running import Request, run
from hotato.simulate.suite import load_suite_file

LONG = (
    "It covers everything that breaks in normal use, the motor as well as the cord, and we send you a new one "
    "if it cannot be mended."
)
SCENARIO: dict[str, Any] = {
    "kind": "hotato.scenario",
    "version": 1,
    "id": "warranty",
    "goal": {"type": "advice"},
    "caller": {
        "script": [{"say": "What does the warranty cover?"}, {"say": "Thank you."}],
        "behavior": {"backchannels": {"probability": 0.5}},
    },
    "environment": {"locale": "en-US", "route": "phone"},
    "agent_mock": {
        "greeting": "Hello.",
        "says": [LONG, "You are welcome, goodbye."],
    },
    "variation_matrix": {"speaking_rate": [0.8, 1.0], "repetitions": 3},
    "seed": 3,
}


def a_test(ident: str, regex: str, dimension: str = "outcome", **more: Any) -> dict[str, Any]:
    assertions = [{"id": "said", "kind": "phrase", "dimension": dimension, "regex": regex, **more}]
    return {
        "kind": "hotato.conversation-test",
        "version": 1,
        "id": ident,
        "agent": "mock",
        "scenario": "warranty.json",
        "assertions": {"deterministic": assertions},
        "success": {"required": ["no_deterministic_fail"]},
    }


TESTS = {
    "covered": a_test("covered", "covers everything", role="agent"),
    "wrong": a_test("wrong", "pigs can fly", role="agent"),
}
TESTS["quiet"] = a_test("quiet", "^(mm-hm|okay|right|I see)", "conversation", role="caller", absent=True)


def write(place: Path, value: Any) -> Path:
    place.write_text(json.dumps(value))
    return place


def suite(folder: Path, *names: str, **fields: Any) -> Path:
    """Write a suite with its tests and their scenario."""
    write(folder / "warranty.json", SCENARIO)
    for name in names or TESTS:
        write(folder / f"{name}.json", TESTS[name])
    told = {"kind": "hotato.suite", "version": 1, "suite_id": "warranty", "name": "The warranty"}
    told["tests"] = [f"{name}.json" for name in names or TESTS]
    return write(folder / "suite.json", {**told, **fields})


def ran(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, dict[str, Any]]:
    code = main(["suite", "run", *map(str, words), "--parallel", "1", "--format", "json"])
    return code, json.loads(capsys.readouterr().out)


def snapshot(folder: Path) -> dict[str, bytes]:
    names = [*folder.glob("*.*"), *folder.glob("pages/*")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in names if path.name != "journal.jsonl"}


def statuses(result: dict[str, Any], test: str) -> list[str]:
    return [one["status"] for one in result["runs"] if one["test"] == test]


# What the numbers are


@pytest.mark.parametrize(
    ("passed", "of", "low", "high"),
    [(15, 15, 0.796116, 1.0), (0, 15, 0.0, 0.203884), (50, 100, 0.403832, 0.596168), (1, 2, 0.094531, 0.905469)],
)
def test_wilson(passed: int, of: int, low: float, high: float) -> None:
    assert statistics.wilson(passed, of) == pytest.approx((low, high), abs=1e-6)


def test_nothing_judged_is_no_rate() -> None:
    assert statistics.wilson(0, 0) == (0.0, 1.0)
    assert statistics.pass_at(1, 0, 0) is None
    assert statistics.pass_all(1, 0, 0) is None


@given(st.integers(1, 7).flatmap(lambda of: st.tuples(st.just(of), st.integers(0, of), st.integers(1, of))))
def test_pass_at_k_and_pass_all_k_are_shares_of_all_choices(drawn: tuple[int, int, int]) -> None:
    of, passed, k = drawn
    chosen = list(combinations([True] * passed + [False] * (of - passed), k))
    assert statistics.pass_at(k, passed, of) == pytest.approx(sum(map(any, chosen)) / len(chosen))
    assert statistics.pass_all(k, passed, of) == pytest.approx(sum(map(all, chosen)) / len(chosen))
    for interval, estimate in (
        (statistics.pass_at_interval(k, passed, of), statistics.pass_at(k, passed, of)),
        (statistics.pass_all_interval(k, passed, of), statistics.pass_all(k, passed, of)),
    ):
        assert estimate is not None
        assert 0 <= interval[0] <= estimate <= interval[1] <= 1


@given(st.floats(0.01, 0.999))
def test_so_many_runs_are_needed_and_no_fewer(rate: float) -> None:
    count = statistics.needed(rate)
    assert statistics.wilson(count, count)[0] >= rate - 1e-9
    assert count == 1 or statistics.wilson(count - 1, count - 1)[0] < rate + 1e-9


@pytest.mark.parametrize(
    ("broken", "fixed", "worse", "differs"),
    [
        (5, 0, 1 / 32, 1 / 16),
        (4, 0, 1 / 16, 1 / 8),
        (0, 5, 1.0, 1 / 16),
        (0, 0, 1.0, 1.0),
        (8, 2, 56 / 1024, 112 / 1024),
    ],
)
def test_the_paired_test_is_exact(broken: int, fixed: int, worse: float, differs: float) -> None:
    assert statistics.paired(broken, fixed) == pytest.approx((worse, differs), abs=1e-12)


# Runs


def test_every_cell_is_played_and_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, result = ran(capsys, suite(tmp_path))
    assert (code, result["exit_code"], result["schema"]) == (1, 1, "suite.v1")
    assert [test["counts"]["runs"] for test in result["tests"]] == [6, 6, 6]
    assert statuses(result, "covered") == ["PASS"] * 6
    assert statuses(result, "wrong") == ["FAIL"] * 6
    assert set(statuses(result, "quiet")) == {"PASS", "FAIL"}
    assert [one["varied"] for one in result["cells"]] == ["rate=0.8", "rate=1.0"]
    assert result["dimensions"]["outcome"] == {"pass": 6, "fail": 6, "inconclusive": 0}
    assert result["tests"][1]["failed"] == {"said": 6}


def test_repeats_with_the_same_bytes_are_no_evidence_of_stability(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = suite(tmp_path, "covered")
    write(
        tmp_path / "warranty.json",
        {**SCENARIO, "caller": {**SCENARIO["caller"], "behavior": {"pause_ms": {"min": 500, "max": 500}}}},
    )
    _, result = ran(capsys, path, "--repetitions", "10")
    test = result["tests"][0]
    assert (test["counts"]["runs"], test["counts"]["repeated"]) == (20, 18)
    assert (test["rate"]["passed"], test["rate"]["of"]) == (2, 2)
    assert [cell["rate"]["of"] for cell in test["cells"]] == [1, 1]
    assert len(test["cells"][0]["rate"]["pass_all_k"]) == 1
    code, _ = ran(capsys, path, "--repetitions", "10", "--min-pass-rate", "0.5")
    assert code == 1  # two runs that differ show no rate of one half, however often they are repeated


def test_a_scenario_that_cannot_be_played_is_no_failure_of_the_agent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = suite(tmp_path, "covered")
    change = {"resource": "orders", "where": {"id": 2}, "set": {"done": True}}
    mock = {**SCENARIO["agent_mock"], "state": {"orders": [{"id": 1}]}, "tools": [{"name": "do", "changes": [change]}]}
    write(tmp_path / "warranty.json", {**SCENARIO, "agent_mock": mock})
    code, result = ran(capsys, path)
    assert code == 2
    assert result["summary"]["simulator_invalid"] == 6
    assert (result["summary"]["fail"], result["rate"]["of"]) == (0, 0)
    assert result["runs"][0]["why"]


def test_the_same_bytes_for_any_number_of_processes_and_after_a_kill_at_any_write(tmp_path: Path) -> None:
    loaded = load_suite_file(suite(tmp_path))
    whole = tmp_path / "whole"
    run(Request(suite=loaded, workers=1), Rules(), lambda *_: None, str(whole))
    expected = snapshot(whole)
    assert set(expected) >= {"results.json", "junit.xml", "report.html", "pages/wrong-0001.html"}
    run(Request(suite=loaded, workers=3), Rules(), lambda *_: None, str(tmp_path / "three"))
    assert snapshot(tmp_path / "three") == expected

    class Killed(BaseException):
        pass

    put, at = journal.Journal._put, 0
    while True:
        at += 1
        count = 0

        def torn(self: Any, name: str, stream: Any, raw: bytes, at: int = at) -> None:
            nonlocal count
            count += 1
            put(self, name, stream, raw if count < at else raw[: len(raw) // 2])
            if count == at:
                raise Killed

        out = str(tmp_path / f"killed-{at}")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(journal.Journal, "_put", torn)
            try:
                run(Request(suite=loaded), Rules(), lambda *_: None, out)
            except Killed:
                pass
            else:
                break
        run(Request(suite=loaded), Rules(), lambda *_: None, out, resume=True)
        assert snapshot(Path(out)) == expected
    assert at > 6


def test_a_process_that_is_killed_leaves_a_run_to_go_on_with(tmp_path: Path) -> None:
    path = suite(tmp_path)
    whole, out = tmp_path / "whole", tmp_path / "out"
    words = [sys.executable, "-m", "hotato", "suite", "run", str(path), "--repetitions", "30", "--no-pages", "--out"]
    assert subprocess.run([*words, str(whole)], capture_output=True, check=False).returncode == 1
    with subprocess.Popen([*words, str(out)], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as started:
        until = time.monotonic() + 30
        while time.monotonic() < until and not (
            (out / "journal.jsonl").exists() and (out / "journal.jsonl").read_bytes().count(b"\n") > 2
        ):
            time.sleep(0.005)
        started.send_signal(signal.SIGKILL)
    assert not (out / "results.json").exists()
    refused = subprocess.run([*words, str(out)], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "--resume goes on with it, --force starts anew" in refused.stderr
    done = subprocess.run([*words, str(out), "--resume"], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert snapshot(out) == snapshot(whole)


def test_runs_that_are_done_are_not_done_again_and_a_finished_run_is_judged_anew(tmp_path: Path) -> None:
    loaded, out = load_suite_file(suite(tmp_path, "covered", "wrong")), str(tmp_path / "out")
    first = run(Request(suite=loaded), Rules(), lambda *_: None, out)
    heard: list[tuple[int, ...]] = []
    again = run(
        Request(suite=loaded), Rules(min_pass_rate={"": 0.5}), lambda *told: heard.append(told), out, resume=True
    )
    assert heard == []
    assert again["runs"] == first["runs"]
    assert [one["rule"] for one in again["gate"]["rules"]] == ["min_pass_rate"] * 2
    assert json.loads((tmp_path / "out" / "results.json").read_text())["gate"] == json.loads(json.dumps(again["gate"]))


@pytest.mark.parametrize("what", ["suite", "test", "scenario", "repetitions"])
def test_what_has_changed_is_not_gone_on_with(tmp_path: Path, what: str) -> None:
    path, out = suite(tmp_path, "covered"), str(tmp_path / "out")
    run(Request(suite=load_suite_file(path)), Rules(), lambda *_: None, out)
    repetitions = 0
    if what == "suite":
        suite(tmp_path, "covered", name="Another name")
    elif what == "test":
        write(tmp_path / "covered.json", a_test("covered", "covers nothing"))
    elif what == "scenario":
        write(tmp_path / "warranty.json", {**SCENARIO, "seed": 4})
    else:
        repetitions = 2
    with pytest.raises(EvidenceError, match=r"has changed since the run began: it was .* and is .*--force") as refused:
        run(Request(suite=load_suite_file(path), repetitions=repetitions), Rules(), lambda *_: None, out, resume=True)
    assert refused.value.problems[0].code == "run_changed"
    if what == "repetitions":
        assert "'repetitions' of settings has changed since the run began: it was 0 and is 2;" in str(refused.value)


def test_force_removes_the_pages_of_the_run_before_and_nothing_else(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(Request(suite=load_suite_file(suite(tmp_path, "wrong"))), Rules(), lambda *_: None, str(out))
    (out / "pages" / "mine.html").write_text("mine")
    (out / "notes.txt").write_text("mine")
    run(Request(suite=load_suite_file(suite(tmp_path, "covered"))), Rules(), lambda *_: None, str(out), force=True)
    assert sorted(path.name for path in (out / "pages").iterdir()) == ["mine.html"]
    assert (out / "notes.txt").read_text() == "mine"


def test_a_folder_that_leads_elsewhere_is_not_written_through(tmp_path: Path) -> None:
    out, other = tmp_path / "out", tmp_path / "other"
    out.mkdir()
    other.mkdir()
    (other / "wrong-0001.html").write_text("not ours")
    (out / "pages").symlink_to(other)
    with pytest.raises(UsageError, match="symbolic link"):
        run(Request(suite=load_suite_file(suite(tmp_path, "wrong"))), Rules(), lambda *_: None, str(out))
    assert (other / "wrong-0001.html").read_text() == "not ours"


# Documents


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"tests": []}, "tests"),
        ({"tests": ["covered.json", "covered.json"]}, "this test is listed twice"),
        ({"tests": ["covered.json", "copy.json"]}, "the test id 'covered' is that of covered.json already"),
        ({"tests": ["gone.json"]}, "no such file"),
        ({"required_for_release": ["coverd"]}, "no test of the suite has the id 'coverd' (did you mean 'covered'?)"),
        ({"inconclusive_policy": "ignore"}, "inconclusive_policy"),
        ({"quarantine": [{"test": "covered", "until": "2027-02-30", "reason": "x"}]}, "is no day of the calendar"),
        ({"quarantine": [{"test": "covered", "until": "soon", "reason": "x"}]}, "until"),
        ({"quarantine": [{"test": "covered", "until": "2027-02-01"}]}, "reason"),
        ({"quarantine": [{"test": "cover", "until": "2027-02-01", "reason": "x"}]}, "no test of the suite has the id"),
        (
            {"quarantine": [{"test": "covered", "cell": "rate=0.9", "until": "2027-02-01", "reason": "x"}]},
            "has no cell 'rate=0.9' (did you mean 'rate=0.8'?)",
        ),
        ({"quarantine": [{"test": "covered", "until": "2027-02-01", "reason": "x"}] * 2}, "in quarantine already"),
        ({"test": ["covered.json"]}, "test"),
        ({"version": 2}, "must be the integer 1"),
    ],
)
def test_a_wrong_suite_is_refused_with_its_place(tmp_path: Path, fields: dict[str, Any], said: str) -> None:
    path = suite(tmp_path, "covered", **fields)
    shutil.copy(tmp_path / "covered.json", tmp_path / "copy.json")
    with pytest.raises(DocumentError) as refused:
        load_suite_file(path)
    problem = refused.value.problems[0]
    assert said in str(refused.value)
    assert problem.line == 1 or "gone" in problem.file


def test_all_that_is_wrong_in_any_test_is_told_at_once(tmp_path: Path) -> None:
    path = suite(tmp_path)
    for name in ("covered", "wrong"):
        write(tmp_path / f"{name}.json", {**TESTS[name], "agnt": "x"})
    with pytest.raises(DocumentError) as refused:
        load_suite_file(path)
    assert {os.path.basename(problem.file) for problem in refused.value.problems} == {"covered.json", "wrong.json"}


# Recorded calls


def record(folder: Path, *calls: tuple[str, str]) -> Path:
    """Write calls in which the agent says a word each."""
    for name, word in calls:
        place = folder / name
        place.mkdir(parents=True)
        turns = [{"role": "agent", "text": word, "start": 0.0, "end": 1.0}]
        write(place / "transcript.json", turns)
    return folder


def test_recorded_calls_stand_in_for_simulated_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = suite(tmp_path, "covered")
    calls = record(
        tmp_path / "calls",
        *((f"covered/noisy/{n}", f"It covers everything, {n}.") for n in range(3)),
        ("covered/noisy/3", "It does not."),
        ("covered/plain", "It covers everything."),
    )
    code, result = ran(capsys, path, "--calls", calls)
    assert code == 1
    assert result["settings"]["origin"] == "recorded"
    assert [(one["run"], one["cell"], one["status"]) for one in result["runs"]] == [
        ("noisy/0", "noisy", "PASS"),
        ("noisy/1", "noisy", "PASS"),
        ("noisy/2", "noisy", "PASS"),
        ("noisy/3", "noisy", "FAIL"),
        ("plain", "base", "PASS"),
    ]
    assert result["tests"][0]["flaky"] == ["noisy"]
    assert (result["rate"]["passed"], result["rate"]["of"]) == (4, 5)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("none", "holds no call of the test 'covered'"),
        ("empty", "covered/b: an empty folder"),
        ("hidden", "covered/b: an empty folder"),
        ("timing", "timing.json:1:2: not JSON"),
        ("other", "no test of the suite has this id"),
        ("broken", "transcript.json"),
    ],
)
def test_calls_that_are_missing_or_unread_are_not_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: str, said: str
) -> None:
    path = suite(tmp_path, "covered")
    calls = record(tmp_path / "calls", ("covered/a", "It covers everything."))
    if change == "none":
        shutil.rmtree(calls / "covered" / "a")
    elif change == "other":
        record(calls, ("coverd/a", "It covers everything."))
    elif change in ("empty", "hidden"):
        (calls / "covered" / "b").mkdir()
        if change == "hidden":
            (calls / "covered" / "b" / ".transcript.json").write_text("[]")
    elif change == "timing":
        (calls / "covered" / "a" / "timing.json").write_text("{")
    else:
        (calls / "covered" / "a" / "transcript.json").write_text("{")
    words = ["suite", "run", str(path), "--calls", str(calls), "--parallel", "1", "--out", str(tmp_path / "out")]
    for _ in range(2):  # what was refused before anything was done is in nobody's way
        assert main(words) == 2
        assert said in capsys.readouterr().err
    assert not {one.name for one in (tmp_path / "out").glob("*")} - {"lock"}


def test_what_is_written_is_not_taken_for_calls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = suite(tmp_path, "covered")
    calls = record(tmp_path / "calls", ("covered/a", "It covers everything."))
    for out in (calls, calls / "covered" / "out"):
        assert main(["suite", "run", str(path), "--calls", str(calls), "--out", str(out)]) == 2
        assert "lies in the folder of --calls" in capsys.readouterr().err
    words = ["suite", "run", str(path), "--calls", str(calls), "--out", str(tmp_path / "out"), "--parallel", "1"]
    assert main(words) == 0
    there = {one.name for one in (tmp_path / "out").iterdir()}
    assert main([*words, "--resume"]) == 0
    assert {one.name for one in (tmp_path / "out").iterdir()} == there


def test_without_a_verdict_nothing_is_let_through(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = suite(tmp_path, "covered")
    place = record(tmp_path / "calls", ("covered/a", "It covers everything.")) / "covered" / "b"
    place.mkdir()
    (place / "voice_trace.jsonl").write_text('{"type": "tool_call", "name": "look", "start_sec": 0.5}\n')
    code, result = ran(capsys, path, "--calls", tmp_path / "calls")
    assert statuses(result, "covered") == ["PASS", "INCONCLUSIVE"]
    assert (code, result["rate"]["of"]) == (2, 1)  # half of the runs, and a tenth may have none
    assert ran(capsys, path, "--calls", tmp_path / "calls", "--max-inconclusive", "0.5")[0] == 0
    suite(tmp_path, "covered", inconclusive_policy="fail")
    assert ran(capsys, path, "--calls", tmp_path / "calls")[0] == 1
    suite(tmp_path, "covered", inconclusive_policy="refuse")
    assert ran(capsys, path, "--calls", tmp_path / "calls")[0] == 2
    suite(tmp_path, "covered")
    shutil.rmtree(tmp_path / "calls" / "covered" / "a")
    assert ran(capsys, path, "--calls", tmp_path / "calls", "--max-inconclusive", "1")[0] == 2


# The gate


def recorded(tmp_path: Path, name: str, passed: int, failed: int, start: int = 0) -> Path:
    """Write calls of one cell, the first of which pass."""
    words = ["It covers everything"] * passed + ["It does not"] * failed
    return record(
        tmp_path / name, *((f"covered/c{n:03}", f"{word} {start + n}.") for n, word in enumerate(words, start))
    )


@pytest.mark.parametrize(
    ("passed", "failed", "least", "code"),
    [(35, 0, "0.9", 0), (34, 0, "0.9", 1), (40, 1, "0.85", 0), (40, 1, "0.9", 1), (0, 3, "0", 0)],
)
def test_the_least_pass_rate_is_that_of_the_lower_bound(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], passed: int, failed: int, least: str, code: int
) -> None:
    calls = recorded(tmp_path, "calls", passed, failed)
    got, result = ran(capsys, suite(tmp_path, "covered"), "--calls", calls, "--min-pass-rate", least)
    rule = result["gate"]["rules"][0]
    assert (got, rule["rule"], rule["kept"]) == (code, "min_pass_rate", code == 0)
    if passed == 34:
        assert rule["said"].endswith("; that takes 35 different runs that all pass")


@pytest.mark.parametrize(
    ("before", "after", "code", "changes"),
    [
        ((3, 0), (3, 0), 0, []),
        ((0, 3), (0, 3), 0, []),  # what failed before is no news
        ((3, 0), (0, 3), 1, ["newly_broken"]),
        ((0, 3), (3, 0), 0, []),
        ((20, 0), (16, 4), 0, []),  # four of four for the worse: p = 1/16
        ((20, 0), (15, 5), 1, []),  # five of five: p = 1/32
    ],
)
def test_a_baseline_tells_what_broke_from_chance(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    before: tuple[int, int],
    after: tuple[int, int],
    code: int,
    changes: list[str],
) -> None:
    path = suite(tmp_path, "covered")
    ran(capsys, path, "--calls", recorded(tmp_path, "old", *before), "--out", tmp_path / "base")
    got, result = ran(capsys, path, "--calls", recorded(tmp_path, "new", *after), "--baseline", tmp_path / "base")
    assert got == code
    assert [one["change"] for one in result["gate"]["rules"] if one["rule"] == "baseline"] == changes
    paired = [one for one in result["gate"]["rules"] if one["rule"] == "paired"]
    assert [one["pairs"] for one in paired] == [sum(before)] * 2
    assert paired[0]["cells_flaky"] == (["base"] if all(after) else [])


def test_what_breaks_in_one_test_is_not_made_up_for_by_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = suite(tmp_path, "covered", "wrong")
    for name, said in (("old", ("It covers everything", "No")), ("new", ("No", "pigs can fly"))):
        turns = [
            (f"{test}/c{n}", f"{word} {n}")
            for test, word in zip(("covered", "wrong"), said, strict=True)
            for n in range(5)
        ]
        record(tmp_path / name, *turns, ("covered/kept", "It covers everything"), ("wrong/kept", "No"))
    ran(capsys, path, "--calls", tmp_path / "old", "--out", tmp_path / "base")
    code, result = ran(capsys, path, "--calls", tmp_path / "new", "--baseline", tmp_path / "base")
    paired = {one.get("test", ""): one["kept"] for one in result["gate"]["rules"] if one["rule"] == "paired"}
    assert (code, paired) == (1, {"covered": False, "wrong": True, "": True})


def test_a_verdict_that_is_lost_a_test_that_is_gone_and_a_new_failure_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = suite(tmp_path, "covered")
    calls = recorded(tmp_path, "old", 2, 0)
    ran(capsys, path, "--calls", calls, "--out", tmp_path / "base")
    shutil.rmtree(calls / "covered")
    record(calls, ("covered/other/a", "It covers everything."), ("covered/else/a", "It does not."))
    code, result = ran(capsys, path, "--calls", calls, "--baseline", tmp_path / "base")
    found = {(one["cell"], one["change"]) for one in result["gate"]["rules"] if one["rule"] == "baseline"}
    assert (code, found) == (1, {("else", "newly_failing"), ("base", "lost")})
    whole = result["gate"]["rules"][-1]
    assert (whole["kept"], whole["otherwise"], whole["pairs"]) == (False, "refuse", 0)
    both = suite(tmp_path, "covered", "quiet")
    ran(capsys, both, "--out", tmp_path / "both")
    code, result = ran(capsys, suite(tmp_path, "covered"), "--baseline", tmp_path / "both")
    gone = [one["test"] for one in result["gate"]["rules"] if one.get("change") == "gone"]
    assert (code, gone) == (2, ["quiet"])


def made(status: str, number: int, sha256: str = "") -> Ran:
    return Ran(
        test="covered", run=f"r{number}", cell="base", varied="base", status=status, sha256=sha256 or f"s{number}"
    )


@pytest.mark.parametrize(
    ("policy", "other", "code"),
    [
        ("report", "INCONCLUSIVE", 0),
        ("fail", "INCONCLUSIVE", 1),
        ("refuse", "INCONCLUSIVE", 2),
        ("report", "SIMULATOR_INVALID", 2),
        ("report", "FAIL", 1),
    ],
)
def test_one_run_of_twenty_that_does_not_pass(tmp_path: Path, policy: str, other: str, code: int) -> None:
    loaded = load_suite_file(suite(tmp_path, "covered", inconclusive_policy=policy))
    runs = [*(made("PASS", number) for number in range(19)), made(other, 19)]
    assert judge(loaded, runs, Rules())["exit_code"] == code


def test_pairs_with_the_same_evidence_both_times_are_one_pair() -> None:
    before = [made("PASS", number, "a") for number in range(10)]
    after = [made("FAIL", number, "b") for number in range(10)]
    found = compared(before, after)
    assert (found.pairs, found.broken, found.p_worse) == (1, 1, 0.5)


def test_a_test_that_changes_while_the_runs_go_on_is_refused(tmp_path: Path) -> None:
    suite(tmp_path, "covered")
    spec = ran_.Spec(tests={"covered": (str(tmp_path / "covered.json"), "0" * 64)})
    with pytest.raises(EvidenceError, match="has changed since the run began"):
        ran_.work(ran_.packed(spec), ran_.packed(ran_.Piece("covered", 0, 1)))


def test_quarantine_holds_back_failures_until_its_day_and_no_longer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = {"test": "wrong", "until": "2027-01-31", "reason": "the agent learns to fly"}
    path = suite(tmp_path, "covered", "wrong", quarantine=[entry])
    code, result = ran(capsys, path, "--today", "2027-01-31")
    assert code == 0
    assert result["gate"]["quarantine"][0]["said"] == "6 of 6 runs fail and do not count"
    assert result["summary"]["fail"] == 6  # told all the same
    code, result = ran(capsys, path, "--today", "2027-02-01")
    assert code == 1
    assert result["gate"]["quarantine"][0]["is_over"] is True
    assert main(["suite", "run", str(path)]) == 2
    assert "which ends: say --today DAY" in capsys.readouterr().err
    path = suite(tmp_path, "covered", quarantine=[{**entry, "test": "covered"}])
    code, result = ran(capsys, path, "--today", "2027-01-01")
    assert (code, result["gate"]["rules"][0]["rule"]) == (2, "judged")
    assert result["gate"]["quarantine"][0]["said"] == "nothing fails any more: the entry can go"
    held = [{**entry, "test": "wrong", "cell": "rate=0.8"}]
    code, result = ran(capsys, suite(tmp_path, "covered", "wrong", quarantine=held), "--today", "2027-01-01")
    assert code == 1
    assert result["gate"]["rules"][0]["said"] == "3 of 3 runs fail"


def test_a_release_needs_what_it_says_and_no_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = suite(tmp_path, "covered", "wrong", required_for_release=["covered"])
    assert ran(capsys, path)[0] == 1
    code, result = ran(capsys, path, "--release")
    assert (code, result["summary"]["fail"]) == (0, 6)
    suite(tmp_path, "covered", required_for_release=False)
    assert main(["suite", "run", str(path), "--release"]) == 2
    assert "nothing would be judged" in capsys.readouterr().err


@pytest.mark.parametrize("what", ["text", "other", "schema", "status", "gone"])
def test_a_baseline_that_is_none_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str) -> None:
    path, base = suite(tmp_path, "covered"), tmp_path / "base.json"
    _, result = ran(capsys, path)
    result = {name: value for name, value in result.items() if name != "ok"}
    if what == "other":
        result["suite_id"] = "another"
    elif what == "schema":
        result["schema"] = "assert.v1"
    elif what == "status":
        result["runs"][0]["status"] = "FINE"
    if what != "gone":
        base.write_text("{" if what == "text" else json.dumps(result))
    assert main(["suite", "run", str(path), "--baseline", str(base)]) == 2
    assert "base.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--min-pass-rate", "1"], "1 is never reached"),
        (["--min-pass-rate", "much"], "is neither RATE nor TEST=RATE"),
        (["--min-pass-rate", "coverd=0.5"], "did you mean 'covered'?"),
        (["--min-pass-rate", "0.5", "--min-pass-rate", "0.6"], "twice"),
        (["--alpha", "0.1"], "means nothing without --baseline"),
        (["--today", "2027-01-01"], "has no test in quarantine"),
        (["--resume"], "means nothing without --out"),
        (["--calls", "x", "--audio"], "is of simulated calls"),
        (["--parallel", "0"], "is no whole number"),
        (["--max-inconclusive", "2"], "is no share from 0 to 1"),
        (["--calls", "nowhere"], "no such file"),
    ],
)
def test_flags_that_cannot_be_meant_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main(["suite", "run", str(suite(tmp_path, "covered")), *words]) == 2
    assert said in capsys.readouterr().err


def test_a_test_without_a_scenario_needs_recorded_calls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = suite(tmp_path, "covered")
    write(tmp_path / "covered.json", {name: item for name, item in TESTS["covered"].items() if name != "scenario"})
    assert main(["suite", "run", str(path)]) == 2
    assert "names no scenario; --calls gives recorded calls" in capsys.readouterr().err
    code, _ = ran(capsys, path, "--calls", recorded(tmp_path, "calls", 2, 0))
    assert code == 0


# Reports


def test_junit_counts_what_the_gate_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entry = {"test": "wrong", "until": "2027-01-31", "reason": "<&>"}
    path = suite(tmp_path, "covered", "wrong", quarantine=[entry])
    for day, failures, skipped in (("2027-01-31", 0, 6), ("2027-02-01", 7, 0)):
        ran(capsys, path, "--out", tmp_path / day, "--today", day)
        root = ET.parse(tmp_path / day / "junit.xml").getroot()
        assert root.get("failures") == str(failures)
        assert len(root.findall(".//failure")) == failures
        assert len(root.findall(".//skipped")) == skipped
        assert [suite.get("name") for suite in root] == ["covered", "wrong", "gate"]


def test_what_people_read_tells_the_rates_and_why_it_ends_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["suite", "run", str(suite(tmp_path)), "--parallel", "1"]) == 1
    said = capsys.readouterr().out
    assert "wrong       6     0     6     0    0  0.000" in said
    assert "gate no_failure wrong: 6 of 6 runs fail: broken" in said
    assert "18 runs of 3 tests:" in said
    assert said.endswith("exit 1\n")
