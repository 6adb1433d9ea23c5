"""Reports other than HTML: golden bytes, the schemas of their formats, and hostile input in every one of them."""

from __future__ import annotations

import json
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from lxml import etree
from markdown_it import MarkdownIt

from hotato import report
from hotato.model.call import Span, Turn
from hotato.report._view import Place, View, view
from hotato.report.markdown import MOST

ROOT = Path(__file__).resolve().parent.parent
SHELF = ROOT / "conformance" / "report"
sys.path.insert(0, str(ROOT / "tools"))
try:
    golden = import_module("golden")
finally:
    sys.path.remove(str(ROOT / "tools"))

FORMATS = ("md", "junit", "sarif", "github", "tap", "text")
PAYLOADS = {
    "script": "<script>alert(1)</script>",
    "attribute": '" onmouseover="alert(1)',
    "comment": "--> <!-- ]]> <![CDATA[",
    "cell": "a | b\n| --- | --- |\n| c | d |",
    "escaped cell": "\\| \\\\| \\",
    "fence": "```\n# head\n``",
    "mention": "@octocat and @org/team",
    "reference": "#123 GH-4 org/repo#5",
    "link": "https://evil.example www.evil.example mail@evil.example",
    "image": "![x](https://evil.example/x.png) [a](javascript:alert(1))",
    "emphasis": "**a** _b_ ~~c~~ $d$ $$e$$ :+1:",
    "title": "\x1b]0;owned\x07",
    "clipboard": "\x1b]52;c;ZWNobyBvd25lZA==\x07",
    "colour": "\x9b31m\x1b[31m\x7f",
    "direction": "\u202egpj.exe\u2066\u200b\ufeff\u061c",
    "nul": "a\x00b\x01\x0b\ufffe\uffff",
    "surrogate": "\ud800 lone",
    "command": "::set-output name=x::y",
    "command on a line": "x\n::error::forged\r::add-mask::x",
    "old command": "##[add-mask]x ##vso[task.setvariable variable=x]y",
    "percent": "%0A::error::forged%25",
    "property": "a,b:c,line=9",
    "tap": "x # SKIP\nok 99 - forged\n1..0\nBail out!\n  ...",
    "formula": "=HYPERLINK(\"https://evil.example\") +1 -1",
    "entity": "&lt;b&gt; &#64;octocat",
}  # fmt: skip


def hostile(text: str, policy: str = "report") -> dict[str, Any]:
    """Return an envelope that holds a text wherever an envelope may hold one."""
    results = [
        {
            "id": text, "kind": text, "status": "FAIL", "deterministic": True, "severity": text, "tags": [text],
            "description": text, "code": text, "reason": text, "exercised": 1, "turn": 0, "span_ids": ["s_0"],
            "closest": {"span_id": "s_0", "differences": [
                {"path": text, "expected": {text: text}, "expected_type": "object", "observed": text, "observed_type": "x"},
                {"path": text, "expected": text, "expected_type": text, "observed_type": "missing"},
            ]},
            "alignment": [
                {"tool": text, "state": "matched", "span_id": "s_0"},
                {"span_type": text, "state": "missing", "span_id": None},
            ],
            "hits": [{"detector": text, "turn": 0, "role": text}],
            "pack": {"name": text, "version": text},
            "matched_rules": [{"rule": text, "type": "banned", "turn": 0}],
            "delta": {"field": text, "before": text, "after": [text]},
            "refs": [text],
        },
        {"id": f"{text}2", "kind": text, "status": "INCONCLUSIVE", "deterministic": True, "code": text, "reason": text},
        {"id": f"{text}3", "kind": text, "status": "PASS", "deterministic": True, "code": text, "reason": text,
         "exercised": 0, "vacuous": True},
    ]  # fmt: skip
    note = {"code": text, "message": text}
    return {
        "schema": "assert.v1",
        "exit_code": 2 if policy == "refuse" else 1,
        "inconclusive_policy": policy,
        "results": results,
        "summary": {
            "deterministic": {"pass": 1, "fail": 1, "inconclusive": 1},
            "judge": {"pass": 0, "fail": 0},
            "note": text,
        },
        "evidence": {
            "transcript": {"format": text, "turns": 1, "notes": [note]},
            "trace": {"format": text, "spans": 1, "notes": [note]},
        },
    }


def hostile_view(text: str, policy: str = "report") -> View:
    base = hostile(text, policy)
    base["results"][0]["exercised"] = 2
    rubric = {
        "schema": "rubric.v1",
        "results": [{"id": text, "status": "FAIL", "deterministic": False, "reason": text}],
    }
    place = Place(text, 3, 5)
    return view(
        assertions=hostile(text, policy),
        transcript=[Turn(0, text, text, 0.0, 1.0)],
        spans=[Span(0, text, text, 0.0, None, {text: text})],
        rubric=rubric,
        base=base,
        title=text,
        places={text: place, f"{text}2": place},
        turns_at=[place],
        spans_at=[place],
    )


def of(case: str, form: str) -> str:
    return report.render(form, golden.view_of(case))


# golden files ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("case", golden.CASES)
def test_a_report_is_its_golden_file(case: str, form: str) -> None:
    file, text = golden.golden(case, form)
    assert file.read_bytes() == text.encode(), "python tools/golden.py renders them anew"


def test_no_golden_file_belongs_to_a_case_that_is_gone() -> None:
    there = {file for form in FORMATS for file in (SHELF / form).iterdir()}
    assert there == {golden.golden(case, form)[0] for form in FORMATS for case in golden.CASES}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_text_gives_no_control_character(form: str, payload: str) -> None:
    text = report.render(form, hostile_view(PAYLOADS[payload]))
    assert all(char.isprintable() or char == "\n" for char in text)
    assert not re.search("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u061c]", text)
    text.encode("utf-8")


# JUnit ----------------------------------------------------------------------------------------------------------------


def junit(text: str) -> Any:
    schema = etree.XMLSchema(etree.parse(str(SHELF / "junit.xsd")))
    root = etree.fromstring(text.encode("utf-8"), etree.XMLParser(resolve_entities=False, no_network=True))
    schema.assertValid(root)
    return root


@pytest.mark.parametrize("case", golden.CASES)
def test_junit_is_valid_and_its_counts_are_those_of_its_cases(case: str) -> None:
    root = junit(of(case, "junit"))
    suite = root.find("testsuite")
    assert int(suite.get("tests")) == len(suite.findall("testcase"))
    for name, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(suite.get(name)) == len(suite.findall(f"testcase/{element}"))


@pytest.mark.parametrize(("policy", "element"), [("report", "skipped"), ("fail", "failure"), ("refuse", "error")])
def test_an_inconclusive_is_to_junit_what_the_policy_makes_of_it(policy: str, element: str) -> None:
    root = junit(report.render("junit", hostile_view("x", policy)))
    cases = {case.get("name"): [child.tag for child in case] for case in root.iter("testcase")}
    assert cases["x2"] == [element]
    assert "failure" in cases["x"]
    assert cases["x3"] == ["system-out"]


@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_text_makes_no_element_of_junit(payload: str) -> None:
    plain, root = (junit(report.render("junit", hostile_view(text))) for text in ("x", PAYLOADS[payload]))
    assert [element.tag for element in root.iter()] == [element.tag for element in plain.iter()]
    assert [sorted(element.keys()) for element in root.iter()] == [sorted(element.keys()) for element in plain.iter()]


def test_a_test_case_of_junit_tells_the_line_of_its_assertion() -> None:
    case = next(junit(of("refund-call", "junit")).iter("testcase"))
    assert (case.get("file"), case.get("line")) == ("assertions.yaml", "3")


# SARIF ----------------------------------------------------------------------------------------------------------------


def sarif(text: str) -> Any:
    value = json.loads(text)
    schema = json.loads((SHELF / "sarif.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(value)
    return value["runs"][0]


@pytest.mark.parametrize("case", golden.CASES)
def test_sarif_is_valid_and_names_its_rules(case: str) -> None:
    run = sarif(of(case, "sarif"))
    rules = run["tool"]["driver"]["rules"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])
    assert {result["properties"]["status"] for result in run["results"]} <= {"FAIL", "INCONCLUSIVE"}


def test_a_sarif_location_is_the_line_of_the_assertion_and_the_related_ones_are_the_evidence() -> None:
    result = next(r for r in sarif(of("refund-call", "sarif"))["results"] if r["ruleId"] == "refund-amount")
    where = result["locations"][0]["physicalLocation"]
    assert (where["artifactLocation"]["uri"], where["region"]["startLine"]) == ("assertions.yaml", 8)
    related = result["relatedLocations"][0]
    assert related["message"]["text"] == "span s_1 (closest)"
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "voice_trace.jsonl"
    assert related["physicalLocation"]["region"]["startLine"] == 3


def test_a_fingerprint_of_sarif_outlives_moved_lines_and_other_findings() -> None:
    def prints(line: int, code: str) -> Any:
        envelope = hostile("x")
        envelope["results"][0]["code"] = code
        shown = view(assertions=envelope, places={"x": Place("a.yaml", line, 1)})
        return sarif(report.render("sarif", shown))["results"][0]["partialFingerprints"]

    assert prints(3, "one") == prints(30, "two")
    assert len({json.dumps(r["partialFingerprints"]) for r in sarif(of("refund-call", "sarif"))["results"]}) == 4


@pytest.mark.parametrize(("policy", "told"), [("report", ("open", "none")), ("fail", ("fail", "error"))])
def test_an_inconclusive_is_open_to_sarif_unless_the_policy_fails_it(policy: str, told: tuple[str, str]) -> None:
    result = sarif(report.render("sarif", hostile_view("x", policy)))["results"][1]
    assert (result["kind"], result["level"]) == told


@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_text_leaves_sarif_valid_and_links_to_nothing(payload: str) -> None:
    run = sarif(report.render("sarif", hostile_view(PAYLOADS[payload])))
    texts = [result["message"]["text"] for result in run["results"]]
    assert not any("](" in text for text in texts)


@pytest.mark.parametrize(
    ("file", "uri"),
    [("a b.yaml", "a%20b.yaml"), ("C:\\x\\y.yaml", "C%3A/x/y.yaml"), ("/tmp/é.yaml", "file:///tmp/%C3%A9.yaml")],
)
def test_a_path_becomes_a_uri(file: str, uri: str) -> None:
    shown = view(assertions=hostile("x"), places={"x": Place(file, 1, 1)})
    result = sarif(report.render("sarif", shown))["results"][0]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


# GitHub annotations ---------------------------------------------------------------------------------------------------

_COMMAND = re.compile(r"^::(error|warning|notice) ((?:file=[^,:]*,line=3,col=5,)?title=[^,:]*)::(.*)$")


@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_text_makes_no_workflow_command(payload: str) -> None:
    lines = report.render("github", hostile_view(PAYLOADS[payload])).splitlines()
    assert len(lines) == 5
    told = [_COMMAND.match(line) for line in lines[:3]]
    assert [match and match[1] for match in told] == ["error", "warning", "notice"]
    assert not any(line.lstrip().startswith("::") or "##[" in line for line in lines[3:])


def test_an_annotation_reads_back_as_what_was_found() -> None:
    line = report.render("github", hostile_view("50% a,b: c")).splitlines()[0]
    match = _COMMAND.match(line)
    assert match is not None

    def back(text: str) -> str:
        return re.sub("%([0-9A-F]{2})", lambda code: chr(int(code[1], 16)), text)

    assert back(match[2]) == "file=50% a,b: c,line=3,col=5,title=FAIL 50% a,b: c (50% a,b: c)"
    assert back(match[3]).splitlines()[0] == "50% a,b: c"


@pytest.mark.parametrize(("policy", "level"), [("report", "warning"), ("fail", "error"), ("refuse", "error")])
def test_an_inconclusive_is_annotated_as_the_policy_says(policy: str, level: str) -> None:
    assert report.render("github", hostile_view("x", policy)).splitlines()[1].startswith(f"::{level} ")


@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_text_makes_no_workflow_command_of_plain_text(payload: str) -> None:
    text = report.render("text", hostile_view(PAYLOADS[payload]))
    assert not any(line.lstrip().startswith("::") or re.search(r"##\w*\[", line) for line in text.splitlines())


# TAP ------------------------------------------------------------------------------------------------------------------


def points(text: str) -> list[tuple[bool, int, str, str]]:
    """Return each test point as (ok, number, description, directive); check what stands between them."""
    lines = text.splitlines()
    assert lines[0] == "TAP version 14"
    assert re.fullmatch(r"1\.\.[0-9]+", lines[1])
    found, block = [], None
    for line in lines[2:]:
        if block is not None:
            if line == "  ...":
                yaml.safe_load("\n".join(block))
                block = None
            else:
                assert line.startswith("  ")
                block.append(line[2:])
        elif line == "  ---":
            block = []
        elif not line.startswith("# "):
            match = re.fullmatch(r"(not )?ok ([0-9]+) - ((?:[^#\\]|\\.)*?)(?: # (SKIP.*))?", line)
            assert match is not None, line
            found.append((match[1] is None, int(match[2]), match[3], match[4] or ""))
    assert block is None
    assert lines[1] == f"1..{len(found)}"
    return found


@pytest.mark.parametrize("policy", ["report", "fail", "refuse"])
def test_tap_has_a_point_for_each_assertion(policy: str) -> None:
    found = points(report.render("tap", hostile_view("x", policy)))
    assert [(ok, name) for ok, _, name, _ in found] == [(False, "x"), (policy == "report", "x2"), (True, "x3")]
    assert found[1][3].startswith("SKIP x") is (policy == "report")


@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_text_makes_no_line_of_tap(payload: str) -> None:
    found = points(report.render("tap", hostile_view(PAYLOADS[payload])))
    assert [(ok, number, bool(skip)) for ok, number, _, skip in found] == [
        (False, 1, False),
        (True, 2, True),
        (True, 3, False),
    ]


# Markdown -------------------------------------------------------------------------------------------------------------

_ELEMENTS = {"<code>", "</code>", "<details>", "</details>"}


def shape(text: str) -> list[str]:
    """Return the structure of a Markdown text; check that nothing in it is a link, an image, HTML or a mention."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    found = []
    for token in parser.parse(text):
        found.append(token.type)
        if token.type == "html_block":
            assert re.fullmatch(r"(<details>\n<summary>\d+ turns</summary>|</details>)\n?", token.content)
        in_code = False
        for child in token.children or ():
            if child.type == "html_inline":
                assert child.content in _ELEMENTS, child.content
                in_code = child.content == "<code>"
            else:
                assert child.type in {"text", "code_inline", "strong_open", "strong_close", "em_open", "em_close", "softbreak", "text_special", "entity"}, child.type  # fmt: skip
            if child.type == "text" and not in_code:
                assert not re.search(r"[@#]|://|www\.", child.content), child.content
    return found


@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_text_is_no_markup_of_markdown(payload: str) -> None:
    plain, found = (shape(report.render("md", hostile_view(text))) for text in ("x", PAYLOADS[payload]))
    assert found == plain


@pytest.mark.parametrize("case", golden.CASES)
def test_every_row_of_a_markdown_table_has_the_cells_of_its_head(case: str) -> None:
    rows: list[str] = []
    for line in [*of(case, "md").splitlines(), ""]:
        if line.startswith("| "):
            rows.append(line)
        else:
            assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) <= 1
            rows = []


def many(count: int, status: str = "FAIL", reason: str = "not said") -> dict[str, Any]:
    results = [
        {"id": f"a{n}", "kind": "phrase", "status": status, "deterministic": True, "code": "c", "reason": reason}
        for n in range(count)
    ]
    passed, failed = (count, 0) if status == "PASS" else (0, count)
    return {
        "schema": "assert.v1",
        "exit_code": int(failed > 0),
        "inconclusive_policy": "report",
        "results": results,
        "summary": {
            "deterministic": {"pass": passed, "fail": failed, "inconclusive": 0},
            "judge": {"pass": 0, "fail": 0},
            "note": "",
        },
    }


@pytest.mark.parametrize("reason", ["not said", "\U0001f600" * 300, "x" * 5_000])
def test_markdown_fits_a_comment_and_says_what_it_leaves_out(reason: str) -> None:
    text, _ = report.build_report_md(assertions=many(5_000, reason=reason))
    assert len(text.encode("utf-16-le")) // 2 <= MOST
    last = text.splitlines()[-1]
    assert re.fullmatch(r"\*\*Cut here:\*\* [0-9]+ more lines; a comment holds at most 65536 characters\.", last)
    assert "0 deterministic pass / 5000 fail" in text


def test_markdown_that_is_cut_in_the_transcript_closes_the_fold() -> None:
    turns = [{"role": "agent", "text": "word " * 30} for _ in range(1_000)]
    text, _ = report.build_report_md(assertions=many(3), transcript=turns)
    assert len(text) <= MOST
    assert text.count("<details>") == text.count("</details>") == 1
    assert "**Cut here:**" in text


def test_markdown_that_fits_is_whole() -> None:
    text, _ = report.build_report_md(assertions=many(300, "PASS"))
    assert "Cut here" not in text
    assert text.count("\n| PASS ") == 300


def test_markdown_tells_failures_before_passes() -> None:
    text = of("refund-call", "md")
    assert text.index("`refund-amount`") < text.index("`verified-first`")
    assert text.index("## Deterministic") < text.index("## Model-assisted")


# text -----------------------------------------------------------------------------------------------------------------


def test_text_has_kinds_together_failures_last_and_two_counts() -> None:
    lines = of("refund-call", "text").splitlines()
    told = [line.split()[:1] + line.split()[2:3] for line in lines if re.match("PASS|FAIL|INCONCLUSIVE", line)]
    assert [status for status, _ in told] == ["PASS"] * 7 + ["FAIL"] * 4
    kinds = [kind for status, kind in told if status == "PASS"]
    assert kinds == ["tool_call", "tool_result", "phrase", "phrase", "order", "formula", "formula"]
    assert lines[-3] == "deterministic: 7 pass, 4 fail, 0 inconclusive"
    assert lines[-2] == "judge-scored (advisory, never mixed in): 0"
