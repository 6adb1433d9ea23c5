"""What holds of every importer: its page, its cases through the whole path from bytes, and a short run of the fuzzer."""

from __future__ import annotations

import base64
import gzip
import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from hotato import importers
from hotato.context.codes import CODES
from hotato.errors import EvidenceError
from hotato.importers._call import call_of
from hotato.importers._importer import Imported, Options
from hotato.model import codec
from hotato.testing import differences, read_suite

ROOT = Path(__file__).resolve().parent.parent
SUITE = ROOT / "conformance" / "importers"
FORMATS = importers.names()
FILES = sorted(SUITE.glob("*/cases.yaml"))


def tool(name: str) -> Any:
    """Return a module of tools/."""
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(ROOT / "tools"))


pages, noted, fuzz = tool("importer_pages"), tool("importer_notes"), tool("fuzz")


def bytes_of(case: dict[str, Any]) -> bytes:
    if "base64" in case:
        return base64.b64decode(case["base64"], validate=True)
    if "lines" in case:
        return "".join(json.dumps(value) + "\n" for value in case["lines"]).encode()
    given = case["input"]
    return (given if isinstance(given, str) else json.dumps(given)).encode()


def read(name: str, case: dict[str, Any], raw: bytes) -> Imported:
    options = Options(**case.get("options", {}))
    return importers.read_raw("f", raw, name if case.get("named") else None, options)


CASES = [(file.parent.name, case) for file in FILES for case in read_suite(file)["cases"]]
READ = [(name, case) for name, case in CASES if "expect" in case]
titled = {"ids": lambda value: value if isinstance(value, str) else value["name"]}


def unequal(expected: Any, found: Any) -> list[str]:
    """Return where two values differ; numbers are compared by value, and a truth value is no number."""
    return [*differences({"": expected}, {"": found}), *differences({"": found}, {"": expected})]


# Every importer is whole.


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_says_what_it_reads_how_to_get_it_and_what_it_lacks(name: str) -> None:
    page = pages.read(name)
    assert 0 < len(page.summary) <= 120
    assert page.summary.endswith(".")
    assert page.how
    assert page.lacks


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_has_a_rank_and_answers_for_content(name: str) -> None:
    importer = importers.get(name)
    assert type(importer.RANK) is int
    assert importer.RANK > 0
    assert callable(importer.matches)
    assert callable(importer.read)


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_has_cases_that_are_read_and_refused(name: str) -> None:
    mine = [case for format_, case in CASES if format_ == name]
    assert any("expect" in case for case in mine)
    assert any("refused" in case for case in mine) or name == "plain_text"  # every text is one
    assert len({case["name"] for case in mine}) == len(mine)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_a_file_of_cases_has_the_shape_of_one(file: Path) -> None:
    schema = json.loads((ROOT / "conformance" / "schema.json").read_text(encoding="utf-8"))
    suite = read_suite(file)
    assert [f"{e.json_path}: {e.message}" for e in Draft202012Validator(schema).iter_errors(suite)] == []
    assert suite["format"] == file.parent.name
    assert suite["format"] in FORMATS


@pytest.mark.parametrize(
    "change",
    [
        {"inputs": []},
        {"lines": [1]},
        {"expect": {}},
        {"expect": {"notes": [], "turns": []}},
        {"options": {"role": {}}},
        {"refused": [{}]},
        {"named": False},
    ],
    ids=str,
)
def test_the_shape_of_cases_refuses_what_no_runner_reads(change: dict[str, Any]) -> None:
    schema = Draft202012Validator(json.loads((ROOT / "conformance" / "schema.json").read_text(encoding="utf-8")))
    case = {"name": "one turn is read", "input": [], "expect": {"notes": []}}
    assert schema.is_valid({"format": "srt", "cases": [case]})
    assert not schema.is_valid({"format": "srt", "cases": [{**case, **change}]})


# The cases.


@pytest.mark.parametrize(("name", "case"), CASES, **titled)
def test_a_file_comes_out_as_its_case_says(name: str, case: dict[str, Any]) -> None:
    raw = bytes_of(case)
    if "refused" in case:
        with pytest.raises(EvidenceError) as caught:
            read(name, case, raw)
        (problem,), (wanted,) = caught.value.problems, case["refused"]
        assert problem.code == wanted.get("code", "import")
        assert problem.code in CODES
        assert (problem.path, problem.line) == (wanted.get("path", problem.path), wanted.get("line", problem.line))
        return
    found, expect = read(name, case, raw), case["expect"]
    assert found.format == name
    for field in ("transcript", "spans", "call_id", "agent_id"):
        assert unequal(expect.get(field), getattr(found, field)) == [], field
    assert [note.code for note in sorted(found.notes, key=lambda note: note.code)] == expect["notes"]
    assert found.captures == expect.get("captures", found.captures)
    assert found.stack == expect.get("stack", found.stack)


@pytest.mark.parametrize(("name", "case"), READ, **titled)
def test_what_a_case_gives_can_be_judged_and_every_read_gives_the_same(name: str, case: dict[str, Any]) -> None:
    raw = bytes_of(case)
    found = read(name, case, raw)
    call = call_of(found)
    assert (call.transcript is None, call.spans is None) == (found.transcript is None, found.spans is None)
    codec.encode([found.transcript, found.spans, found.captures, found.meta])
    packed = [gzip.compress(raw, mtime=0)]
    if "base64" not in case and not raw.startswith(b"\xef\xbb\xbf"):
        packed.append(b"\xef\xbb\xbf" + raw)
    for other in (raw, *packed):
        assert read(name, case, other) == found
    assert importers.read_raw("f", raw, name, Options(**case.get("options", {}))) == found


def test_the_case_that_the_guide_shows_is_one() -> None:
    guide = (ROOT / "conformance" / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"^```yaml\n(format: .*?)^```$", guide, re.MULTILINE | re.DOTALL)
    assert shown is not None
    suite = yaml.safe_load(shown[1])
    for case in suite["cases"]:
        test_a_file_comes_out_as_its_case_says(suite["format"], case)


# Notes.


@pytest.mark.parametrize("name", FORMATS)
def test_a_page_lists_every_note_that_a_case_has(name: str) -> None:
    given = {code for format_, case in READ if format_ == name for code in case["expect"]["notes"]}
    assert given - set(noted.notes_of(name)) - {"number_not_finite"} == set()


def test_a_note_that_a_function_of_a_shared_part_gives_is_listed() -> None:
    assert {"arguments_truncated", "call_unanswered", "clock_restarted"} <= set(noted.notes_of("vapi"))
    assert "clock_restarted" not in noted.notes_of("openai_chat")
    assert "tool_name_missing" not in noted.notes_of("srt")


def test_every_note_has_a_case() -> None:
    given = {code for _, case in READ for code in case["expect"]["notes"]}
    assert set(noted.sentences()) - given <= {"number_not_finite"}  # a number that no case can write


def test_a_number_that_is_not_finite_is_left_out_and_noted() -> None:
    call = '{"type": "tool_use", "id": "a", "name": "pay", "input": {"sum": NaN, "of": [Infinity, 1]}}'
    found = importers.read_raw("f", f'[{{"role": "assistant", "content": [{call}]}}]'.encode())
    assert found.spans is not None
    assert found.spans[0]["arguments"] == {"sum": None, "of": [None, 1]}
    assert [note.count for note in found.notes if note.code == "number_not_finite"] == [2]


def codes_given() -> Iterator[str]:
    """Yield the code of every note that the sources spell out."""
    for file in sorted(noted.FOLDER.glob("*.py")):
        text = file.read_text(encoding="utf-8")
        yield from re.findall(r"\bNote\(\s*\"(\w+)\"", text)
        yield from re.findall(r"\b(?:lost|counts)\[\"(\w+)\"\]", text)


def test_every_note_that_is_given_is_listed() -> None:
    assert set(codes_given()) - set(noted.sentences()) == set()


# What an import costs, and who imports whom.


def test_no_importer_is_imported_before_it_is_needed() -> None:
    code = "import sys, hotato.importers; print(*(m for m in sys.modules if m.startswith('hotato.importers.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {f"hotato.importers.{name}" for name in FORMATS} & set(done.stdout.split())


# Damage.


@pytest.mark.parametrize("name", FORMATS)
def test_a_damaged_file_is_read_or_refused(name: str) -> None:
    seeds = fuzz.seeds_of_cases(name)
    assert seeds
    assert fuzz.run(name, seeds, random.Random(1), rounds=60).failures == []


def test_a_fuzzer_that_finds_something_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Imported:
        raise KeyError("start")

    monkeypatch.setattr(importers.get("srt"), "read", broken)
    done = fuzz.run("srt", fuzz.seeds_of_cases("srt"), random.Random(1), rounds=20)
    assert done.failures
    assert "KeyError" in done.failures[0].told


def test_the_fuzzer_prints_a_line_a_format(tmp_path: Path) -> None:
    argv = [sys.executable, str(ROOT / "tools" / "fuzz.py"), "0.2", "--format", "srt", "--seed", "1", "--jobs", "1"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^srt +\d+ inputs, \d+ read, ", done.stdout, re.MULTILINE)
