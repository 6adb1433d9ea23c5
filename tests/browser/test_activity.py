"""A scored recording on the page, in Chromium: frames are looked at one by one, and it reads without a script."""

from __future__ import annotations

from pathlib import Path

import pytest

from hotato import report

CALL = (
    Path(__file__).resolve().parent.parent.parent
    / "src" / "hotato" / "timing" / "suites" / "barge_in" / "hard-interruption.flac"
)  # fmt: skip


@pytest.fixture(scope="module")
def text() -> str:
    return report.build_report_html(suite="Refund", stereo=CALL)[0]


def test_a_frame_is_chosen_by_keys_and_by_a_click(show, text: str) -> None:
    tab = show(text).page
    tab.click(".inspect summary")
    tab.focus(".choose input")
    before = tab.inner_text(".chosen")
    tab.keyboard.press("ArrowRight")
    after = tab.inner_text(".chosen")
    assert after != before
    assert float(after.split()[1]) == pytest.approx(float(before.split()[1]) + 0.01)
    box = tab.locator(".levels").bounding_box()
    tab.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)
    assert float(tab.inner_text(".chosen").split()[1]) == pytest.approx(3.8, abs=0.05)


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_is_open_to_all(show, text: str, width: int, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    tab = show(text, width=width, scheme=scheme).page
    tab.click(".inspect summary")
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    found = Axe().run(tab).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


def test_without_a_script_the_moments_of_the_event_are_told(show, text: str) -> None:
    tab = show(text, script=False).page
    tab.click(".inspect summary")
    assert tab.locator(".frames tbody tr:visible").count() == 3
    assert tab.locator(".choose").is_hidden()
