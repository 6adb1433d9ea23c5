"""The house: layers in detail, budgets, what an import costs, and that every kind is whole."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import msgspec
import pytest

from hotato import importers, kinds
from hotato.context.codes import CODES as EVIDENCE_CODES
from hotato.document.codes import CODES as DOCUMENT_CODES
from hotato.testing import coverage, load_suite

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "hotato"
FILES = sorted(SOURCE.rglob("*.py"))
CODES = {**DOCUMENT_CODES, **EVIDENCE_CODES}
CORE = ("errors", "model", "match", "kinds", "document", "plan")
FACADES = ("assert_", "report", "transcribe", "state_adapter", "rubric", "core", "testing")

# What a room may import of the others. A room that is not here is bound by the layers alone.
MAY_IMPORT = {
    "errors": set(),
    "model": {"errors"},
    "match": {"model", "errors"},
    "kinds": {"match", "model", "errors"},
    "document": {"kinds", "match", "model", "errors"},
    "plan": {"document", "kinds", "match", "model", "errors", "packs"},
    "context": {"match", "model", "errors"},
    "state": {"context", "document", "match", "model", "errors"},  # a config file is read as a document is
    "importers": {"context", "match", "model", "errors"},
    "timing": {"context", "document", "model", "errors"},  # of the document the guess at a misspelt name alone
    "speech": {"context", "model", "errors"},  # files that a user names, and the cache beside them
    "report": {
        "context",
        "document",
        "match",
        "plan",
        "model",
        "errors",
    },  # of plan its text alone: a renderer sees no kind
    "rubric": {
        "context",
        "document",
        "kinds",
        "match",
        "plan",
        "state",
        "model",
        "errors",
    },  # of kinds their names alone, of plan its text, of state how a server is reached
    "runs": {"context", "errors"},
    "packs": set(),
}
# What the importers may use besides. The room's front loads importers and reads files; an importer does neither.
IMPORTERS = [file for file in FILES if file.parent.name == "importers"]
IMPORTERS_FRONT = {"__init__", "_call", "_ingest", "_split"}
IMPORTERS_USE = {
    "__future__", "ast", "base64", "binascii", "bisect", "codecs", "collections", "contextlib", "datetime", "decimal", "enum",
    "fractions", "functools", "hashlib", "heapq", "html", "importlib", "io", "itertools", "json", "math", "msgspec", "operator", "re",
    "string", "struct", "typing", "unicodedata", "warnings", "zlib",
}  # fmt: skip
UNSTABLE_OS = {"environ", "environb", "getenv", "urandom", "getpid", "times", "cpu_count", "getcwd", "system", "popen"}


def room(file: Path) -> str:
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def imported_rooms(file: Path) -> Iterator[str]:
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            if node.module == "hotato":
                yield from (alias.name for alias in node.names)
            elif node.module.startswith("hotato."):
                yield node.module.split(".")[1]
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("hotato."))


def named(file: Path) -> str:
    return file.relative_to(SOURCE).as_posix()


@pytest.mark.parametrize("file", FILES, ids=named)
def test_a_file_fits_its_budget(file: Path) -> None:
    lines = len(file.read_text(encoding="utf-8").splitlines())
    is_kind = file.parent.name == "kinds" and not file.name.startswith("_")
    assert lines <= (150 if is_kind else 400)
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno + 1 <= 60, node.name


@pytest.mark.parametrize("file", [f for f in FILES if room(f) in MAY_IMPORT], ids=named)
def test_a_room_imports_only_what_the_house_allows(file: Path) -> None:
    allowed = MAY_IMPORT[room(file)] | {room(file)}
    if named(file) == "report/__init__.py":
        allowed |= {"timing"}  # it scores the recording that it is asked to show
    assert set(imported_rooms(file)) <= allowed


@pytest.mark.parametrize("file", [f for f in IMPORTERS if f.stem not in IMPORTERS_FRONT], ids=named)
def test_an_importer_imports_shared_parts_and_no_other_importer(file: Path) -> None:
    of_the_room: set[str] = set()
    outside: set[str] = set()
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.ImportFrom) and node.module == "hotato.importers":
            of_the_room |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hotato.importers."):
            of_the_room.add(str(node.module).split(".")[2])
        elif isinstance(node, ast.ImportFrom):
            outside.add(str(node.module))
        elif isinstance(node, ast.Import):
            outside |= {alias.name for alias in node.names}
    assert of_the_room & {*importers.names(), *IMPORTERS_FRONT} == set()
    assert {name.split(".")[0] for name in outside} - {"hotato"} <= IMPORTERS_USE
    assert {name for name in outside if name.startswith("hotato.context")} == set()


@pytest.mark.parametrize("file", [f for f in FILES if room(f) in CORE], ids=named)
def test_the_core_reads_nothing_of_the_machine(file: Path) -> None:
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
            assert node.attr not in UNSTABLE_OS
        if isinstance(node, ast.ImportFrom) and node.module == "os":
            assert not UNSTABLE_OS & {alias.name for alias in node.names}


@pytest.mark.parametrize("file", [f for f in FILES if room(f) != "cli"], ids=named)
def test_every_code_of_a_refusal_is_listed(file: Path) -> None:
    for node in ast.walk(tree(file)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        given = {k.arg: k.value for k in node.keywords}
        code = node.args[1] if node.func.id == "Fault" and len(node.args) > 1 else given.get("code")
        if node.func.id in ("Fault", "Problem") and isinstance(code, ast.Constant) and code.value:
            assert code.value in CODES, f"line {node.lineno}"


def modules_after(statement: str) -> set[str]:
    code = f"import sys; before = set(sys.modules); {statement}; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.split())


def test_importing_the_package_imports_nothing_else() -> None:
    assert modules_after("import hotato") == {"hotato"}


def test_importing_the_facade_brings_in_no_kind_and_nothing_slow() -> None:
    found = modules_after("import hotato.assert_")
    slow = {"argparse", "asyncio", "dataclasses", "jsonschema", "pathlib", "rich", "yaml", "subprocess"}
    assert not slow & found
    assert not {f"hotato.kinds.{name}" for name in kinds.names()} & found


@pytest.mark.parametrize(
    "name", [n for n in FACADES if (SOURCE / f"{n}.py").exists() or (SOURCE / n / "__init__.py").exists()]
)
def test_every_name_that_a_facade_promises_exists(name: str) -> None:
    module = import_module(f"hotato.{name}")
    names = getattr(module, "__all__", [])
    if names:
        assert len(set(names)) == len(names)
        assert [n for n in names if not hasattr(module, n)] == []
    else:
        assert name in ("report", "rubric"), "a facade lists its public names in __all__"


@pytest.mark.parametrize("name", kinds.names())
def test_a_kind_has_cases_for_all_it_can_say(name: str) -> None:
    file = ROOT / "conformance" / "kinds" / f"{name}.yaml"
    assert file.is_file()
    assert coverage(kinds.get(name), load_suite(file)) == []


@pytest.mark.parametrize("name", kinds.names())
def test_a_kind_declares_its_regexes(name: str) -> None:
    kind = kinds.get(name)
    _, found = msgspec.json.schema_components([kind])
    fields = found[kind.__name__]["properties"]
    regexes = {
        field
        for field, schema in fields.items()
        if any(part.get("format") == "regex" for part in [schema, *schema.get("anyOf", ())])
    }
    assert regexes == set(kind.regexes)


@pytest.mark.parametrize("name", kinds.names())
def test_a_docstring_says_what_every_field_is(name: str) -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        reference = import_module("reference")
    finally:
        sys.path.remove(str(ROOT / "tools"))
    kind = kinds.get(name)
    page = reference.read(kind)
    assert page.summary
    assert page.example.startswith("- id: ")
    assert [field for field in reference.own_fields(kind) if not page.fields.get(field)] == []


def test_no_case_belongs_to_a_kind_that_is_gone() -> None:
    assert {file.stem for file in (ROOT / "conformance" / "kinds").glob("*.yaml")} <= set(kinds.names())
