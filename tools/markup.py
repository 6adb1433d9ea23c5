"""The Markdown that all generated pages share."""

from __future__ import annotations

from collections.abc import Iterable

NOTE = "<!-- Written by tools/generate.py from the sources; do not edit. -->"


def cell(text: str) -> str:
    """Return a text as it may stand in a table."""
    return text.replace("|", "\\|").replace("\n", " ")


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a table; the cells of its rows are Markdown."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines).replace("|  |", "| |")
