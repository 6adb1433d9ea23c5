"""A call of 4,000 turns with 5,000 results opens, filters, jumps and scrolls."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from hotato.report import html

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
bench: Any = import_module("report")
sys.path.remove(str(ROOT / "benchmarks"))


def test_a_large_report_opens_and_scrolls(browser, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(html.render(bench.large(5_000)), encoding="utf-8")
    assert file.stat().st_size < 10_000_000
    page = browser.new_context(viewport={"width": 1280, "height": 900}, bypass_csp=True).new_page()
    page.goto(file.as_uri(), wait_until="load")
    found = bench.measured(page)
    # Bounds for a machine that does other work as well; benchmarks/report.py prints what a quiet one takes.
    assert found["load event"] < 15_000
    assert found["a filter"] < 1_500
    assert found["a jump to the last turn"] < 1_500
    # A page that draws everything takes 200 to 400 ms a frame; one that draws what is in view takes a sixteenth of a second.
    assert found["scrolling the page, median frame"] < 120
    assert found["scrolling the call, median frame"] < 120
    assert page.locator("#t-3999").count() == 1
    page.context.close()
