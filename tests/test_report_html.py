"""The HTML report as text: kept pages, hostile input, the policy that lets nothing in, sizes, and refusals."""

from __future__ import annotations

import base64
import hashlib
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import html5lib
import pytest

from hotato.model.call import Span, Turn
from hotato.report import html
from hotato.report._view import Place, view
from hotato.report.html import _shown

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
report_pages: Any = import_module("report_pages")
sys.path.remove(str(ROOT / "tools"))

ELEMENTS = set(
    "html head meta link title style body script a header p h1 h2 h3 h4 div section main aside footer ul ol li dl dt dd b "
    "i small span code button form label select option input output svg g rect circle line path text use defs article "
    "figure figcaption table thead tbody tr th td details summary".split()
)
PAYLOADS = [
    "<script>alert(1)</script>",
    '" onmouseover="alert(1)',
    "' onfocus='alert(1)' autofocus='",
    "</style><img src=x onerror=alert(1)>",
    "</title><script>alert(1)</script>",
    "--><svg/onload=alert(1)>",
    "<!--<script>",
    "]]></text><foreignObject><iframe src=javascript:alert(1)>",
    "javascript:alert(1)",
    "{{ 7*7 }}{% raw %}",
    "</script><base href=//evil.example>",
    "\u202egnp.exe\u2066\u200b\ufeff\x1b]0;x\x07\x9b\x00",
]


def nodes(page: str) -> Iterator[tuple[str, dict[str, str], str]]:
    """Yield each element of a page as a browser reads it: its name, its attributes, its text."""
    for node in html5lib.parse(page, namespaceHTMLElements=False).iter():
        if isinstance(node.tag, str):
            name = node.tag.rpartition("}")[2]
            yield name, {key.rpartition("}")[2]: value for key, value in node.attrib.items()}, node.text or ""


def result(name: str, **fields: Any) -> dict[str, Any]:
    return {"id": name, "kind": "phrase", "status": "FAIL", "deterministic": True, "code": "x", **fields}


def envelope(*results: dict[str, Any]) -> dict[str, Any]:
    counts = {s.lower(): sum(r["status"] == s for r in results) for s in ("PASS", "FAIL", "INCONCLUSIVE")}
    return {
        "schema": "assert.v1",
        "exit_code": 1 if counts["fail"] else 0,
        "inconclusive_policy": "report",
        "results": list(results),
        "summary": {"deterministic": counts, "judge": {"pass": 0, "fail": 0}, "note": "a note"},
    }


def hostile(bad: str) -> str:
    """Return a report in which every text that comes from outside is the payload."""
    difference = {"path": bad, "expected": {bad: [bad]}, "expected_type": bad, "observed": bad, "observed_type": bad}
    kept = envelope(
        result(
            bad,
            kind=bad,
            code=bad,
            reason=bad,
            description=bad,
            severity=bad,
            tags=[bad],
            turn=0,
            span_ids=["s_0"],
            refs=[bad, bad + "2"],
            met=1,
            of=2,
            closest={"span_id": bad, "differences": [difference]},
            alignment=[{"tool": bad, "state": "matched", "span_id": "s_0"}],
            hits=[{"detector": bad, "turn": 0, "role": bad, "code": bad}],
            pack={"name": bad, "version": bad},
            matched_rules=[{"rule": bad, "type": "banned", "turn": 0}],
            delta={"field": bad, "before": bad, "after": {bad: bad}},
        ),
        result("plain", redacted_transcript=[{"turn": 0, "role": bad, "text": bad}]),
    )
    kept["summary"]["note"] = bad
    kept["evidence"] = {
        "transcript": {
            "format": bad,
            "turns": 1,
            "captures": {bad: True},
            "notes": [{"code": bad, "message": bad, "count": 1}],
        }
    }
    rubric = {
        "schema": "rubric.v1",
        "results": [
            {"id": bad, "kind": bad, "status": "FAIL", "deterministic": False, "criterion": bad, bad: bad,
             "rationale": bad, "dimension": bad, "citations": [bad, {"turn": bad}, {bad: bad}, 0]}
        ],
    }  # fmt: skip
    return html.render(
        view(
            assertions=kept,
            transcript=[Turn(0, bad, bad, 0.0, 1.0), Turn(1, "agent", bad)],
            spans=[
                Span(0, bad, bad, 1.0, 2.0, {bad: {bad: [bad]}}),
                Span(1, "tool_call", bad, 1.5, None, {"arguments": bad, "result": [bad]}),
            ],
            rubric=rubric,
            base=envelope(result(bad + "gone")),
            title=bad,
            places={bad: Place(bad, 1)},
        )
    )


@pytest.mark.parametrize("name", sorted(file.name for file in report_pages.PAGES.glob("*.html")))
def test_a_kept_page_is_what_the_renderer_gives(name: str) -> None:
    pages = report_pages.pages()
    assert set(pages) == {file.name for file in report_pages.PAGES.glob("*.html")}
    assert pages[name].encode("utf-8") == (report_pages.PAGES / name).read_bytes()


@pytest.mark.parametrize("bad", PAYLOADS)
def test_hostile_text_becomes_no_element_and_no_attribute(bad: str) -> None:
    plain, page = list(nodes(hostile("w" * len(bad)))), list(nodes(hostile(bad)))
    assert {name for name, _, _ in page} <= ELEMENTS
    # the same page with an innocent word of that length has the same elements with the same attributes
    assert [(name, sorted(found)) for name, found, _ in page] == [(name, sorted(found)) for name, found, _ in plain]
    for name, attributes, _ in page:
        assert not [key for key in attributes if key.startswith("on") or key in ("style", "srcdoc", "formaction")]
        for key in ("href", "src"):
            assert name == "link" or attributes.get(key, "#").startswith("#")
    said = "".join(text for name, _, text in page if name not in ("script", "style"))
    assert _shown.visible(bad) in said


@pytest.mark.parametrize("bad", PAYLOADS)
def test_hostile_text_in_an_index_becomes_no_element(bad: str) -> None:
    def made(text: str) -> list[tuple[str, dict[str, str], str]]:
        kept = envelope(result(text, kind=text, reason=text, measured_ms=5))
        rows = [{"call_id": text, "envelope": kept, "base": envelope(), "href": "a.html"}]
        return list(nodes(html.render_index(rows, text)))

    page, plain = made(bad), made("word")
    assert {name for name, _, _ in page} <= ELEMENTS
    assert [(name, sorted(found)) for name, found, _ in page] == [(name, sorted(found)) for name, found, _ in plain]


def test_a_name_of_a_call_without_end_leaves_room_for_what_stands_beside_it() -> None:
    page = html.render_index([{"call_id": name * 10_000, "envelope": envelope()} for name in ("x", "\u202e")])
    assert "x" * 200 + "... (9,800 more characters)" in page
    assert "x" * 201 not in page
    assert page.count("[U+202E]") == 200


@pytest.mark.parametrize(
    ("given", "link"),
    [
        ("calls/1.html", "calls/1.html"),
        ('calls/a b".html#t-1', "calls/a%20b%22.html#t-1"),
        ("javascript:alert(1)", ""),
        ("\tjavascript:alert(1)", ""),
        ("JAVA\nscript:alert(1)", "JAVA%0Ascript%3Aalert%281%29"),
        ("//evil.example/x", ""),
        ("\\\\evil\\x", ""),
        ("/etc/passwd", ""),
        ("https://evil.example", ""),
        ("a\u202e.html", ""),
        (None, ""),
    ],
)
def test_an_index_links_only_to_files_beside_it(given: str | None, link: str) -> None:
    page = html.render_index([{"call_id": "c", "envelope": envelope(), "href": given}])
    assert [found["href"] for name, found, _ in nodes(page) if name == "a"] == ([link] if link else [])


@pytest.mark.parametrize("name", sorted(file.name for file in report_pages.PAGES.glob("*.html")))
def test_the_policy_admits_the_style_and_the_script_and_nothing_else(name: str) -> None:
    page = list(nodes((report_pages.PAGES / name).read_text(encoding="utf-8")))
    policy = next(found["content"] for _, found, _ in page if found.get("http-equiv") == "Content-Security-Policy")
    rules = {rule.split()[0]: rule.split()[1:] for rule in policy.split(";")}
    assert rules["default-src"] == ["'none'"]
    for element, rule in (("style", "style-src"), ("script", "script-src")):
        texts = [text for found, _, text in page if found == element]
        digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts]
        assert rules[rule] == [f"'sha256-{digest}'" for digest in digests]
        assert len(digests) == 1
    assert "'unsafe-inline'" not in policy
    assert not [found for found, attributes, _ in page if "src" in attributes or found in ("iframe", "object", "img")]


def test_what_cannot_be_seen_is_written_as_its_code_point() -> None:
    assert _shown.visible("a\u202eb\u200bc\x1bd\ud800\U000e0041\n\u00e9") == (
        "a[U+202E]b[U+200B]c[U+001B]d[U+D800][U+E0041]\n\u00e9"
    )
    page = html.render(view(transcript=[Turn(0, "agent", "pay \u202eme\ud800")]))
    assert "[U+202E]me[U+D800]" in page
    page.encode("utf-8")


def test_the_headline_and_the_two_shelves_stand_apart() -> None:
    page = re.sub(r"<[^>]+>", "", report_pages.pages()["against-a-base.html"].partition("<body>")[2])
    assert "7 deterministic pass / 4 fail" in page
    assert "1 judge-scored (advisory)" in page
    assert "Deterministic (audio / timing / transcript / trace derived)" in page
    assert page.index("Deterministic (audio") < page.index("Model-assisted (advisory, quarantined)")
    assert page.index("stays-polite") > page.index("Model-assisted")
    assert "overall" not in page


def test_an_empty_shelf_says_that_no_model_was_asked() -> None:
    page = report_pages.pages()["refund-call.html"]
    assert "0</b> judge-scored (advisory)" in page
    assert "no model had a part in this run" in page


def test_without_assertions_a_page_knows_of_no_shelf() -> None:
    page = report_pages.pages()["call-alone.html"].partition("<body>")[2].partition("<script>")[0]
    assert "deterministic" not in page.lower()
    assert "judge" not in page.lower()


def test_a_base_shows_what_changed_on_the_cards() -> None:
    page = report_pages.pages()["against-a-base.html"]
    assert re.search(r'id="r-quick".*?<span class="tag change">newly failing</span>', page, re.DOTALL)
    assert re.search(r'id="r-happy".*?<span class="tag change">fixed</span>', page, re.DOTALL)


def test_a_formula_shows_the_status_of_each_reference_and_of_what_those_read() -> None:
    kept = envelope(
        result("leaf", status="PASS"),
        result("inner", kind="formula", refs=["leaf", "gone"], met=1, of=2),
        result("outer", kind="formula", refs=["inner", "outer"], met=0, of=2),
    )
    page = html.render(view(assertions=kept))
    card = page.partition('id="r-outer"')[2].partition("</article>")[0]
    assert re.findall(r'data-go="([^"]+)"', card) == ["r-inner", "r-leaf", "r-outer"]
    assert "not in this envelope" in card


def test_personal_data_that_is_masked_is_nowhere_on_the_page() -> None:
    number = "4111 1111 1111 1111"
    turns = [Turn(0, "caller", f"my card is {number}", 0.0, 2.0)]
    masked = [{"turn": 0, "role": "caller", "text": "my card is [REDACTED]"}]
    hits = [{"detector": "card_luhn", "turn": 0, "role": "caller"}]
    kept = envelope(result("no-card", kind="pii", redacted_transcript=masked, hits=hits))
    spans = [Span(0, "tool_call", "pay", 1.0, None, {"arguments": {"card": number}})]
    page = html.render(view(assertions=kept, transcript=turns, spans=spans))
    assert number not in page
    assert "1111" not in page
    assert page.count("my card is [REDACTED]") == 2


def test_a_call_without_times_has_no_timeline_and_all_its_turns() -> None:
    page = html.render(view(transcript=[Turn(0, "agent", "one"), Turn(1, "caller", "two")]))
    assert 'class="timeline"' not in page
    assert page.index(">one<") < page.index(">two<")


def test_what_has_no_time_is_counted_beside_the_timeline() -> None:
    page = html.render(view(transcript=[Turn(0, "agent", "one", 1.0, 2.0), Turn(1, "caller", "two")]))
    assert "1 turns and events have no time and are not drawn" in page


@pytest.mark.parametrize("far", [0.0, 1e-9, 7.3, 3e5, 1e18, 1e300, -1e300])
def test_any_length_of_call_is_drawn_with_a_ruler_of_few_lines(far: float) -> None:
    page = html.render(view(transcript=[Turn(0, "agent", "one", 0.0, far), Turn(1, "caller", "two", far, far)]))
    assert page.count("<line x1") <= 60
    assert "nan" not in page.partition("<main")[0].partition("<body>")[2]


def test_sizes_are_bounded_and_what_is_left_out_is_told() -> None:
    long = Turn(0, "agent", "word " * 1_000_000, 0.0, 1.0)
    many = envelope(*(result(f"a-{n}", span_ids=[f"s_{i}" for i in range(300)]) for n in range(300)))
    spans = [Span(n, "tool_call", "t", float(n), None, {"result": "x" * 1000}) for n in range(300)]
    page = html.render(view(assertions=many, transcript=[long], spans=spans))
    assert "4,980,000 more characters" in page
    assert "and 276 more" in page
    assert len(page) < 4_000_000


def test_an_id_that_is_no_plain_word_is_still_reached() -> None:
    kept = envelope(result("a b", turn=0), result("a b", turn=0), result("c", turn=0))
    page = html.render(view(assertions=kept, transcript=[Turn(0, "agent", "hello", 0.0, 1.0)]))
    ids = [found["id"] for _, found, _ in nodes(page) if "id" in found]
    assert len(ids) == len(set(ids))
    targets = {found["href"][1:] for name, found, _ in nodes(page) if name in ("a", "use") and "href" in found}
    assert targets <= set(ids)
    assert {"n.0", "n.1", "r-c"} <= targets


def test_a_malformed_envelope_is_refused_by_an_index() -> None:
    with pytest.raises(ValueError, match=r"not an assert\.v1 envelope"):
        html.render_index([{"call_id": "c", "envelope": {"schema": "assert.v1"}}])
