"""The reference agent: its four defects are found in every run, and nothing else is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
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
def played(reference: Any) -> dict[str, list[Any]]:
    return {path.stem: reference._worker((path.stem, None))[1] for path in sorted((FOLDER / "tests").glob("*.yaml"))}


def test_there_are_25_scenarios_of_15_runs(played: dict[str, list[Any]]) -> None:
    assert len(played) == 25
    assert {len(runs) for runs in played.values()} == {15}
    assert {path.stem for path in (FOLDER / "scenarios").glob("*.yaml")} == played.keys()


def test_each_defect_fails_in_all_its_runs_by_the_assertions_named(
    reference: Any, played: dict[str, list[Any]]
) -> None:
    assert len(reference.DEFECTS) == 4
    for name, ids in reference.DEFECTS.items():
        assert [run.failed for run in played[name]] == [ids] * 15


def test_no_other_run_fails_or_is_invalid(reference: Any, played: dict[str, list[Any]]) -> None:
    others = [run for name, runs in played.items() if name not in reference.DEFECTS for run in runs]
    assert len(others) == 315
    assert [run.name for run in others if run.failed or run.invalid] == []


def test_without_sound_timing_alone_is_inconclusive(played: dict[str, list[Any]]) -> None:
    found = {one for runs in played.values() for run in runs for one in run.inconclusive}
    assert found == {"answers-in-time", "falls-quiet"}


def test_a_second_time_the_evidence_is_the_same(reference: Any, played: dict[str, list[Any]]) -> None:
    assert {name: reference._worker((name, None))[1] for name in played} == played


def test_the_command_exits_with_0_when_exactly_the_defects_fail() -> None:
    words = [sys.executable, str(FOLDER / "run.py"), "--no-audio", "--jobs", "1"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=dict(os.environ), timeout=120)
    assert done.returncode == 0
    assert done.stdout.endswith("375 runs, 60 with a FAIL: the four defects and nothing else\n")


@pytest.mark.parametrize("change", ["missed", "elsewhere", "fewer", "invalid", "other"])
def test_what_is_not_exactly_the_defects_is_told(reference: Any, played: dict[str, list[Any]], change: str) -> None:
    name = "wrong-number" if change == "elsewhere" else "identity-skipped"
    runs = list(played[name])
    assert reference.is_as_expected(name, runs)
    broken = {
        "missed": runs[0]._replace(failed=frozenset()),
        "elsewhere": runs[0]._replace(failed=frozenset({"no-tools"})),
        "invalid": runs[0]._replace(invalid=True),
        "other": runs[0]._replace(failed=runs[0].failed | {"told"}),
    }
    runs[:1] = [broken[change]] if change in broken else []
    assert not reference.is_as_expected(name, runs)


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
    inside = {**value["assertions"]["deterministic"][0], "rol": "agent"}
    assert not schema.is_valid({**value, "assertions": {"deterministic": [inside]}})
    assert not schema.is_valid({**value, "success": {"required": ["everything"]}})
