"""The pages that are written from the kinds: one a kind, their index, and the list of codes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

import importer_notes
import reference
from hotato.kinds import tag
from hotato.kinds._kind import FAMILIES, Kind
from hotato.testing import read_suite
from markup import NOTE, cell, table
from results import TEXTS

SOURCES = {
    "transcript": "the transcript",
    "trace": "the trace",
    "timing": "a scored run's timing",
    "state": "the system of record",
}
HEADINGS = {
    "core": "Core",
    "trace": "From the trace",
    "state": "From the system of record",
    "measure": "Measurements",
    "composite": "Over other results and the order of phrases",
    "rubric": "Model-judged elsewhere",
    "say_do": "What was said beside what was done (extensions)",
}


def kind_page(kind: type[Kind], cases: Path) -> str:
    """Return the reference page of one kind; `cases` is the folder of its conformance cases."""
    page = reference.read(kind)
    parts = [NOTE, f"# `{page.kind}`", page.summary, f"Reads {_reads(kind)}."]
    own = _field_rows(kind, page.fields, own=True)
    if own:
        parts += ["## Fields", table(("field", "value", "default", ""), own)]
    parts.append(
        "Every assertion also has `id`, `kind`, `dimension`, `when`, `severity`, `tags` and `description`: "
        "[fields of every kind](README.md#fields-of-every-kind)."
    )
    if page.prose:
        parts += ["## Rules", page.prose]
    if page.example:
        parts += ["## Example", f"```yaml\n{page.example}```"]
    if kind.shows:
        parts += ["## On the result", table(("field", ""), [(f"`{n}`", TEXTS.get(n, "")) for n in kind.shows])]
    statuses = _statuses(cases / f"{page.kind}.yaml")
    rows = [(f"`{c}`", ", ".join(statuses.get(c, ())), _sentence(s)) for c, s in kind.says.items()]
    parts += ["## Codes", table(("code", "status", "reason"), rows)]
    return "\n\n".join(parts) + "\n"


def index_page(kinds: Sequence[type[Kind]]) -> str:
    """Return the index of the kind pages, family by family, with the fields that all kinds share."""
    parts = [NOTE, "# Kinds of assertion", f"{len(kinds)} kinds, each read from its own file in `src/hotato/kinds/`."]
    for family in FAMILIES:
        members = [reference.read(kind) for kind in kinds if kind.family == family]
        if members:
            rows = [(f"[`{page.kind}`]({page.kind}.md)", page.summary) for page in members]
            parts += [f"## {HEADINGS[family]}", table(("kind", "checks"), rows)]
    shared = _field_rows(Kind, reference.SHARED, own=False)
    parts += ["## Fields of every kind", table(("field", "value", "default", ""), shared)]
    parts += ["A field whose name begins with `x-` is yours; any other unknown field is refused."]
    return "\n\n".join(parts) + "\n"


def codes_page(kinds: Sequence[type[Kind]]) -> str:
    """Return the list of every code that a user can see."""
    parts = [
        NOTE,
        "# Codes",
        "A code is stable: tools may rely on it. The sentence beside it may be worded better one day.",
    ]
    for title, codes in _code_tables():
        parts += [f"## {title}", table(("code", "meaning"), [(f"`{c}`", _sentence(s)) for c, s in codes.items()])]
    rows = [(f"[`{tag(k)}`](../kinds/{tag(k)}.md)", f"`{c}`", _sentence(s)) for k in kinds for c, s in k.says.items()]
    parts += ["## On a result, by kind", table(("kind", "code", "reason"), rows)]
    return "\n\n".join(parts) + "\n"


def _code_tables() -> Iterable[tuple[str, dict[str, str]]]:
    for title, module, name in (
        ("On a result, from the engine", "hotato.plan.run", "SAYS"),
        ("A document or rule pack that is refused", "hotato.document.codes", "CODES"),
        ("Evidence that is refused", "hotato.context.codes", "CODES"),
        ("A command line that is refused", "hotato.cli._frame", "CODES"),
        ("A change that `hotato assert mutate` makes", "hotato.probe.mutate", "CHANGES"),
        ("A warning of `hotato assert lint`", "hotato.cli._warnings", "CODES"),
    ):
        if find_spec(module) is not None:
            yield title, getattr(import_module(module), name)
    yield "A note on a file that was imported", importer_notes.sentences()


def _reads(kind: type[Kind]) -> str:
    named = [SOURCES[source] for source in kind.reads]
    if not named:
        return "what its fields ask for" if kind.needs is not Kind.needs else "no evidence of its own"
    return " and ".join(named)


def _field_rows(kind: type[Kind], texts: dict[str, str], *, own: bool) -> list[tuple[str, ...]]:
    (_,), found = msgspec.json.schema_components([kind])
    schema = found[kind.__name__]
    names = reference.own_fields(kind) if own else tuple(n for n in schema["properties"] if n in reference.SHARED)
    rows: list[tuple[str, ...]] = []
    for name in names:
        prop = schema["properties"][name]
        default = prop.get("default")
        shown = "required" if name in schema["required"] else "" if default in (None, []) else f"`{_yaml(default)}`"
        words = _words(prop, found)
        rows.append((f"`{name}`", words, shown, cell(texts.get(name, ""))))
    return rows


def _yaml(value: Any) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def _words(schema: dict[str, Any], found: dict[str, Any]) -> str:
    """Return in words what a field may hold."""
    if "anyOf" in schema:
        parts = [_words(part, found) for part in schema["anyOf"] if part.get("type") != "null"]
        narrower = {"whole " + part.removeprefix("any ") for part in parts if part.startswith("any ")}
        return " or ".join(dict.fromkeys(part for part in parts if part not in narrower))
    if "$ref" in schema:
        inside = found[schema["$ref"].rpartition("/")[2]]["properties"]
        return "`{" + ", ".join(inside) + "}`"
    if "enum" in schema:
        return ", ".join(f"`{option}`" for option in schema["enum"])
    kind = schema.get("type")
    if kind == "array":
        return f"list of {_words(schema.get('items', {}), found)}"
    if kind in ("integer", "number"):
        noun = "whole number" if kind == "integer" else "any number"
        return noun + _range(schema)
    if kind == "string":
        return "regex" if schema.get("format") == "regex" else "text"
    return {"boolean": "`true` or `false`", "object": "mapping"}.get(str(kind), "anything")


def _range(schema: dict[str, Any]) -> str:
    low = schema.get("minimum")
    high = schema.get("maximum")
    if low is not None and high is not None:
        return f" from {low} to {high}"
    if low is not None:
        return f", at least {low}"
    if "exclusiveMinimum" in schema:
        return f" above {schema['exclusiveMinimum']}" + (f", at most {high}" if high is not None else "")
    return f", at most {high}" if high is not None else ""


def _statuses(file: Path) -> dict[str, tuple[str, ...]]:
    """Return the statuses that each code is seen with in a kind's cases."""
    if not file.is_file():
        return {}
    seen: dict[str, set[str]] = {}
    for case in read_suite(file)["cases"]:
        expect = case["expect"]
        seen.setdefault(expect.get("code", ""), set()).add(expect["status"])
    return {code: tuple(sorted(found, key=["PASS", "FAIL", "INCONCLUSIVE"].index)) for code, found in seen.items()}


def _sentence(says: str) -> str:
    return cell(re.sub(r"\{(\w+)\}", r"*\1*", says))
