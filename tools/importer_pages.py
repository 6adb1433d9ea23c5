"""The pages that are written from the importers: one a format, and their index."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from typing import Any

import msgspec

from hotato import importers
from hotato.testing import read_suite
from importer_notes import notes_of
from markup import NOTE, cell, table

HOW, LACKS = "How to get it:", "What it does not record"
TOLD = "A file's content tells its format, never its name; gzip is unpacked, and a byte order mark is skipped."
_SENTENCE = re.compile(r"(?<=[.]) (?=[A-Z`(])")


class Page(msgspec.Struct, frozen=True):
    """One importer's docstring: what it reads in a line, how to get the file, what is not recorded, and further prose."""

    summary: str
    how: str
    lacks: str
    prose: str


@cache
def read(name: str) -> Page:
    """Take an importer's docstring apart. A part that is not there is empty."""
    summary, _, rest = cleandoc(import_module(f"hotato.importers.{name}").__doc__ or "").partition("\n\n")
    prose: list[str] = []
    how: list[str] = []
    lacks: list[str] = []
    for paragraph in filter(None, re.split(r"\n{2,}", rest)):
        text = " ".join(paragraph.split())
        if text.startswith(HOW):
            how.append(_capital(text.removeprefix(HOW)))
            continue
        other: list[str] = []
        goes_on = False
        for sentence in _SENTENCE.split(text):
            goes_on = sentence.startswith((LACKS, "Nor ")) if not goes_on else sentence.startswith("Nor ")
            (lacks if goes_on else other).append(sentence)
        if other:
            prose.append(" ".join(other))
    said = " ".join(lacks)
    if said.startswith(f"{LACKS}:"):
        said = _capital(said.removeprefix(f"{LACKS}:"))
    return Page(" ".join(summary.split()), "\n\n".join(how), said, "\n\n".join(prose))


def _capital(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:]


def importer_page(name: str, cases: Path) -> str:
    """Return the page of one importer; `cases` is the folder of the conformance cases of all importers."""
    page = read(name)
    parts = [NOTE, f"# `{name}`", page.summary, f"Gives {gives(name, cases)}."]
    for title, text in (
        ("How to get the file", page.how),
        ("How it is read", page.prose),
        ("What the source does not record", page.lacks),
    ):
        if text:
            parts += [f"## {title}", text]
    rows = [(f"`{code}`", cell(said)) for code, said in notes_of(name).items()]
    if rows:
        parts += ["## Notes that an import can have", table(("code", "says"), rows)]
    return "\n\n".join(parts) + "\n"


def index_page(names: Iterable[str], cases: Path) -> str:
    """Return the index of the importers' pages, in the order in which formats are tried."""
    listed = sorted(names, key=lambda name: (importers.get(name).RANK, name))
    rows = [(f"[`{name}`]({name}.md)", cell(read(name).summary), gives(name, cases)) for name in listed]
    parts = [
        NOTE,
        "# Formats that are read",
        f"{len(listed)} formats, in the order in which they are tried. {TOLD}",
        table(("format", "", "gives"), rows),
        "What an import loses, infers or finds odd is noted under a stable code: [all codes](../reference/codes.md).",
    ]
    return "\n\n".join(parts) + "\n"


def gives(name: str, cases: Path) -> str:
    """Return in words what the cases of a format give: a transcript, a trace, or both."""
    given = [case["expect"] for case in suite(name, cases) if "expect" in case]
    told = [
        words
        for field, words in (("transcript", "a transcript"), ("spans", "a trace"))
        if any(expect.get(field) is not None for expect in given)
    ]
    return " and ".join(told) or "nothing that a case shows"


@cache
def suite(name: str, cases: Path) -> list[dict[str, Any]]:
    """Return the cases of a format; none where it has no file."""
    file = cases / name / "cases.yaml"
    found: list[dict[str, Any]] = read_suite(file)["cases"] if file.is_file() else []
    return found
