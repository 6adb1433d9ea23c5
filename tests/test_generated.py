"""What is generated is up to date, valid, and refuses what it must."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from hotato import kinds
from hotato.document.reading import read
from hotato.testing import read_suite

ROOT = Path(__file__).resolve().parent.parent
SCHEMAS = sorted([*ROOT.glob("src/hotato/schema/*.json"), ROOT / "conformance" / "schema.json"])
PLAIN: dict[str, Any] = {"id": "a", "kind": "phrase", "regex": "hello"}
RESULT: dict[str, Any] = {
    "id": "a",
    "kind": "phrase",
    "status": "PASS",
    "deterministic": True,
    "code": "matched",
    "exercised": 1,
}
ENVELOPE: dict[str, Any] = {
    "schema": "assert.v1",
    "exit_code": 0,
    "inconclusive_policy": "report",
    "results": [RESULT],
    "summary": {
        "deterministic": {"pass": 1, "fail": 0, "inconclusive": 0},
        "judge": {"pass": 0, "fail": 0},
        "note": "one passed",
    },
}


def valid(name: str, value: Any) -> bool:
    schema = json.loads((ROOT / "src" / "hotato" / "schema" / name).read_text(encoding="utf-8"))
    return bool(Draft202012Validator(schema).is_valid(value))


def test_the_generated_files_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "generate.py"), "--check"], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("file", SCHEMAS, ids=lambda file: file.name)
def test_a_schema_is_a_schema(file: Path) -> None:
    Draft202012Validator.check_schema(json.loads(file.read_text(encoding="utf-8")))


def test_the_output_does_not_depend_on_the_hash_seed() -> None:
    code = "import sys; sys.path.insert(0, 'tools'); import generate, json; print(json.dumps(generate.outputs()))"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, cwd=ROOT, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"regex": None},
        {"regex": ""},
        {"rgex": "hello"},
        {"kind": "phrases"},
        {"position": "middle"},
        {"absent": "yes"},
        {"dimension": "mood"},
        {"id": "no blanks"},
        {"when": []},
    ],
    ids=str,
)
def test_the_document_schema_refuses_a_wrong_assertion(change: dict[str, Any]) -> None:
    assert valid("assert-document.v1.json", {"version": 1, "assertions": [PLAIN]})
    assert not valid("assert-document.v1.json", {"version": 1, "assertions": [{**PLAIN, **change}]})


@pytest.mark.parametrize(
    "expected", [{"$gte": 10}, {"amount": {"$in": [1, {"$regex": "^a"}]}}, {"list": [1, {"$not": 2}]}], ids=str
)
def test_the_document_schema_takes_matchers_where_values_are_expected(expected: Any) -> None:
    call = {"id": "a", "kind": "tool_call", "name": "pay", "args_subset": expected}
    assert valid("assert-document.v1.json", {"version": 1, "assertions": [call]})


@pytest.mark.parametrize(
    "expected", [{"a": {"$gtee": 1}}, {"a": {"$gt": 1, "b": 2}}, {"$in": []}, {"a": [{"$len": -1}]}, {}], ids=str
)
def test_the_document_schema_refuses_a_wrong_matcher(expected: Any) -> None:
    call = {"id": "a", "kind": "tool_call", "name": "pay", "args_subset": expected}
    assert not valid("assert-document.v1.json", {"version": 1, "assertions": [call]})


def test_the_document_schema_knows_every_kind() -> None:
    schema = json.loads((ROOT / "src/hotato/schema/assert-document.v1.json").read_text(encoding="utf-8"))
    assert sorted(schema["$defs"]["assertion"]["properties"]["kind"]["enum"]) == list(kinds.names())


@pytest.mark.parametrize(
    "document", [c["document"] for c in read_suite(ROOT / "conformance/documents/accepted.yaml")["accepted"]], ids=str
)
def test_the_document_schema_accepts_the_accepted_documents(document: Any) -> None:
    assert valid("assert-document.v1.json", document)


@pytest.mark.parametrize(
    "change",
    [
        {"overall_score": 1},
        {"summary": {**ENVELOPE["summary"], "overall_score": 1}},
        {"exit_code": 3},
        {"results": [{**RESULT, "overall_score": 1}]},
        {"results": [{**RESULT, "deterministic": False}]},
        {"results": [{**RESULT, "status": "FAIL"}]},
        {"results": [{**RESULT, "skipped": True}]},
        {"results": [{**RESULT, "code": "leaked"}]},
        {"results": [{**RESULT, "hits": []}]},
        {"results": [{**RESULT, "turn": -1}]},
    ],
    ids=str,
)
def test_the_envelope_schema_refuses_what_is_never_emitted(change: dict[str, Any]) -> None:
    assert valid("assert.v1.json", ENVELOPE)
    assert not valid("assert.v1.json", {**ENVELOPE, **change})


@pytest.mark.parametrize("name", kinds.names())
def test_the_example_of_a_kind_is_accepted_by_the_document_schema(name: str) -> None:
    page = (ROOT / "docs" / "kinds" / f"{name}.md").read_text(encoding="utf-8")
    example = page.partition("```yaml\n")[2].partition("```")[0]
    assert valid("assert-document.v1.json", {"version": 1, "assertions": read(example, name).value})


def test_a_page_of_a_kind_has_one_list_no_wide_line_and_tells_what_each_result_shows() -> None:
    code = "import sys; sys.path.insert(0, 'tools'); import results, json; print(json.dumps(results.TEXTS))"
    texts = json.loads(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, cwd=ROOT).stdout)
    for kind in kinds.all_kinds():
        text = kind.__doc__ or ""
        assert text.count("\n\n    - `") <= 1, kind.__name__
        assert max(map(len, text.splitlines())) <= 124, kind.__name__
        assert [name for name in kind.shows if not texts.get(name)] == [], kind.__name__
