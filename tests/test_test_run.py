"""`hotato test run`: a conversation test on a recorded call, and on every call of its scenario."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from hotato.assert_ import build_context
from hotato.cli import main
from hotato.simulate.checks import load_test
from hotato.simulate.conversation import Outcome, counts, exit_code, outcome

TESTS = Path(__file__).resolve().parent.parent / "examples" / "reference-agent" / "tests"
TEST: dict[str, Any] = {
    "kind": "hotato.conversation-test",
    "version": 1,
    "id": "told",
    "agent": "any",
    "assertions": {
        "deterministic": [
            {"id": "told", "kind": "phrase", "dimension": "outcome", "regex": "is issued", "role": "agent"},
            {"id": "paid", "kind": "tool_call", "dimension": "policy", "name": "issue_refund"},
        ]
    },
    "success": {"required": ["no_deterministic_fail"]},
}
TURNS = [{"role": "agent", "text": "Your refund is issued.", "start": 0.0, "end": 1.0}]


def written(folder: Path, **success: Any) -> str:
    test = deepcopy(TEST)
    test["success"].update(success)
    (folder / "transcript.json").write_text(json.dumps(TURNS))
    (folder / "test.json").write_text(json.dumps(test))
    return str(folder / "test.json")


def ran(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    code = main(["test", "run", *words, "--format", "json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("required", "code", "status"),
    [
        ("no_deterministic_fail", 0, "PASS"),
        ("all_deterministic_assertions_pass", 2, "INCONCLUSIVE"),
        ("no_inconclusive", 2, "INCONCLUSIVE"),
    ],
)
def test_missing_evidence_counts_as_the_condition_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], required: str, code: int, status: str
) -> None:
    file = written(tmp_path, required=[required])
    got, told = ran(capsys, file, "--transcript", str(tmp_path / "transcript.json"))
    assert (got, told["calls"][0]["status"], told["exit_code"]) == (code, status, code)
    assert told["calls"][0]["origin"] == "recorded"
    assert told["calls"][0]["dimensions"] == {
        "outcome": {"pass": 1, "fail": 0, "inconclusive": 0},
        "policy": {"pass": 0, "fail": 0, "inconclusive": 1},
    }


def test_conditions_are_a_conjunction(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, required=["no_deterministic_fail", "no_inconclusive"])
    code, told = ran(capsys, file, "--transcript", str(tmp_path / "transcript.json"))
    assert code == 2
    assert [one["state"] for one in told["calls"][0]["conditions"]] == ["met", "undetermined"]


def test_a_recorded_call_that_breaks_an_assertion_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path)
    (tmp_path / "transcript.json").write_text(json.dumps([{**TURNS[0], "text": "Goodbye."}]))
    code, told = ran(capsys, file, "--transcript", str(tmp_path / "transcript.json"))
    assert (code, told["calls"][0]["conditions"][0]["because"]) == (1, ["told"])


def test_a_call_of_which_nothing_could_be_judged_is_no_success() -> None:
    found = outcome(load_test(TEST), build_context())
    assert (found.status, exit_code([found])) == ("INCONCLUSIVE", 2)


def test_a_seeded_defect_fails_in_each_run_of_its_scenario(capsys: pytest.CaptureFixture[str]) -> None:
    code, told = ran(capsys, str(TESTS / "refund-claimed-not-issued.yaml"))
    assert (code, told["summary"]["runs"], told["summary"]["fail"]) == (1, 15, 15)
    assert {tuple(call["conditions"][0]["because"]) for call in told["calls"]} == {("refund-issued", "order-refunded")}


def test_a_right_agent_passes_in_each_run_and_twice_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    code, told = ran(capsys, str(TESTS / "refund-damaged.yaml"))
    assert (code, told["summary"]["pass"]) == (0, 15)
    assert ran(capsys, str(TESTS / "refund-damaged.yaml"))[1] == told
    one = ran(capsys, str(TESTS / "refund-damaged.yaml"), "--run", told["calls"][3]["run"])[1]
    assert one["calls"][0]["sha256"] == told["calls"][3]["sha256"]
    assert one["calls"][0]["envelope"]["exit_code"] == 0


def test_repetitions_of_the_test_are_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tests").mkdir()
    text = (TESTS / "refund-damaged.yaml").read_text().replace("../scenarios", str(TESTS.parent / "scenarios"))
    (tmp_path / "tests" / "t.yaml").write_text(text + "repetitions: 2\n")
    code, told = ran(capsys, str(tmp_path / "tests" / "t.yaml"))
    assert (code, told["summary"]["runs"], told["summary"]["pass"]) == (0, 30, 30)


def test_a_scenario_that_cannot_be_played_is_no_failure_of_the_agent() -> None:
    found = [Outcome(origin="simulated", status=status, run="r") for status in ("PASS", "SIMULATOR_INVALID")]
    assert (counts(found)["fail"], counts(found)["simulator_invalid"], exit_code(found)) == (0, 1, 2)


def test_repeats_with_the_same_bytes_are_counted_once() -> None:
    found = [Outcome(origin="simulated", status="PASS", digest=digest) for digest in ("a", "a", "b")]
    assert counts(found)["different"] == 2


def test_nothing_run_is_no_success() -> None:
    assert exit_code([]) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "names no scenario"),
        (["--transcript", "t.json", "--run", "base/r1"], "is of the scenario"),
        (["--stereo", "a.wav", "--audio", "a.wav"], "the same as --stereo"),
        (["--expect", "hold"], "means nothing without --stereo"),
    ],
)
def test_flags_that_mean_nothing_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main(["test", "run", written(tmp_path), *words]) == 2
    assert said in capsys.readouterr().err


def test_standard_input_is_read_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test", "run", "-", "--transcript", "-"]) == 2
    assert "read once" in capsys.readouterr().err


def test_all_that_is_wrong_in_test_and_evidence_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, required=["no_determinstic_fail"])
    assert main(["test", "run", file, "--transcript", str(tmp_path / "absent.json")]) == 2
    said = capsys.readouterr().err
    assert "no_determinstic_fail" in said
    assert "absent.json" in said
