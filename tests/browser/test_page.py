"""The HTML report in a browser: filters, evidence found both ways, keys, print, dark, phone, and access for everyone."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from hotato import assert_ as A
from hotato.report import build_report_html

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    name: (ROOT / "conformance" / "report" / "html" / name).read_text(encoding="utf-8")
    for name in ("refund-call.html", "against-a-base.html", "call-alone.html", "results-alone.html", "index.html")
}
REFUND = PAGES["refund-call.html"]
DRAWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def shown(page: Page) -> list[str]:
    return page.eval_on_selector_all(".card[data-status]:not([hidden]) h4", "all => all.map(e => e.textContent)")


def in_view(page: Page, selector: str) -> bool:
    return page.eval_on_selector(
        selector,
        """e => { const b = e.getBoundingClientRect(), p = e.closest('.log')?.getBoundingClientRect();
        const top = p ? Math.max(p.top, 0) : 0, bottom = p ? Math.min(p.bottom, innerHeight) : innerHeight;
        return b.bottom > top && b.top < bottom; }""",
    )


def lit(page: Page) -> set[str]:
    return set(page.eval_on_selector_all(".at[id]", "all => all.map(e => e.id)"))


def test_a_status_is_filtered_out_and_in(show) -> None:
    page = show(REFUND).page
    assert len(shown(page)) == 11
    page.click("[data-filter-status=PASS]")
    assert shown(page) == ["refund-amount", "posted", "in-the-ledger", "quick"]
    assert page.text_content("output") == "4 of 11"
    assert page.locator(".group:visible").count() == 1
    page.click("[data-filter-status=FAIL]")
    assert shown(page) == []
    assert page.is_visible("#none")
    page.click("[data-filter-status=PASS]")
    assert len(shown(page)) == 7


def test_kind_dimension_and_text_narrow_together(show) -> None:
    page = show(REFUND).page
    page.select_option("[data-filter=kind]", "tool_call")
    assert shown(page) == ["refund-amount", "verified-first"]
    page.click(".dims [data-dimension=policy]")
    assert shown(page) == ["verified-first"]
    page.click(".dims [data-dimension=policy]")
    page.fill("[data-filter=text]", "EXPECTED (calls")
    assert shown(page) == ["refund-amount"]


def test_evidence_on_a_card_finds_its_turn(show) -> None:
    page = show(REFUND, height=520).page
    assert not in_view(page, "#t-5")
    page.click("#r-told-the-number .ev")
    assert in_view(page, "#t-5")
    assert lit(page) == {"t-5"}
    assert page.locator("[data-ev='t-5'].at").count() == 1
    assert page.url.endswith("#t-5")


def test_the_call_ends_where_the_screen_does(show) -> None:
    page = show(REFUND, height=800).page
    assert page.locator(".call").bounding_box()["y"] > 300
    page.click("#r-refund-amount .ev")
    box = page.locator("#s_1").bounding_box()
    assert box["y"] + box["height"] <= 800
    page.evaluate("scrollTo(0, 1e6)")
    page.wait_for_selector(".call[style*='max-height: 800px']")


def test_a_turn_finds_the_results_that_rest_on_it(show) -> None:
    page = show(REFUND, height=520).page
    page.locator("#s_1 .head").scroll_into_view_if_needed()
    page.evaluate(DRAWN)  # what was never in view has a guessed height, and moves what is below it when it is drawn
    page.click("#s_1 .head")
    assert page.locator(".card.rests h4").all_text_contents() == [
        "refund-amount",
        "quick",
        "verified-first",
        "refund-answered",
    ]
    page.click("#s_1 .back >> text=quick")
    assert in_view(page, "#r-quick")
    assert lit(page) == {"r-quick", "s_1"}


def test_the_timeline_finds_turns_and_results(show) -> None:
    page = show(REFUND, height=700).page
    page.click(".lane [data-ev='t-4']")
    assert "t-4" in lit(page)
    assert in_view(page, "#t-4")
    page.click("[data-mark='t-5']")
    assert lit(page) == {"r-told-the-number", "t-5"}
    assert in_view(page, "#r-told-the-number")
    page.click(".l-state [data-ev='r-in-the-ledger']")
    assert lit(page) == {"r-in-the-ledger"}


def test_a_card_lights_all_it_rests_on(show) -> None:
    page = show(REFUND).page
    page.click("#r-verified-before-refund-was-named h4 a")
    assert lit(page) == {"r-verified-before-refund-was-named", "t-2", "t-4"}
    page.keyboard.press("Escape")
    assert lit(page) == set()


def test_a_link_to_a_filtered_card_shows_it_again(show) -> None:
    page = show(REFUND).page
    page.click("[data-filter-status=PASS]")
    page.click("#s_1 .back >> text=verified-first")
    assert lit(page) >= {"r-verified-first"}
    assert len(shown(page)) == 11


def test_keys_walk_results_turns_and_the_timeline(show) -> None:
    page = show(REFUND).page
    page.click("[data-jump='1']")
    assert "r-refund-amount" in lit(page)
    page.focus("#r-refund-amount")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.id") == "r-posted"
    page.focus("#t-1")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.id") == "t-2"
    page.focus(".marks [tabindex='0']")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.className").startswith("card")
    assert page.locator(".marks [tabindex='0']").count() == 1


def test_a_link_into_the_page_opens_there(show) -> None:
    opened = show(REFUND, height=520)
    opened.page.goto(opened.page.url.partition("#")[0] + "#r-quick")
    assert "r-quick" in lit(opened.page)
    assert in_view(opened.page, "#r-quick")


def test_without_script_all_is_there_to_read(show) -> None:
    page = show(REFUND, script=False).page
    assert page.locator(".card h4").count() == 11
    assert not page.is_visible(".filters")
    page.click("#r-told-the-number .ev")
    assert page.url.endswith("#t-5")
    assert page.locator("#t-5:target").count() == 1


def test_zooming_keeps_the_picture_to_scale(show) -> None:
    page = show(REFUND).page
    before = page.locator("[data-ev='t-1'] rect").bounding_box()["width"]
    page.click("[data-zoom='1']")
    assert page.locator("[data-ev='t-1'] rect").bounding_box()["width"] == pytest.approx(2 * before, rel=0.05)


def test_bars_are_as_long_as_what_they_stand_for(show) -> None:
    page = show(REFUND).page
    whole = page.locator(".l-agent .bed").bounding_box()["width"] * 0.9  # the rest is after the call
    for anchor, start, end in [("t-1", 2.6, 4.9), ("t-3", 7.4, 9.0), ("s_1", 10.5, 11.1)]:
        box = page.locator(f"[data-ev='{anchor}'] rect").bounding_box()
        assert box["width"] == pytest.approx((end - start) / 16.2 * whole, abs=2.5)


def test_paper_has_no_controls_and_everything_else(show) -> None:
    page = show(REFUND).page
    page.emulate_media(media="print", color_scheme="light")
    assert not page.is_visible(".filters")
    assert page.is_visible("#t-5")
    assert page.evaluate("getComputedStyle(document.querySelector('.log')).overflowY") == "visible"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf()[:5] == b"%PDF-"


def test_dark_is_dark(show) -> None:
    page = show(REFUND, scheme="dark").page
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == "rgb(23, 24, 26)"


def test_a_phone_needs_no_sideways_scrolling(show) -> None:
    for name in ("refund-call.html", "index.html"):
        page = show(PAGES[name], width=360, height=740).page
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_index_narrows_to_calls_that_fail(show) -> None:
    page = show(PAGES["index.html"]).page
    page.fill("[type=search]", "call-2")
    assert page.locator("#calls tbody tr:visible").count() == 1
    page.fill("[type=search]", "")
    page.check("[type=checkbox]")
    assert page.locator("#calls tbody tr:visible").count() == 3
    assert page.get_attribute("#calls a", "href") == "calls/0.html"


@pytest.mark.parametrize(
    ("name", "scheme"),
    [*((name, "light") for name in sorted(PAGES)), ("refund-call.html", "dark"), ("index.html", "dark")],
)
def test_axe_finds_nothing(show, name: str, scheme: str) -> None:
    page = show(PAGES[name], scheme=scheme).page
    # axe does not look at what the browser has not yet drawn
    drawn = "document.querySelectorAll('.chunk').forEach(e => { e.style.contentVisibility = 'visible'; })"
    page.evaluate(drawn)
    if name == "refund-call.html":
        page.click("#r-refund-amount .ev")
    found = Axe().run(page).response["violations"]
    assert [(rule["id"], [node["target"] for node in rule["nodes"]][:3]) for rule in found] == []


def drawn(turns: int, **given: object) -> str:
    said = [
        {"role": ("agent", "caller")[n % 2], "text": "hello", "start": n * 3.0, "end": n * 3.0 + 2.5}
        for n in range(turns)
    ]
    checks = {
        "version": 1,
        "assertions": [
            {"id": "greets", "kind": "phrase", "regex": "hello"},
            {"id": "books", "kind": "state", "resource": "orders", "expect": {"open": True}},
        ],
    }
    call = A.build_context(transcript=said)
    return build_report_html(assertions=A.run_assertions(checks, call), transcript=call.transcript, **given)[0]


def test_a_mark_at_second_0_is_drawn_whole(show) -> None:
    page = show(drawn(8)).page
    mark = page.locator(".marks a").first.bounding_box()
    frame = page.locator(".tl-scroll").bounding_box()
    assert mark is not None
    assert frame is not None
    assert mark["x"] >= frame["x"]
    assert page.eval_on_selector(".tl-draw", "e => getComputedStyle(e).overflow") == "visible"


@pytest.mark.parametrize("width", [390, 720, 1280])
def test_the_words_behind_the_end_of_the_call_are_not_cut_off(show, width: int) -> None:
    page = show(drawn(8), width=width).page
    ends = page.eval_on_selector("text.after", "e => { const b = e.getBBox(); return b.x + b.width; }")
    assert ends <= page.eval_on_selector(".tl-draw", "e => e.clientWidth")


def test_bars_that_are_narrower_than_their_edge_have_none(show) -> None:
    edge = "e => parseFloat(getComputedStyle(e).strokeWidth)"
    assert show(drawn(40)).page.eval_on_selector(".l-agent a:not([class]) rect", edge) > 0
    assert show(drawn(900)).page.eval_on_selector(".l-agent a:not([class]) rect", edge) == 0


def test_results_without_a_call_take_the_whole_page(show) -> None:
    envelope = A.run_assertions(
        {"version": 1, "assertions": [{"id": "a", "kind": "phrase", "regex": "x"}]}, A.build_context()
    )
    page = show(build_report_html(assertions=envelope)[0]).page
    assert page.eval_on_selector(".results", "e => e.clientWidth") > 1200


def test_the_arrows_of_the_filter_stand_in_its_line(show) -> None:
    page = show(drawn(8)).page
    first, last = page.locator(".seg").bounding_box(), page.locator(".jump").bounding_box()
    assert first is not None
    assert last is not None
    assert abs(first["y"] - last["y"]) < 8
