"""Sound on the HTML page: a player, a clip of each moment that failed, and silence over personal data."""

from __future__ import annotations

import base64
import io
import math
import re
import wave
from array import array
from pathlib import Path
from typing import Any

import pytest

from hotato import assert_ as A
from hotato import report
from hotato.cli import main
from hotato.errors import UsageError
from hotato.report import _sound

RATE = 8000
TURNS: list[dict[str, Any]] = [
    {"role": "caller", "text": "My card is 4111 1111 1111 1111.", "start": 2.0, "end": 4.0},
    {"role": "agent", "text": "Thank you, it is booked.", "start": 6.0, "end": 8.0},
]
SPANS = [{"type": "tool_call", "name": "book", "start_sec": 9.0, "end_sec": 9.5, "error": "full"}]
CHECKS = [
    {"id": "booked", "kind": "tool_error", "name": "book", "absent": True},
    {"id": "true", "kind": "claim", "says": "is booked", "requires": {"tool": "book"}},
]
PRIVATE = {"id": "card", "kind": "pii", "detectors": ["card_luhn"], "mode": "must_not_leak"}


def recording(path: Path, seconds: float = 12.0, width: int = 2, channels: int = 2) -> Path:
    """Write a tone in every channel, never silent for longer than a sample."""
    frames = round(seconds * RATE)
    wave_ = [int(2000 + 1500 * math.sin(i / 3)) for i in range(frames)]
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(RATE)
        shift = 8 * (width - 2)
        one = (
            (lambda v: bytes([128 + (v >> 8)]))
            if width == 1
            else lambda v: (v << shift).to_bytes(width, "little", signed=True)
        )
        file.writeframes(b"".join(one(v) * channels for v in wave_))
    return path


def page(audio: Path | None, checks: list[Any] = CHECKS, turns: list[Any] = TURNS) -> str:
    envelope = A.run_assertions({"version": 1, "assertions": checks}, A.build_context(transcript=turns, spans=SPANS))
    return report.build_report_html(assertions=envelope, transcript=turns, trace=SPANS, audio=audio)[0]


def sounds(html: str) -> list[_sound.Sound]:
    found = []
    for data in re.findall(r"data:audio/wav;base64,([A-Za-z0-9+/=]+)", html):
        with wave.open(io.BytesIO(base64.b64decode(data)), "rb") as file:
            samples = array("h", file.readframes(file.getnframes()))
            found.append(_sound.Sound(file.getframerate(), file.getnchannels(), samples))
    return found


def loudest(sound: _sound.Sound, start: float, end: float) -> int:
    return max(map(abs, sound.piece(start, end).samples))


def test_without_a_recording_the_page_plays_nothing() -> None:
    html = page(None)
    assert "<audio" not in html
    assert "media-src" not in html


def test_the_page_has_the_recording_and_a_clip_of_each_moment_that_failed(tmp_path: Path) -> None:
    html = page(recording(tmp_path / "call.wav"))
    assert "media-src data:" in html
    whole, *clips = sounds(html)
    assert (whole.rate, whole.channels, round(whole.seconds, 3)) == (RATE, 2, 12.0)
    assert [round(clip.seconds, 1) for clip in clips] == [8.0, 6.0]  # turn 1: 3..11, the call: 6..12
    assert page(tmp_path / "call.wav") == html


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_samples_of_every_width_sound_the_same(tmp_path: Path, width: int) -> None:
    sound = sounds(page(recording(tmp_path / "call.wav", width=width, channels=1)))[0]
    assert sound.channels == 1
    assert 3000 < loudest(sound, 1, 2) <= 3500
    kept = 8 if width == 1 else 0  # bits that 8-bit samples do not have
    assert list(sound.samples[:9]) == [int(2000 + 1500 * math.sin(i / 3)) >> kept << kept for i in range(9)]


@pytest.mark.parametrize(
    ("channels", "rate", "is_read"), [(8, 8000, True), (9, 8000, False), (1, 1000, True), (1, 999, False)]
)
def test_channels_and_rates_have_bounds(tmp_path: Path, channels: int, rate: int, is_read: bool) -> None:
    path = tmp_path / "call.wav"
    path.write_bytes(_sound.Sound(rate, channels, array("h", [0] * channels * 9)).wav())
    if is_read:
        assert (_sound.read(path).rate, _sound.read(path).channels) == (rate, channels)
    else:
        with pytest.raises(UsageError, match=f"{channels} channels of 16 bits at {rate} Hz are not read"):
            _sound.read(path)


def test_what_is_private_is_silent_in_the_recording_and_in_every_clip(tmp_path: Path) -> None:
    audio = recording(tmp_path / "call.wav")
    whole, *clips = sounds(page(audio, [*CHECKS, PRIVATE]))
    assert loudest(whole, 2.0, 4.0) == 0
    assert loudest(whole, 4.5, 12) > 3000
    assert loudest(sounds(page(audio))[0], 2.0, 4.0) > 3000  # nothing looked for personal data
    assert [loudest(clip, 0, clip.seconds) > 0 for clip in clips] == [True] * len(clips)
    first = clips[0]  # of the private turn: 0..7
    assert loudest(first, 2.0, 4.0) == 0


def test_only_what_is_private_is_silent_and_so_is_a_call_that_begins_with_it(tmp_path: Path) -> None:
    audio = recording(tmp_path / "call.wav")
    whole = sounds(page(audio, [*CHECKS, PRIVATE]))[0]
    assert min(loudest(whole, 0, 1.7), loudest(whole, 4.3, 12)) > 3000
    for turn in ({**TURNS[0], "start": 0.05}, {**TURNS[0], "start": 11.0, "end": 11.95}):
        whole = sounds(page(audio, [*CHECKS, PRIVATE], sorted([turn, TURNS[1]], key=lambda one: one["start"])))[0]
        assert loudest(whole, max(0.0, turn["start"] - 0.15), turn["end"]) == 0
        assert loudest(whole, 6.0, 8.0) > 3000


def test_where_the_time_of_private_words_is_unknown_there_is_no_sound(tmp_path: Path) -> None:
    turns = [{**TURNS[0], "start": None, "end": None}, TURNS[1]]
    html = page(recording(tmp_path / "call.wav"), [*CHECKS, PRIVATE], turns)
    assert sounds(html) == []
    assert "times are not recorded" in html


def test_a_private_turn_without_an_end_is_silent_until_the_next(tmp_path: Path) -> None:
    turns = [{**TURNS[0], "end": None}, TURNS[1]]
    whole = sounds(page(recording(tmp_path / "call.wav"), [*CHECKS, PRIVATE], turns))[0]
    assert loudest(whole, 2.0, 6.0) == 0
    assert loudest(whole, 6.5, 12) > 3000


def test_what_is_too_large_is_left_out_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hotato.report.html import _audio

    audio = recording(tmp_path / "call.wav")
    monkeypatch.setattr(_audio, "MOST_SOUND", 1000)
    monkeypatch.setattr(_audio, "MOST_CLIPS", 300_000)
    html = page(audio)
    assert len(sounds(html)) == 1
    assert "is not on the page" in html
    assert "1 moments that failed have no clip" in html


@pytest.mark.parametrize("damage", [b"", b"RIFF", b"\x00" * 100, b"half", b"header"])
def test_what_is_no_recording_is_refused_and_nothing_is_written(tmp_path: Path, damage: bytes) -> None:
    audio = recording(tmp_path / "call.wav", 0.5)
    raw = audio.read_bytes()
    audio.write_bytes(raw[:-500] if damage == b"half" else raw[:44] if damage == b"header" else damage)
    with pytest.raises(UsageError, match=r"call\.wav"):
        page(audio)


def test_the_command_line_takes_a_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    audio, out = recording(tmp_path / "call.wav"), tmp_path / "report.html"
    flags = ["--assertions", "examples/refund/assertions.yaml", "--transcript", "examples/refund/transcript.json"]
    flags += ["--trace", "examples/refund/voice_trace.jsonl"]
    assert main(["assert", "run", *flags, "--report", f"html={out}", "--audio", str(audio)]) == 1
    assert len(sounds(out.read_text(encoding="utf-8"))) >= 1
    assert main(["assert", "run", *flags, "--audio", str(audio)]) == 2
    assert "means nothing without --report html=FILE" in capsys.readouterr().err
    audio.write_bytes(b"no sound")
    assert main(["assert", "run", *flags, "--report", f"html={out}", "--force", "--audio", str(audio)]) == 2
    assert "call.wav: not a WAV file" in capsys.readouterr().err
