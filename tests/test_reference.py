"""The reference agent: its four defects are found in every run, and nothing else is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from copy import deepcopy
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from hotato.simulate import documents

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "reference-agent"


@pytest.fixture(scope="module")
def reference() -> Any:
    spec = spec_from_file_location("reference_agent", FOLDER / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def result(reference: Any) -> dict[str, Any]:
    return played(reference)


def played(reference: Any) -> dict[str, Any]:
    request = reference.Request(suite=reference.load_suite_file(FOLDER / "suite.yaml"))
    return reference.run(request, reference.Rules(), lambda *_: None)


def of(result: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [run for run in result["runs"] if run["test"] == name]


def test_there_are_25_scenarios_of_15_runs(result: dict[str, Any]) -> None:
    assert [test["counts"]["runs"] for test in result["tests"]] == [15] * 25
    names = {test["id"] for test in result["tests"]}
    for folder in ("scenarios", "tests"):
        assert {path.stem for path in (FOLDER / folder).glob("*.yaml")} == names


def test_each_defect_fails_in_all_its_runs_by_the_assertions_named(reference: Any, result: dict[str, Any]) -> None:
    assert len(reference.DEFECTS) == 4
    for name, ids in reference.DEFECTS.items():
        assert [{one["id"] for one in run["failed"]} for run in of(result, name)] == [ids] * 15
        assert {run["status"] for run in of(result, name)} == {"FAIL"}


def test_no_other_run_fails_or_is_invalid(reference: Any, result: dict[str, Any]) -> None:
    others = [run for run in result["runs"] if run["test"] not in reference.DEFECTS]
    assert len(others) == 315
    assert {run["status"] for run in others} == {"PASS"}
    assert [run["run"] for run in others if run["failed"]] == []
    assert reference.unexpected(result) == []


def test_without_sound_timing_alone_is_inconclusive(result: dict[str, Any]) -> None:
    assert {one["id"] for run in result["runs"] for one in run["open"]} == {"answers-in-time", "falls-quiet"}


def test_a_second_time_the_evidence_is_the_same(reference: Any, result: dict[str, Any]) -> None:
    assert played(reference) == result


def test_the_command_exits_with_0_when_exactly_the_defects_fail() -> None:
    words = [sys.executable, str(FOLDER / "run.py"), "--no-audio", "--jobs", "1"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=dict(os.environ), timeout=120)
    assert done.returncode == 0
    assert "375 runs of 25 tests: 315 pass, 60 fail, 0 inconclusive, 0 SIMULATOR_INVALID\n" in done.stdout
    assert done.stdout.endswith("\nthe four defects and nothing else\n")


@pytest.mark.parametrize("change", ["missed", "elsewhere", "fewer", "invalid", "other", "gone"])
def test_what_is_not_exactly_the_defects_is_told(reference: Any, result: dict[str, Any], change: str) -> None:
    name = "wrong-number" if change == "elsewhere" else "identity-skipped"
    changed = deepcopy(result)
    first = of(changed, name)[0]
    test = next(one for one in changed["tests"] if one["id"] == name)
    if change == "missed":
        first["failed"] = []
    elif change in ("elsewhere", "other"):
        first["failed"] = [*first["failed"], {"id": "told", "code": "x", "reason": ""}]
    elif change == "invalid":
        first["why"] = "no such record"
    elif change == "fewer":
        test["counts"]["runs"] = 14
    else:
        changed["tests"].remove(test)
    assert len(reference.unexpected(changed)) == 1


def test_the_published_schemas_take_the_reference_agent_and_refuse_what_is_misspelt() -> None:
    schemas = FOLDER.parents[1] / "src" / "hotato" / "schema"
    for folder, name in (("scenarios", "scenario.v1.json"), ("tests", "conversation-test.v1.json")):
        schema = Draft202012Validator(json.loads((schemas / name).read_text(encoding="utf-8")))
        Draft202012Validator.check_schema(schema.schema)
        for path in sorted((FOLDER / folder).glob("*.yaml")):
            value = documents.tree_of_file(path).value
            assert [error.message for error in schema.iter_errors(value)] == []
        assert schema.is_valid({**value, "x-team": "voice"})
        assert not schema.is_valid({**value, "sead": 1})
        assert not schema.is_valid({name: item for name, item in value.items() if name != "id"})
    suites = Draft202012Validator(json.loads((schemas / "suite.v1.json").read_text(encoding="utf-8")))
    suite = documents.tree_of_file(FOLDER / "suite.yaml").value
    assert [error.message for error in suites.iter_errors(suite)] == []
    assert not suites.is_valid({**suite, "test": suite["tests"]})
    inside = {**value["assertions"]["deterministic"][0], "rol": "agent"}
    assert not schema.is_valid({**value, "assertions": {"deterministic": [inside]}})
    assert not schema.is_valid({**value, "success": {"required": ["everything"]}})
