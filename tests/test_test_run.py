"""`hotato test run`: a conversation test on a recorded call, and on every call of its scenario."""

from __future__ import annotations

import builtins
import json
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from hotato import rubric
from hotato.assert_ import build_context
from hotato.cli import main
from hotato.errors import DocumentError
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
BROKEN: dict[str, Any] = {  # it interrupts an agent that says nothing
    "kind": "hotato.scenario",
    "version": 1,
    "id": "broken",
    "goal": {"type": "any"},
    "caller": {"script": [{"say": "Hello."}, {"say": "Wait.", "interrupts": True}]},
    "agent_mock": {"says": [None]},
    "seed": 1,
}
Out = pytest.CaptureFixture[str]
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


def test_a_rule_pack_that_decides_is_kept_with_what_it_decided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pack = {
        "name": "ours",
        "version": "1",
        "description": "Ours.",
        "rules": [{"id": "no-maybe", "type": "banned", "description": "No hedging.", "regex": "maybe"}],
    }
    (tmp_path / "rules.json").write_text(json.dumps(pack))
    test = deepcopy(TEST)
    test["assertions"]["deterministic"] = [{"id": "rules", "kind": "policy", "pack_path": "rules.json"}]
    (tmp_path / "test.json").write_text(json.dumps(test))
    (tmp_path / "transcript.json").write_text(json.dumps(TURNS))
    words = [str(tmp_path / "test.json"), "--transcript", str(tmp_path / "transcript.json"), "--out"]
    kept = []
    for name in ("one", "two"):
        assert ran(capsys, *words, str(tmp_path / name))[0] == 0
        kept.append(json.loads((tmp_path / name / "conversation.json").read_text())["id"])
        assert (tmp_path / name / "pack-1.json").read_bytes() == (tmp_path / "rules.json").read_bytes()
        (tmp_path / "rules.json").write_text(json.dumps({**pack, "version": "2"}))
    assert kept[0] != kept[1]
    assert main(["conversation", "verify", str(tmp_path / "one")]) == 0


RULES = """
name: {name}
version: "1"
description: Ours.
rules:
  - {{id: no-promise, type: banned, description: Nothing is promised., regex: {regex}}}
"""


def test_a_conversation_is_judged_again_from_its_folder_alone(tmp_path: Path, capsys: Out) -> None:
    there = tmp_path / "there" / "tests"
    there.mkdir(parents=True)
    (tmp_path / "there" / "ours.yaml").write_text(RULES.format(name="ours", regex="refund"))
    (there / "copy.yaml").write_text(RULES.format(name="ours", regex="refund"))
    (there / "pack-1.yaml").write_text(
        RULES.format(name="theirs", regex="goodbye")
    )  # a name that the folder gives as well
    test = deepcopy(TEST)
    paths = ["../ours.yaml", "copy.yaml", "pack-1.yaml", str(tmp_path / "there" / "ours.yaml")]
    test["assertions"]["deterministic"] = [
        {"id": f"rules-{place}", "kind": "policy", "pack_path": path} for place, path in enumerate(paths)
    ]
    (there / "test.json").write_text(json.dumps(test))
    (there / "t.json").write_text(json.dumps(TURNS))
    out = tmp_path / "kept"
    first = ran(capsys, str(there / "test.json"), "--transcript", str(there / "t.json"), "--out", str(out))
    assert [one["status"] for one in first[1]["calls"][0]["envelope"]["results"]] == ["FAIL", "FAIL", "PASS", "FAIL"]
    (tmp_path / "there").rename(tmp_path / "gone")
    out.rename(tmp_path / "elsewhere")
    place = tmp_path / "elsewhere"
    assert sorted(one.name for one in place.glob("pack*")) == ["pack-1.yaml", "pack-2.yaml"]
    again = ran(capsys, str(place / "test.json"), "--transcript", str(place / "transcript.json"), "--out", str(out))
    first[1].pop("written"), again[1].pop("written")
    assert again == first
    assert (out / "conversation.json").read_bytes() == (place / "conversation.json").read_bytes()
    (place / "pack-2.yaml").write_text(RULES.format(name="theirs", regex="farewell"))
    assert main(["conversation", "verify", str(place)]) == 1
    assert main(["conversation", "verify", str(out)]) == 0


def test_more_rule_packs_than_a_conversation_holds_are_refused(tmp_path: Path, capsys: Out) -> None:
    test = deepcopy(TEST)
    test["assertions"]["deterministic"] = []
    for place in range(17):
        (tmp_path / f"{place}.yaml").write_text(RULES.format(name=f"p{place}", regex="goodbye"))
        test["assertions"]["deterministic"] += [{"id": f"r{place}", "kind": "policy", "pack_path": f"{place}.yaml"}]
    (tmp_path / "test.json").write_text(json.dumps(test))
    (tmp_path / "t.json").write_text(json.dumps(TURNS))
    words = ["test", "run", str(tmp_path / "test.json"), "--transcript", str(tmp_path / "t.json")]
    assert main([*words, "--out", str(tmp_path / "kept")]) == 2
    assert "17 rule packs; a conversation holds 16 at most" in capsys.readouterr().err
    assert not (tmp_path / "kept").exists()
    assert main(words) == 0
    del test["assertions"]["deterministic"][16]
    (tmp_path / "test.json").write_text(json.dumps(test))
    assert main([*words, "--out", str(tmp_path / "kept")]) == 0
    assert main(["conversation", "verify", str(tmp_path / "kept")]) == 0


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


# conversations ---------------------------------------------------------------------------------------------------------

SOUND = (
    Path(__file__).resolve().parent.parent / "src" / "hotato" / "timing" / "suites" / "barge_in" / "backchannel.flac"
)
QUICK = {"id": "quick", "kind": "latency", "dimension": "conversation", "field": "response_gap_sec.count", "max": 100}


def heard(folder: Path, *required: str) -> list[str]:
    """Return the words that run a test which reads the timing of a recorded call."""
    test = deepcopy(TEST)
    test["assertions"]["deterministic"] = [TEST["assertions"]["deterministic"][0], QUICK]
    test["success"]["required"] = list(required)
    (folder / "transcript.json").write_text(json.dumps(TURNS))
    (folder / "test.json").write_text(json.dumps(test))
    return [str(folder / "test.json"), "--transcript", str(folder / "transcript.json"), "--audio", str(SOUND)]


def parts(folder: Path) -> dict[str, str]:
    told = json.loads((folder / "conversation.json").read_text())
    return {part["name"]: part["role"] for part in told["parts"]}


def test_a_recording_is_measured_and_what_reads_timing_reads_that(tmp_path: Path, capsys: Out) -> None:
    pytest.importorskip("soundfile")
    words = heard(tmp_path, "all_deterministic_assertions_pass")
    code, told = ran(capsys, *words, "--out", str(tmp_path / "kept"))
    assert (code, [one["status"] for one in told["calls"][0]["envelope"]["results"]]) == (0, ["PASS", "PASS"])
    assert "notes" not in told
    assert parts(tmp_path / "kept") | {"call.flac": "audio", "timing.json": "timing"} == parts(tmp_path / "kept")
    assert (tmp_path / "kept" / "call.flac").read_bytes() == SOUND.read_bytes()
    assert main(["conversation", "verify", str(tmp_path / "kept")]) == 0


def test_without_the_extra_there_is_no_timing_and_a_note_says_so(
    tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hotato.simulate.measure.can_measure", lambda: False)
    words = heard(tmp_path, "all_deterministic_assertions_pass")
    code, told = ran(capsys, *words, "--out", str(tmp_path / "kept"))
    assert (code, [one["status"] for one in told["calls"][0]["envelope"]["results"]]) == (2, ["PASS", "INCONCLUSIVE"])
    assert [note["code"] for note in told["notes"]] == ["extra_missing"]
    assert "timing.json" not in parts(tmp_path / "kept")
    assert json.loads((tmp_path / "kept" / "result.json").read_text())["notes"] == told["notes"]
    assert main(["test", "run", *heard(tmp_path, "no_deterministic_fail")]) == 0
    assert "note: the recording was not measured" in capsys.readouterr().out
    assert main(["test", "run", *words[:-1], str(tmp_path / "absent.wav")]) == 2
    assert "no such file" in capsys.readouterr().err


def test_a_recording_that_changes_while_it_is_measured_is_refused(
    tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = heard(tmp_path, "no_deterministic_fail")
    sound = tmp_path / "call.wav"
    sound.write_bytes(b"RIFF")

    def changed(*_: object) -> dict[str, Any]:
        sound.write_bytes(b"RIFX")
        return {"events": []}

    monkeypatch.setattr("hotato.simulate.measure.can_measure", lambda: True)
    monkeypatch.setattr("hotato.simulate.measure.measured", changed)
    assert main(["test", "run", *words[:-1], str(sound), "--out", str(tmp_path / "kept")]) == 2
    assert "changed while it was measured" in capsys.readouterr().err
    assert sorted(one.name for one in tmp_path.iterdir()) == ["call.wav", "test.json", "transcript.json"]


def test_each_run_of_a_scenario_is_kept_and_judged_again_from_what_is_kept(tmp_path: Path, capsys: Out) -> None:
    kept = tmp_path / "new" / "kept"
    code, told = ran(capsys, str(TESTS / "refund-claimed-not-issued.yaml"), "--out", str(kept))
    assert (code, told["written"], len(list(kept.iterdir()))) == (1, str(kept), 15)
    assert main(["conversation", "verify", str(kept)]) == 0
    assert "15 conversations: 15 intact" in capsys.readouterr().out
    one = sorted(kept.iterdir())[4]
    evidence = {"transcript.json": "transcript", "voice_trace.jsonl": "trace", "state.json": "state"}
    assert parts(one) == {**evidence, "scenario.json": "scenario", "test.json": "test", "result.json": "result"}
    words = [str(one / "test.json"), "--transcript", str(one / "transcript.json")]
    words += [
        "--trace",
        str(one / "voice_trace.jsonl"),
        "--state",
        str(one / "state.json"),
        "--out",
        str(tmp_path / "again"),
    ]
    code, again = ran(capsys, *words)
    first = json.loads((one / "result.json").read_text())
    assert (code, again["calls"][0]["envelope"]["results"]) == (1, first["envelope"]["results"])
    assert (again["calls"][0]["origin"], first["origin"]) == ("simulated", "simulated")
    made = json.loads((one / "conversation.json").read_text())
    replayed = [str(one / "test.json"), "--run", made["run"], "--out", str(tmp_path / "replayed")]
    assert ran(capsys, *replayed)[0] == 1
    assert json.loads((tmp_path / "replayed" / "conversation.json").read_text()) == made


def test_a_call_is_judged_alike_whether_it_is_kept_or_not(tmp_path: Path, capsys: Out) -> None:
    refund = TESTS.parent.parent / "refund"
    test = deepcopy(TEST)
    test["assertions"]["deterministic"].append(
        {"id": "refunded", "kind": "state", "resource": "orders", "filters": {"id": "x"}, "expect": {"a": 1}}
    )
    (tmp_path / "test.json").write_text(json.dumps(test))
    words = [str(tmp_path / "test.json"), "--transcript", str(refund / "transcript.json")]
    words += ["--trace", str(refund / "voice_trace.jsonl")]
    plain = ran(capsys, *words)[1]["calls"]
    assert ran(capsys, *words, "--out", str(tmp_path / "kept"))[1]["calls"] == plain
    assert ran(capsys, *words, "--out", str(tmp_path / "other"))[1]["calls"] == plain
    kept, other = ((tmp_path / one / "conversation.json").read_bytes() for one in ("kept", "other"))
    assert kept == other
    assert json.loads(kept)["origin"] == "recorded"


def test_a_run_that_cannot_be_played_is_kept_without_evidence(tmp_path: Path, capsys: Out) -> None:
    scenario = json.loads(json.dumps(BROKEN))
    (tmp_path / "scenario.json").write_text(json.dumps(scenario))
    (tmp_path / "test.json").write_text(json.dumps({**deepcopy(TEST), "scenario": "scenario.json"}))
    code, told = ran(capsys, str(tmp_path / "test.json"), "--out", str(tmp_path / "kept"))
    assert (code, told["calls"][0]["status"]) == (2, "SIMULATOR_INVALID")
    (one,) = (tmp_path / "kept").iterdir()
    assert sorted(parts(one).values()) == ["result", "scenario", "test"]
    assert main(["conversation", "verify", str(one)]) == 0


def test_a_run_whose_name_is_no_name_of_a_folder_gets_one(tmp_path: Path, capsys: Out) -> None:
    scenario = {
        **deepcopy(BROKEN),
        "caller": {"script": [{"say": "Hello."}]},
        "agent_mock": {"says": ["Yes."]},
        "variation_matrix": {"locale": ["../../x\0", "en"]},
    }
    (tmp_path / "scenario.json").write_text(json.dumps(scenario))
    (tmp_path / "test.json").write_text(json.dumps({**deepcopy(TEST), "scenario": "scenario.json"}))
    assert ran(capsys, str(tmp_path / "test.json"), "--out", str(tmp_path / "kept"))[0] == 1
    assert len(list((tmp_path / "kept").iterdir())) == 2
    assert main(["conversation", "verify", str(tmp_path / "kept")]) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--out", "-"], "names a folder"),
        (["--out", "{here}"], "exists already"),
        (["--out", "{here}/test.json"], "exists already"),
        (["--out", "{here}/a\0b"], "NUL"),
        (["--out", "{here}/new", "--audio", "-"], "cannot be read again"),
        (["--out", "{here}/new", "--audio", "call.mp3"], "whose name ends in"),
        (["--out", "{here}/new", "--audio", "absent.wav"], "no such file"),
    ],
)
def test_what_cannot_be_kept_is_refused_and_nothing_is_left(
    tmp_path: Path, capsys: Out, words: list[str], said: str
) -> None:
    file = written(tmp_path)
    filled = [word.replace("{here}", str(tmp_path)) for word in words]
    assert main(["test", "run", file, "--transcript", str(tmp_path / "transcript.json"), *filled]) == 2
    assert said in capsys.readouterr().err
    assert sorted(one.name for one in tmp_path.iterdir()) == ["test.json", "transcript.json"]


def test_a_conversation_that_does_not_fit_is_not_there(
    tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.open

    def full(path: Any, mode: str = "r", *more: Any, **named: Any) -> Any:
        if str(path).endswith("conversation.json") and "x" in mode:
            raise OSError(28, "No space left on device")
        return real(path, mode, *more, **named)

    file = written(tmp_path)
    monkeypatch.setattr(builtins, "open", full)
    words = [file, "--transcript", str(tmp_path / "transcript.json"), "--out", str(tmp_path / "a" / "kept")]
    assert main(["test", "run", *words]) == 2
    assert "cannot be written: no space left" in capsys.readouterr().err
    assert not (tmp_path / "a").exists()


# rubrics ---------------------------------------------------------------------------------------------------------------


class Judge:
    """Says of every rubric what it is told to."""

    provider, endpoint, model = "example", "none", "m"

    def __init__(self, verdict: str) -> None:
        self.verdict = verdict

    def ask(self, question: Any) -> rubric.Answer:
        told = {"rationale": "So it is.", "turns": [0], "spans": [], "verdict": self.verdict, "confidence": 0.9}
        return rubric.Answer(text=json.dumps(told))


def opined(folder: Path, *required: str, verdict: str = "", only: bool = False) -> list[str]:
    """Return the words that run a test with a rubric; with a verdict, the answers of a judge that says so are replayed."""
    test = deepcopy(TEST)
    criteria = [{"id": "polite", "kind": "judge_rubric", "criterion": "The agent stays polite."}]
    test["assertions"] = {**({} if only else test["assertions"]), "rubric": criteria}
    test["success"]["required"] = list(required)
    (folder / "transcript.json").write_text(json.dumps(TURNS))
    (folder / "test.json").write_text(json.dumps(test))
    words = [str(folder / "test.json"), "--transcript", str(folder / "transcript.json")]
    if not verdict:
        return words
    judge = rubric.Recorder(Judge(verdict))
    rubric.run_rubrics(rubric.load({"version": 1, "rubrics": criteria}), build_context(transcript=TURNS), judge)
    (folder / "answers.json").write_text(rubric.recording_text([judge]))
    return [*words, "--judge-replay", str(folder / "answers.json")]


PROVEN, ASKED = "no_deterministic_fail", "no_rubric_failure"


@pytest.mark.parametrize(
    ("required", "verdict", "code", "states"),
    [
        ((PROVEN, ASKED), "PASS", 0, ["met", "met"]),
        ((PROVEN, ASKED), "FAIL", 1, ["met", "not_met"]),
        ((PROVEN, ASKED), "INCONCLUSIVE", 2, ["met", "undetermined"]),
        ((PROVEN, ASKED), "nonsense", 2, ["met", "undetermined"]),
        ((PROVEN, ASKED), "", 2, ["met", "undetermined"]),
        ((ASKED,), "", 2, ["undetermined"]),
        ((ASKED,), "PASS", 0, ["met"]),
        ((PROVEN,), "FAIL", 0, ["met"]),
        ((PROVEN,), "", 0, ["met"]),
    ],
)
def test_a_condition_on_rubrics_is_met_where_a_model_judged_each_and_failed_none(
    tmp_path: Path, capsys: Out, required: tuple[str, ...], verdict: str, code: int, states: list[str]
) -> None:
    got, told = ran(capsys, *opined(tmp_path, *required, verdict=verdict))
    assert (got, [one["state"] for one in told["calls"][0]["conditions"]]) == (code, states)
    lanes = {one["name"]: one["lane"] for one in told["calls"][0]["conditions"]}
    assert lanes == {name: "model" if name == ASKED else "deterministic" for name in required}
    assert told["calls"][0]["rubric"]["judged"] is bool(verdict)


@pytest.mark.parametrize("verdict", ["PASS", "FAIL", "INCONCLUSIVE", ""])
def test_no_opinion_changes_a_byte_of_what_is_proven(tmp_path: Path, capsys: Out, verdict: str) -> None:
    plain = ran(capsys, *opined(tmp_path, PROVEN))[1]["calls"][0]
    call = ran(capsys, *opined(tmp_path, PROVEN, ASKED, verdict=verdict))[1]["calls"][0]
    assert (call["envelope"], call["dimensions"]) == (plain["envelope"], plain["dimensions"])
    assert "polite" not in json.dumps(call["envelope"])
    assert call["conditions"][0] == plain["conditions"][0]
    assert all(one["deterministic"] is False for one in call.get("rubric_envelope", {}).get("results", []))


def test_rubrics_that_nobody_was_asked_about_are_named(tmp_path: Path, capsys: Out) -> None:
    assert main(["test", "run", *opined(tmp_path, PROVEN)]) == 0
    assert "rubrics that no model was asked about, as no judge is named: polite" in capsys.readouterr().out
    assert main(["test", "run", *opined(tmp_path, ASKED, only=True)]) == 2
    assert "no_rubric_failure is undetermined: polite" in capsys.readouterr().out


def test_a_test_of_rubrics_alone_is_judged_by_them(tmp_path: Path, capsys: Out) -> None:
    assert ran(capsys, *opined(tmp_path, ASKED, verdict="PASS", only=True))[0] == 0
    assert ran(capsys, *opined(tmp_path, ASKED, verdict="FAIL", only=True))[0] == 1


def test_what_a_model_judged_is_kept_apart(tmp_path: Path, capsys: Out) -> None:
    assert main(["test", "run", *opined(tmp_path, PROVEN, ASKED, verdict="FAIL"), "--out", str(tmp_path / "kept")]) == 1
    out = capsys.readouterr().out
    assert (
        out.index("deterministic: 1 pass")
        < out.index("polite  (judge_rubric)")
        < out.index("no_rubric_failure is not met")
    )
    assert parts(tmp_path / "kept")["rubric.json"] == "rubric"
    kept = json.loads((tmp_path / "kept" / "rubric.json").read_text())
    assert (kept["schema"], kept["gate"], kept["summary"]["fail"]) == ("rubric.v1", True, 1)
    assert "rationale" not in (tmp_path / "kept" / "result.json").read_text()
    assert main(["conversation", "verify", str(tmp_path / "kept")]) == 0


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--judge-timeout", "3"], "no judge is named"),
        (["--no-cache"], "no judge is named"),
        (["--judge-record", "answers"], "no judge is named"),
        (["--judge-egress-opt-in"], "no judge is named"),
        (["--judge", "ollama"], "names the model that judges"),
        (["--judge-replay", "absent.json"], "no such file"),
        (["--judge-replay", "a.json", "--judge-model", "m", "--judge", "ollama"], "means nothing with --judge-replay"),
    ],
)
def test_flags_of_a_judge_go_together(tmp_path: Path, capsys: Out, more: list[str], said: str) -> None:
    assert main(["test", "run", *opined(tmp_path, ASKED), *more, "--out", str(tmp_path / "kept")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "kept").exists()


def test_a_judge_of_a_test_without_rubrics_is_refused(tmp_path: Path, capsys: Out) -> None:
    words = [written(tmp_path), "--transcript", str(tmp_path / "transcript.json"), "--judge-model", "m"]
    assert main(["test", "run", *words]) == 2
    assert "the test has no rubric to be judged" in capsys.readouterr().err


def test_a_rubric_is_read_as_strictly_as_elsewhere() -> None:
    test = deepcopy(TEST)
    test["assertions"]["rubric"] = [
        {"id": "TOLD", "kind": "judge_rubric", "criterion": "x"},
        {"id": "a", "kind": "judge_rubrik", "criterion": "x"},
        {"id": "b", "kind": "judge_rubric", "criterian": "x"},
        {"id": "B", "kind": "judge_rubric", "criterion": " "},
    ]
    with pytest.raises(DocumentError) as caught:
        load_test(yaml.safe_dump(test), "t.yaml")
    found = {(one.path, one.code) for one in caught.value.problems}
    at = "assertions.rubric"
    assert found == {
        (f"{at}[0].id", "duplicate_id"),
        (f"{at}[1].kind", "wrong_value"),
        (f"{at}[2].criterian", "unknown_field"),
        (f"{at}[2].criterion", "missing_field"),
        (f"{at}[3].criterion", "length"),
        (f"{at}[3].id", "duplicate_id"),
    }
    assert all(one.line > 10 for one in caught.value.problems)


# what people say ------------------------------------------------------------------------------------------------------

WARM = {"id": "warm", "kind": "human_rubric", "criterion": "The agent sounds warm."}
POLITE = {"id": "polite", "kind": "judge_rubric", "criterion": "The agent stays polite."}


def felt(folder: Path, *criteria: dict[str, Any], required: tuple[str, ...] = (PROVEN, ASKED)) -> list[str]:
    """Return the words that run a test with rubrics on a recorded call."""
    test = deepcopy(TEST)
    test["assertions"]["rubric"] = list(criteria)
    test["success"]["required"] = list(required)
    (folder / "transcript.json").write_text(json.dumps(TURNS))
    (folder / "test.json").write_text(json.dumps(test))
    return [str(folder / "test.json"), "--transcript", str(folder / "transcript.json")]


def said(folder: Path, digest: str, verdict: str = "PASS", **more: Any) -> list[str]:
    """Return the flag that hands over what one person says."""
    one = {"rubric": "warm", "input_sha256": digest, "verdict": verdict, "turns": [0], "by": "Ada", "at": "May", **more}
    (folder / "said.json").write_text(json.dumps({"version": 1, "verdicts": [one]}))
    return ["--human", str(folder / "said.json")]


def test_what_a_person_says_of_the_call_decides_a_condition_on_rubrics(tmp_path: Path, capsys: Out) -> None:
    words = felt(tmp_path, WARM)
    code, plain = ran(capsys, *words)
    told = plain["calls"][0]["rubric"]
    assert (code, told["judged"], told["unjudged"]) == (2, False, ["warm"])
    digest = told["input_sha256"]["warm"]
    assert main(["test", "run", *words]) == 2
    out = capsys.readouterr().out
    assert "rubrics that people judge, of which --human gives no verdict: warm\n" in out
    assert f"a person's verdict by warm has input_sha256: {digest}\n" in out
    for verdict, code, state in (("PASS", 0, "met"), ("FAIL", 1, "not_met")):
        got, told = ran(capsys, *words, *said(tmp_path, digest, verdict))
        (call,) = told["calls"]
        assert (got, [one["state"] for one in call["conditions"]]) == (code, ["met", state])
        assert call["envelope"] == plain["calls"][0]["envelope"]
        assert [one["by"] for one in call["rubric_envelope"]["results"][0]["votes"]] == ["Ada"]
        assert "unjudged" not in call["rubric"]
    (tmp_path / "rubrics.json").write_text(json.dumps({"version": 1, "rubrics": [WARM]}))
    alone = ["rubric", "run", "--rubrics", str(tmp_path / "rubrics.json"), *words[1:], "--format", "json"]
    assert main(alone) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["input_sha256"] == digest


def test_what_a_person_says_of_another_call_is_said_of_none(tmp_path: Path, capsys: Out) -> None:
    words = felt(tmp_path, WARM)
    digest = ran(capsys, *words)[1]["calls"][0]["rubric"]["input_sha256"]["warm"]
    (tmp_path / "transcript.json").write_text(json.dumps([{**TURNS[0], "text": "Your refund is issued!"}]))
    code, told = ran(capsys, *words, *said(tmp_path, digest))
    (result,) = told["calls"][0]["rubric_envelope"]["results"]
    assert (code, result["code"], result["input_sha256"] == digest) == (2, "person_judged_other", False)


def test_people_answer_for_human_rubrics_alone(tmp_path: Path, capsys: Out) -> None:
    words = felt(tmp_path, WARM, POLITE)
    digest = ran(capsys, *words)[1]["calls"][0]["rubric"]["input_sha256"]["warm"]
    human = said(tmp_path, digest)
    code, told = ran(capsys, *words, *human)
    (call,) = told["calls"]
    assert (code, call["conditions"][1]["because"], call["rubric"]["unjudged"]) == (2, ["polite"], ["polite"])
    assert (call["rubric"]["judged"], call["rubric"]["pass"]) == (True, 1)
    assert main(["test", "run", *words, *human]) == 2
    assert "no model was asked about, as no judge is named: polite\n" in capsys.readouterr().out
    judge = rubric.Recorder(Judge("PASS"))
    rubric.run_rubrics(rubric.load({"version": 1, "rubrics": [POLITE]}), build_context(transcript=TURNS), judge)
    (tmp_path / "answers.json").write_text(rubric.recording_text([judge]))
    code, told = ran(capsys, *words, *human, "--judge-replay", str(tmp_path / "answers.json"))
    assert (code, told["calls"][0]["rubric"]["pass"]) == (0, 2)
    assert main(["test", "run", *words, *said(tmp_path, digest, rubric="polite")]) == 2
    assert "a person's verdict does not take that one's place" in capsys.readouterr().err


def test_what_a_person_said_is_kept_and_counts_again(tmp_path: Path, capsys: Out) -> None:
    words = felt(tmp_path, WARM)
    human = said(tmp_path, ran(capsys, *words)[1]["calls"][0]["rubric"]["input_sha256"]["warm"])
    kept = tmp_path / "kept"
    assert ran(capsys, *words, *human, "--out", str(kept))[0] == 0
    assert parts(kept)["rubric.json"] == "rubric"
    assert '"by": "Ada"' in (kept / "rubric.json").read_text()
    assert main(["conversation", "verify", str(kept)]) == 0
    capsys.readouterr()
    assert ran(capsys, str(kept / "test.json"), "--transcript", str(kept / "transcript.json"), *human)[0] == 0


def test_each_played_run_has_a_verdict_of_its_own(tmp_path: Path, capsys: Out) -> None:
    scenario = {
        **deepcopy(BROKEN),
        "caller": {"script": [{"say": "Hello."}]},
        "agent_mock": {"says": ["Your refund is issued."]},
        "variation_matrix": {"speaking_rate": [0.85, 1.2]},
    }
    test = deepcopy(TEST)
    test |= {"scenario": "scenario.json", "success": {"required": [ASKED]}}
    test["assertions"]["rubric"] = [WARM]
    (tmp_path / "scenario.json").write_text(json.dumps(scenario))
    (tmp_path / "test.json").write_text(json.dumps(test))
    code, told = ran(capsys, str(tmp_path / "test.json"))
    digests = [one["rubric"]["input_sha256"]["warm"] for one in told["calls"]]
    assert (code, len(set(digests))) == (2, 2)
    code, told = ran(capsys, str(tmp_path / "test.json"), *said(tmp_path, digests[0]))
    assert [one["status"] for one in told["calls"]] == ["PASS", "INCONCLUSIVE"]


def test_a_human_rubric_without_its_evidence_has_nothing_to_be_judged(tmp_path: Path, capsys: Out) -> None:
    words = felt(tmp_path, {**WARM, "evidence": ["tool_trace"]})
    assert ran(capsys, *words)[1]["calls"][0]["rubric"] == {"judged": False, "unjudged": ["warm"]}


@pytest.mark.parametrize(
    ("criteria", "more", "refused"),
    [
        ((), ["--human", "{here}/said.json"], "the test has no rubric to be judged"),
        ((WARM,), ["--human", "{here}/absent.json"], "no such file"),
        ((POLITE,), ["--human", "{here}/said.json"], "no rubric that is run has the id 'warm'"),
        ((WARM,), ["--human", "-", "--trace", "-"], "read once"),
        ((WARM,), ["--human", "{here}/said.json", "--no-cache"], "no judge is named"),
    ],
)
def test_what_people_say_is_read_strictly(
    tmp_path: Path, capsys: Out, criteria: tuple[dict[str, Any], ...], more: list[str], refused: str
) -> None:
    words = felt(tmp_path, *criteria, required=(PROVEN,))
    said(tmp_path, "0" * 64)
    filled = [word.replace("{here}", str(tmp_path)) for word in more]
    assert main(["test", "run", *words, *filled, "--out", str(tmp_path / "kept")]) == 2
    assert refused in capsys.readouterr().err
    assert not (tmp_path / "kept").exists()


# timing contracts -----------------------------------------------------------------------------------------------------

YIELDS = SOUND.with_name("hard-interruption.flac")


def contracts(folder: Path, name: str, *policy: str) -> int:
    """Make a contract beside a test that names it; return the exit code."""
    words = ["contract", "create", "--stereo", str(YIELDS), "--expect", "yield", "--id", name]
    return main([*words, "--out", str(folder / "contracts"), *policy])


def bound(folder: Path) -> list[str]:
    test = deepcopy(TEST)
    test["assertions"]["deterministic"] = [{"id": "yields", "kind": "timing_contract", "bundle": "contracts"}]
    test["success"]["required"] = ["all_deterministic_assertions_pass"]
    (folder / "test.json").write_text(json.dumps(test))
    (folder / "calls" / "told" / "base" / "one").mkdir(parents=True)
    for place in (folder, folder / "calls" / "told" / "base" / "one"):
        (place / "transcript.json").write_text(json.dumps(TURNS))
    suite = {"kind": "hotato.suite", "version": 1, "suite_id": "s", "name": "S", "tests": ["test.json"]}
    (folder / "suite.json").write_text(
        json.dumps({**suite, "inconclusive_policy": "report", "required_for_release": True})
    )
    return ["test.json", "--transcript", "transcript.json"]


def test_timing_contracts_that_a_test_names_are_scored(
    tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("soundfile")
    monkeypatch.chdir(tmp_path)
    words = bound(tmp_path)

    def found() -> tuple[int, str, Any]:
        capsys.readouterr()
        code, told = ran(capsys, *words)
        (result,) = told["calls"][0]["envelope"]["results"]
        return code, result["code"], result.get("contracts")

    assert found() == (2, "no_contract", None)
    assert contracts(tmp_path, "one") == 0
    assert found() == (0, "kept", {"total": 1, "passed": 1})
    assert main(["suite", "run", "suite.json", "--calls", "calls", "--out", "results"]) == 0
    assert contracts(tmp_path, "late", "--max-time-to-yield", "0.1") == 1
    assert found() == (1, "broken", {"total": 2, "passed": 1})
    capsys.readouterr()
    assert main(["suite", "run", "suite.json", "--calls", "calls", "--out", "results", "--resume"]) == 2
    assert "the suite or one of its tests has changed" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "soundfile", None)
    assert found()[:2] == (2, "extra_missing")


def test_a_contract_is_scored_once_however_many_calls_are_judged(
    tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hotato.simulate.checks import load_test_file

    asked: list[str] = []
    monkeypatch.setattr("hotato.timing.contract.counts", lambda path: asked.append(path) or (1, 1, 0))
    monkeypatch.chdir(tmp_path)
    bound(tmp_path)
    test = load_test_file("test.json")
    assert [outcome(test, build_context(transcript=TURNS)).status for _ in range(3)] == ["PASS"] * 3
    assert asked == ["contracts"]
    capsys.readouterr()
