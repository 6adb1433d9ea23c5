"""What cannot be read becomes a problem of its file, with line and path."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from hotato.errors import Problem
from hotato.importers._importer import Content, Damage


def unreadable(name: str, fault: Any) -> Problem:
    """Return the problem of a file whose bytes could not be opened as content."""
    return Problem(code=fault.code, file=name, line=fault.line, column=fault.column, message=fault.message)


def damaged(content: Content, damage: Damage) -> Problem:
    """Return the problem of content of a known format that is damaged."""
    path = damage.path
    line = damage.line
    if not line and content.shape in ("lines", "concatenated") and path and type(path[0]) is int:
        line, path = (content.lines[path[0]] if path[0] < len(content.lines) else 0), path[1:]
    return Problem(code=damage.code, file=content.name, line=line, path=way(path), message=damage.message)


def way(path: Collection[str | int]) -> str:
    """Return a way into data as people write it: `messages[2].role`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
