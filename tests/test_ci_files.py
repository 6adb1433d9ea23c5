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
JUDGE = next(step for step in ACTION["runs"]["steps"] if step.get("id") == "judge")


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
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", JUDGE["run"]],
        cwd=folder,
        env={"PATH": path, **env, **{name: str(file) for name, file in files.items()}},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    told, summary = (file.read_text(encoding="utf-8") if file.exists() else "" for file in files.values())
    return done.returncode, done.stdout + done.stderr, told, summary


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
