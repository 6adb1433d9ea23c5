"""The GitHub action and the pre-commit hook: what they run, with inputs that mean harm as well."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
REFUND = ROOT / "conformance" / "envelopes" / "refund-call"
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
INSTALL, JUDGE = ACTION["runs"]["steps"]


@pytest.fixture
def call(tmp_path: Path) -> Path:
    """Return a folder with a call."""
    return shutil.copytree(REFUND, tmp_path / "call")


def act(folder: Path, **inputs: str) -> tuple[int, str, str, str]:
    """Run the step that judges; return exit code, log, what it told the job, and the job's summary."""
    given = {name: str(told.get("default", "")) for name, told in ACTION["inputs"].items()}
    given |= {name.replace("_", "-"): value for name, value in inputs.items()}
    env = {name: given[re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", told)[1]] for name, told in JUDGE["env"].items()}  # type: ignore[index]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    files = {"GITHUB_OUTPUT": folder / "told.txt", "GITHUB_STEP_SUMMARY": folder / "summary.md"}
    done = script(JUDGE["run"], folder, {"PATH": path, **env, **{name: str(file) for name, file in files.items()}})
    told, summary = (file.read_text(encoding="utf-8") if file.exists() else "" for file in files.values())
    return done.returncode, done.stdout + done.stderr, told, summary


def script(text: str, folder: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a step as the runner does."""
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text]
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=60)


GIVEN = {"transcript": "transcript.json", "trace": "voice_trace.jsonl", "state": "state.json"}


def test_the_action_annotates_and_sums_up(call: Path) -> None:
    code, log, told, summary = act(call, assertions="assertions.yaml", base="envelope.json", **GIVEN)
    assert (code, told) == (1, "exit-code=1\n")
    assert log.startswith("::error file=assertions.yaml,line=8,col=5,title=FAIL refund-amount (tool_call)::")
    assert "**7 deterministic pass / 4 fail**" in summary
    assert "## Compared with the base run" in summary


def test_the_action_writes_the_reports_that_are_asked_for(call: Path) -> None:
    reports = "junit=a.xml\nsarif=b.sarif\n"
    code, log, _, summary = act(call, assertions="assertions.yaml", reports=reports, summary="false", **GIVEN)
    assert code == 1, log
    assert summary == ""
    assert (call / "a.xml").exists()
    assert (call / "b.sarif").exists()


@pytest.mark.parametrize(
    ("reports", "names"),
    [
        ("junit=a b.xml", {"a b.xml"}),
        ("junit=my  out.xml sarif=b.sarif\ttap=c  d.tap", {"my  out.xml", "b.sarif", "c  d.tap"}),
        ("\r\n  junit=a.xml \r\n\r\n\ttap=my b.tap\t\r\n", {"a.xml", "my b.tap"}),
        ("junit=*.xml tap='b'", {"*.xml", "'b'"}),
        (" \n", set()),
    ],
)
def test_a_report_of_the_action_may_have_any_file_name(reports: str, names: set[str], call: Path) -> None:
    before = {file.name for file in call.iterdir()} | {"told.txt"}
    code, log, _, _ = act(call, assertions="assertions.yaml", reports=reports, summary="false", **GIVEN)
    assert code == 1, log
    assert {file.name for file in call.iterdir()} - before == names


@pytest.mark.parametrize("reports", ["out.xml", "junit", "out.xml junit=a.xml", "junti=a.xml", "junit=a.xml x=b.xml"])
def test_a_report_of_no_format_is_refused_by_the_action(reports: str, call: Path) -> None:
    code, log, told, _ = act(call, assertions="assertions.yaml", reports=reports, **GIVEN)
    assert (code, told) == (2, "exit-code=2\n"), log
    assert not (call / "a.xml").exists()


def test_a_report_that_is_there_is_overwritten_by_the_action_and_evidence_is_not(call: Path) -> None:
    (call / "a.xml").write_text("old")
    code, log, _, _ = act(call, assertions="assertions.yaml", reports="junit=a.xml", **GIVEN)
    assert code == 1, log
    assert (call / "a.xml").read_text().startswith("<?xml")
    before = (call / "state.json").read_bytes()
    code, log, _, _ = act(call, assertions="assertions.yaml", reports="json=state.json", **GIVEN)
    assert code == 2, log
    assert (call / "state.json").read_bytes() == before


@pytest.mark.parametrize(("told", "is_shown"), [("true", True), ("TRUE", True), ("False", False), ("false", False)])
def test_the_summary_is_shown_or_not(told: str, is_shown: bool, call: Path) -> None:
    code, log, _, summary = act(call, assertions="assertions.yaml", summary=told, **GIVEN)
    assert code == 1, log
    assert ("deterministic pass" in summary) is is_shown


@pytest.mark.parametrize("told", ["", "yes", "1", "ture"])
def test_a_summary_that_is_neither_true_nor_false_is_refused(told: str, call: Path) -> None:
    code, log, output, summary = act(call, assertions="assertions.yaml", summary=told, **GIVEN)
    assert (code, output, summary) == (2, "exit-code=2\n", "")
    assert log == "::error title=hotato::summary is true or false\n"


def test_files_of_the_working_folder_are_not_imported_by_the_action(call: Path) -> None:
    for name in ("hotato", "yaml", "json"):
        (call / f"{name}.py").write_text("open('owned', 'w')\n")
    code, log, _, _ = act(call, assertions="assertions.yaml", **GIVEN)
    assert code == 1, log
    assert not (call / "owned").exists()


@pytest.mark.parametrize("python", ["", "#!/bin/sh\nexit 1\n"])
def test_a_python_that_is_too_old_or_not_there_is_told_before_anything_is_installed(
    python: str, tmp_path: Path
) -> None:
    for name in ("bash", "sh"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    if python:
        (tmp_path / "python").write_text(python)
        (tmp_path / "python").chmod(0o755)
    done = script(INSTALL["run"], tmp_path, {"PATH": str(tmp_path), "GITHUB_ACTION_PATH": "."})
    assert done.returncode == 2, done.stderr
    assert "needs Python 3.11 or newer" in done.stdout


def test_the_scripts_of_the_action_are_read_by_the_bash_of_macos() -> None:
    """It is 3.2, which has no `${name^^}`, `mapfile`, `declare -A`, `|&` or `&>>`."""
    later = re.compile(r"\$\{[^}]*(\^|,,|@[A-Z]\})|\b(mapfile|readarray|declare -[Ang]|local -[An])\b|\|&|&>>|\[-1\]")
    assert later.search('variable="HOTATO_${name^^}"')
    assert not any(later.search(step["run"]) for step in ACTION["runs"]["steps"])


def test_missing_evidence_fails_the_action_unless_it_is_told_otherwise(call: Path) -> None:
    code, _, told, _ = act(call, assertions="assertions.yaml", packs="pii-leak required-disclosure")
    assert (code, told) == (1, "exit-code=1\n")
    code, _, told, _ = act(call, assertions="assertions.yaml", inconclusive_policy="report", transcript="")
    assert (code, told) == (0, "exit-code=1\nexit-code=0\n")


def test_a_refused_document_is_exit_code_2_of_the_action(call: Path) -> None:
    code, log, told, summary = act(call, assertions="gone.yaml")
    assert (code, told, summary) == (2, "exit-code=2\n", "")
    assert "gone.yaml: no such file or directory" in log


@pytest.mark.parametrize(
    "harm", ["$(touch owned)", "`touch owned`", "x; touch owned", '"; touch owned; "', "--out=owned"]
)
@pytest.mark.parametrize("name", ["assertions", "packs", "reports", "inconclusive-policy", "summary", "base"])
def test_an_input_of_the_action_is_never_run(name: str, harm: str, call: Path) -> None:
    given = {"assertions": "assertions.yaml", **GIVEN, name.replace("-", "_"): harm}
    act(call, **given)
    assert not (call / "owned").exists()


def test_no_script_of_the_action_holds_an_expression() -> None:
    assert not any("${{" in step["run"] for step in ACTION["runs"]["steps"])
    read = " ".join(JUDGE["env"].values())
    assert {f"inputs.{name}" for name in ACTION["inputs"]} == set(re.findall(r"inputs\.[a-z-]+", read))
    assert all(told["description"].endswith(".") or "(" in told["description"] for told in ACTION["inputs"].values())


def test_the_hook_lints_documents_and_case_files() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["entry"] == "hotato assert lint"
    chosen = re.compile(hook["files"])
    names = ("assertions.yaml", "a/b/assertions.yml", "call.hotato.yaml")
    assert all(chosen.search(name) for name in names)
    assert not any(chosen.search(name) for name in ("my-assertions.yaml", "state.yaml", "hotato.yaml", "x.yaml.txt"))
