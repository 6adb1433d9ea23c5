"""A scored recording on the HTML page: activity, overlap, the moments of the event, and its frames."""

from __future__ import annotations

import base64
import json
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from hotato import report
from hotato.cli import main
from hotato.errors import UsageError
from hotato.report._lanes import Lanes, Side, _window
from hotato.report.html._activity import _line, draw
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


EVENT: dict[str, Any] = {
    "scorable": True,
    "expected_yield": True,
    "verdict": {"passed": False, "seconds_to_yield": None, "talk_over_sec": 0.02, "reasons": ["late"]},
    "signals": {"latency": {"response_gap_sec": 0.5}, "barge_in": {"yield_sec": 0.05}},
    "measurements": {"caller_onset_sec": 0.03, "window_end_sec": 0.09, "notes": ["noted"]},
}


def lanes(**event: Any) -> Lanes:
    """Return lanes of ten frames, of which the levels of 2 to 7 are kept."""
    caller = Side("caller", -4000, [(1, 4), (8, 9)], [(3, 5)], [-9500, -9000, -4000, -4001, 0, 500])
    agent = Side("agent", -4000, [(0, 2), (7, 9)], [(4, 6)], [-100] * 6)
    return Lanes(hop=0.01, count=10, first=2, sides=(caller, agent), both=[(4, 5)], event={**EVENT, **event})


def test_what_is_drawn_is_where_it_was_and_inside_the_picture() -> None:
    found = draw(lanes())
    assert found is not None
    caller, agent = found.lanes
    assert caller.line == "0,100 200,100 400,44.4 600,44.5 800,0 1000,0"
    assert [(run.x, run.width, run.title) for run in (*caller.runs, *agent.runs, *found.both)] == [
        ("30%", "20%", "caller, 0.03 to 0.05 s"),
        ("40%", "20%", "agent, 0.04 to 0.06 s"),
        ("40%", "10%", "both, 0.04 to 0.05 s"),
    ]
    assert (caller.held, caller.trimmed, agent.held, agent.trimmed) == ("1-4", "3-5", "7-9", "4-6")
    assert [(one.name, one.x) for one in found.moments] == [("onset", "30%"), ("yield", "50%"), ("window ends", "90%")]
    assert [(one.name, one.x) for one in found.near] == [("onset", "20%"), ("yield", "60%"), ("window ends", "100%")]
    assert [(row.at, row.cells) for row in found.rows] == [
        ("0.03", ["-90.00", "no", "yes", "yes", "-1.00", "yes", "no", "no"]),
        ("0.05", ["-40.01", "no", "no", "no", "-1.00", "yes", "no", "yes"]),
        ("0.07", ["5.00", "yes", "no", "no", "-1.00", "yes", "yes", "no"]),
    ]
    assert [(tick.x, tick.label) for tick in found.ticks] == [("0%", "0:00"), ("100%", "")]  # there is no room for more
    assert (found.first, found.last, found.start, found.said) == (2, 7, 3, ["late", "noted"])
    assert [told for _, told in found.facts] == ["the agent yields", "0.03 s", "-", "0.02 s", "0.50 s"]


def test_the_sign_is_that_of_the_event() -> None:
    for event, sign in (
        ({}, "FAIL"),
        ({"verdict": {**EVENT["verdict"], "passed": True}}, "PASS"),
        ({"scorable": False, "not_scorable_reason": "silence"}, "INCONCLUSIVE"),
    ):
        found = draw(lanes(**event))
        assert found is not None
        assert found.sign == sign
    assert (found.said, [name for name, _ in found.facts]) == (["silence", "noted"], ["expected", "caller from"])


def test_a_line_of_many_levels_keeps_the_loudest() -> None:
    levels = [-9000] * 3000
    levels[1234] = -900
    found = list(_line(levels))
    assert len(found) == 1200
    assert [x for x, y in found if y < 100] == [round(1232 / 2999 * 1000, 1)]
    assert list(_line([-4500])) == [(0.0, 50.0)]


def test_of_a_long_recording_five_seconds_around_the_event_are_kept() -> None:
    def window(onset: float | None, end: float | None, count: int = 100_000) -> tuple[int, int]:
        return _window({"measurements": {"caller_onset_sec": onset, "window_end_sec": end}}, 0.01, count)

    assert window(700.0, 705.0) == (69_500, 71_001)
    assert (window(2.0, None), window(999.0, None), window(None, None)) == ((0, 701), (99_400, 100_000), (0, 501))
    assert (window(2.0, 3.0, 60_000), window(2.0, 3.0, 60_001)) == ((0, 60_000), (0, 801))
