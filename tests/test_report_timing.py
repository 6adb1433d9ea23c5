"""A scored recording on the HTML page: activity, overlap, the moments of the event, and its frames."""

from __future__ import annotations

import base64
import json
import re
import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile

from hotato import report
from hotato.cli import main
from hotato.errors import UsageError
from hotato.timing import Label, Recording, frame_lines, score

ROOT = Path(__file__).resolve().parent.parent
CALL = ROOT / "src" / "hotato" / "timing" / "suites" / "barge_in" / "hard-interruption.flac"


def attributes(html: str, name: str) -> list[str]:
    return re.findall(rf'{name}="([^"]*)"', html)


def test_the_page_holds_every_frame_as_it_was_scored() -> None:
    html, envelope = report.build_report_html(suite="Refund", stereo=CALL)
    assert envelope is not None
    assert envelope["events"][0]["verdict"]["seconds_to_yield"] == 0.47
    frames = [json.loads(line) for line in frame_lines(score(Recording(stereo=CALL), Label()))][1:]
    for place, side in enumerate(("caller", "agent")):
        raw = base64.b64decode(attributes(html, "data-levels")[place])
        levels = struct.unpack(f"<{len(raw) // 2}h", raw)
        assert [level / 100 for level in levels] == [frame[side]["dbfs"] for frame in frames]
        for track in ("held", "trimmed"):
            runs = [tuple(map(int, run.split("-"))) for run in attributes(html, f"data-{track}")[place].split()]
            on = [int(any(first <= n < after for first, after in runs)) for n in range(len(frames))]
            assert on == [frame[side][track] for frame in frames]
    assert "onset 2.49 s" in html
    assert "yield 2.96 s" in html
    assert html.count('class="both"') == 1


def test_the_same_recording_gives_the_same_page() -> None:
    assert report.build_report_html(stereo=CALL) == report.build_report_html(stereo=CALL)
    page, nothing = report.build_report_html()
    assert nothing is None
    assert "data-levels" not in page


def test_a_recording_without_a_verdict_says_why(tmp_path: Path) -> None:
    samples, rate = soundfile.read(CALL)
    soundfile.write(tmp_path / "silent.wav", samples * [0, 1], rate)
    html, envelope = report.build_report_html(stereo=tmp_path / "silent.wav", expect="hold")
    assert envelope is not None
    assert envelope["exit_code"] == 2
    assert "the caller&#39;s channel stays below" in html
    with pytest.raises(UsageError):
        report.build_report_html(stereo=tmp_path / "nothing.wav")


def test_an_hour_keeps_the_frames_around_the_event_alone(tmp_path: Path) -> None:
    rate, seconds = 8000, 1200
    samples = np.random.default_rng(1).standard_normal((rate * seconds, 2)) * 1e-5
    tone = np.sin(np.arange(rate * 4) * 0.2) * 0.3
    samples[rate * 900 : rate * 904, 1] = tone
    samples[rate * 902 : rate * 906, 0] = tone
    soundfile.write(tmp_path / "long.wav", samples, rate)
    html, _ = report.build_report_html(stereo=tmp_path / "long.wav")
    assert len(html) < 200_000
    assert attributes(html, "data-first") in (["89699"], ["89700"])  # the onset is that of a frame


def test_a_run_with_a_recording_draws_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document, out = tmp_path / "a.yaml", tmp_path / "out.html"
    document.write_text(
        "version: 1\nassertions:\n  - {id: a, kind: latency, field: verdict.seconds_to_yield, max: 0.8}\n"
    )
    told = ["assert", "run", "--assertions", str(document), "--stereo", str(CALL)]
    assert main([*told, "--report", f"html={out}"]) == 0
    assert "Caller and agent on the recording" in out.read_text(encoding="utf-8")
    capsys.readouterr()
