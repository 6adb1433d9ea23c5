"""The recording on the page, in Chromium: it plays, follows the call, and the call follows it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from test_report_audio import page, recording  # the same call and the same recording


@pytest.fixture
def text(tmp_path: Path) -> str:
    return page(recording(tmp_path / "call.wav"))


def at(tab) -> float:
    return tab.evaluate("document.querySelector('.player').currentTime")


def ready(tab) -> None:
    tab.wait_for_selector(".player")
    for _ in range(100):
        if tab.evaluate("document.querySelector('.player').readyState") >= 1:
            return
        tab.wait_for_timeout(50)
    raise AssertionError("the recording was not read")


def test_a_turn_and_a_place_on_the_timeline_are_sought(show, text: str) -> None:
    tab = show(text).page
    ready(tab)
    tab.click("#t-1")
    assert at(tab) == pytest.approx(6.0, abs=0.05)
    assert tab.get_attribute(".cursor", "x1") != "0%"
    tab.click(".lane [data-ev='s_0']", force=True)
    assert at(tab) == pytest.approx(9.0, abs=0.05)


def test_the_cursor_follows_what_is_played(show, text: str) -> None:
    tab = show(text).page
    ready(tab)
    before = tab.get_attribute(".cursor", "x1")
    tab.evaluate("(async () => { const p = document.querySelector('.player'); p.muted = true; await p.play(); })()")
    for _ in range(100):
        if tab.get_attribute(".cursor", "x1") != before:
            break
        tab.wait_for_timeout(50)
    assert tab.get_attribute(".cursor", "x1") != before
    assert at(tab) > 0


def test_each_clip_can_be_played(show, text: str) -> None:
    tab = show(text).page
    tab.click(".sound summary")
    lengths = tab.evaluate(
        "Promise.all([...document.querySelectorAll('.clips audio')].map((clip) => new Promise((done) => {"
        " clip.addEventListener('loadedmetadata', () => done(clip.duration)); clip.load(); clip.preload = 'metadata'; })))"
    )
    assert [round(length) for length in lengths] == [8, 6]
