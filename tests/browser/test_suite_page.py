"""The page of a suite in a browser: its grid leads to the runs' own pages, its filter narrows, everyone can read it."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from hotato.simulate.gate import Rules
from hotato.simulate.running import Request, run
from hotato.simulate.suite import load_suite_file

SUITE = Path(__file__).resolve().parents[2] / "examples" / "reference-agent" / "suite.yaml"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("suite")
    run(Request(suite=load_suite_file(SUITE)), Rules(min_pass_rate={"address-change": 0.9}), lambda *_: None, str(out))
    return out


def test_a_square_leads_to_the_page_of_its_run(browser, folder: Path) -> None:
    page = browser.new_page()
    page.goto((folder / "report.html").as_uri())
    assert page.locator(".grid tbody tr").count() == 25
    assert page.locator(".grid tbody .sign").count() == 375
    assert page.locator(".grid a").count() == 60
    links = page.eval_on_selector_all("a[href]", "all => all.map(e => e.getAttribute('href'))")
    assert {link for link in links if not (folder / link).is_file()} == set()
    page.locator(".grid a").first.click()
    assert page.text_content("h1") == "escalation-not-handed-off: rate=0.7,noise=clean/r1"
    assert "handed-to-manager" in (page.text_content("main, body") or "")
    page.close()


def test_the_runs_are_narrowed_by_text(show, folder: Path) -> None:
    page = show((folder / "report.html").read_text(encoding="utf-8")).page
    rows = page.locator("#calls tbody tr:visible")
    assert rows.count() == 60
    page.fill("[type=search]", "charge-without-error")
    assert rows.count() == 15
    assert page.text_content("output") == "15 of 60"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_page(show, folder: Path, scheme: str, width: int) -> None:
    page = show((folder / "report.html").read_text(encoding="utf-8"), scheme=scheme, width=width).page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    found = Axe().run(page).response["violations"]
    assert [(one["id"], [node["html"] for node in one["nodes"]][:3]) for one in found] == []


def test_without_a_script_all_is_there(show, folder: Path) -> None:
    page = show((folder / "report.html").read_text(encoding="utf-8"), script=False).page
    assert page.locator("#calls tbody tr:visible").count() == 60
    assert page.get_by_text("that takes 35 different runs that all pass").count() == 1


@pytest.mark.parametrize("width", [390, 1280])
def test_a_column_is_not_narrower_than_its_words(show, folder: Path, width: int) -> None:
    page = show((folder / "report.html").read_text(encoding="utf-8"), width=width).page
    widths = page.eval_on_selector_all(
        ".sheet tbody th:not(.n), .sheet table:not(.grid) td:not(.n):not(:empty)", "all => all.map(e => e.clientWidth)"
    )
    assert min(widths) >= 90
    heights = page.eval_on_selector_all(
        ".sheet .kind, .sheet .chip, .sheet table:not(.grid) thead th", "all => all.map(e => e.offsetHeight)"
    )
    assert max(heights) <= 36  # one line
    tick = page.locator("[type=checkbox]").bounding_box()
    assert tick is not None
    assert max(tick["width"], tick["height"]) <= 20


def test_on_paper_a_table_is_whole(show, folder: Path) -> None:
    page = show((folder / "report.html").read_text(encoding="utf-8"), width=720).page
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.eval_on_selector_all(".sheet", "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).length") == 0
