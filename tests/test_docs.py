"""What README.md, docs/ and examples/ show is run, and the output shown is the output there is.

Blocks of one page run in one temporary folder, in order, beside a copy of examples/:

    console        each line that begins with `$ ` is run by bash, with the lines that begin with `> ` right under it; the
                   lines after that are what it prints, standard error included, a line `...` standing for any lines. A command that ends with another code than 0 is followed
                   by `$ echo $?`.
    python         is run; a block `text` right after it is what it prints
    yaml, json     with `file=NAME` in the info string is written there; a YAML document, a case file or a list of
                   assertions is valid
    sh             holds nothing but targets of the Makefile
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from hotato import assert_ as A
from hotato import kinds
from hotato.cli import _command
from hotato.errors import DocumentError
from hotato.simulate import checks as conversation_test

ROOT = Path(__file__).resolve().parent.parent
GENERATED = {"dependencies.md"}  # kept with the dependencies it lists
PAGES = [
    ROOT / "README.md",
    ROOT / "examples" / "README.md",
    *sorted(p for p in (ROOT / "docs").glob("*.md") if p.name not in GENERATED),
]
EXAMPLES = sorted(folder.parent for folder in (ROOT / "examples").glob("*/assertions.yaml"))
EXIT_CODES = {"booking-handoff": 0, "identity": 0, "ivr-pin": 1, "refund": 1}
REFS = {"unknown_reference"}  # a list of assertions may refer to others of its page


class Block(NamedTuple):
    """A fenced block: its language, what else its info string says, its text, and its line."""

    language: str
    info: str
    text: str
    line: int


def blocks(text: str) -> Iterator[Block]:
    for match in re.finditer(r"^```(\w*)[ ]?([^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield Block(match[1], match[2], match[3], text.count("\n", 0, match.start()) + 1)


def environment() -> dict[str, str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return {**os.environ, "PATH": path, "PYTHONIOENCODING": "utf-8"}


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a console block with the output shown under it."""
    command, shown, open_ = "", "", False
    for line in text.splitlines(keepends=True):
        if open_ or (command and not shown and line.startswith("> ")):
            command += line
            open_ = line.endswith("\\\n")
        elif line.startswith("$ "):
            if command:
                yield command, shown
            command, shown, open_ = line[2:], "", line.endswith("\\\n")
        else:
            shown += line
    yield command, shown


def script(command: str) -> str:
    """Return a command as bash reads it: without the `> ` that stands before further lines."""
    return re.sub(r"\n> ", "\n", command)


def agrees(shown: str, printed: str) -> bool:
    pattern = "".join("(?:.*\n)*?" if line == "...\n" else re.escape(line) for line in shown.splitlines(keepends=True))
    return re.fullmatch(pattern, printed) is not None


def run_console(block: Block, folder: Path) -> None:
    code, told = 0, True
    for command, shown in commands(block.text):
        assert code == 0 or command.strip() == "echo $?", f"line {block.line}: an exit code {code} is not shown"
        done = subprocess.run(
            ["bash", "-c", f"(exit {code}); {script(command)}"],
            cwd=folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=60,
        )
        code, told = done.returncode, bool(shown)
        if told or done.stdout:
            assert agrees(shown, done.stdout), f"line {block.line}: {command}prints\n{done.stdout}"
    assert code == 0, f"line {block.line}: the exit code {code} is not shown"


def run_python(block: Block, following: Block | None, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", block.text],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, f"line {block.line}: {done.stderr}"
    shown = following.text if following is not None and following.language == "text" else ""
    assert agrees(shown, done.stdout), f"line {block.line} prints\n{done.stdout}"


def check_yaml(block: Block) -> None:
    value = A.parse_assertions_yaml(block.text)
    if isinstance(value, list):
        value = {"version": 1, "assertions": value}
    if isinstance(value, dict) and value.get("kind") == conversation_test.KIND:
        return  # the commands under it read it with its scenario
    if isinstance(value, dict) and "assertions" in value:
        if block.info.endswith(".hotato.yaml"):
            assert value.pop("evidence")  # which a case file has beside its document
        assert problems(value) == [], f"line {block.line}"


def problems(document: object) -> list[str]:
    try:
        A.validate_assertions_doc(document)
    except DocumentError as error:
        return [str(problem) for problem in error.problems if problem.code not in REFS]
    return []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_shows_what_happens(page: Path, tmp_path: Path) -> None:
    for folder in (*EXAMPLES, ROOT / "examples" / "reference-agent"):
        shutil.copytree(folder, tmp_path / "examples" / folder.name)
    found = list(blocks(page.read_text(encoding="utf-8")))
    assert found
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for place, block in enumerate(found):
        following = found[place + 1] if place + 1 < len(found) else None
        if block.language == "console":
            run_console(block, tmp_path)
        elif block.language == "python":
            run_python(block, following, tmp_path)
        elif block.language == "yaml":
            check_yaml(block)
        elif block.language == "json":
            json.loads(block.text)
        elif block.language == "sh":
            assert {line.partition("#")[0].strip() for line in block.text.splitlines()} <= {
                f"make {t}" for t in targets
            }
        else:
            assert block.language == "text", f"line {block.line}: nothing checks a block of '{block.language}'"
        if block.info.startswith("file="):
            (tmp_path / block.info[5:]).write_text(block.text, encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target, _, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(#([^)]*))?\)", text):
        file = page if not target else (page.parent / target).resolve()
        assert file.exists(), target
        if anchor:
            heads = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}, anchor


def test_the_command_page_names_every_command_and_flag() -> None:
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for name in _command.names():
        assert f"hotato {name}" in text
        section = text.partition(f"## hotato {name}\n")[2].partition("\n## ")[0]
        for one in _command.parser_of(name).declared:
            assert one.name in section, f"{name}: {one.name}"


def test_the_examples_page_names_every_example() -> None:
    text = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert {folder.name for folder in EXAMPLES} == set(EXIT_CODES)
    for name, code in EXIT_CODES.items():
        assert re.search(rf"\[`{name}/`\]\({name}\).*\| {code} \|", text)


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda folder: folder.name)
def test_an_example_has_its_exit_code(folder: Path) -> None:
    state = folder / "state.json"
    adapter = None
    if state.exists():
        from hotato.state_adapter import load_state_adapter

        adapter = load_state_adapter(state)
    ctx = A.build_context(
        transcript_path=folder / "transcript.json", trace_path=folder / "voice_trace.jsonl", state_adapter=adapter
    )
    envelope = A.run_assertions_from_file(folder / "assertions.yaml", ctx)
    assert envelope["exit_code"] == EXIT_CODES[folder.name]
    assert envelope["summary"]["deterministic"]["inconclusive"] == 0
    assert [r["id"] for r in envelope["results"] if r.get("vacuous")] == []


def test_the_examples_use_most_kinds() -> None:
    texts = " ".join((folder / "assertions.yaml").read_text(encoding="utf-8") for folder in EXAMPLES)
    used = set(re.findall(r"kind: (\w+)", texts))
    assert used <= set(kinds.names())
    assert len(used) >= 14
