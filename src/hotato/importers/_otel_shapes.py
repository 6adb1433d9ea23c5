"""What readers of single-span formats share: walking lists and lines, and the words for a status."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hotato.importers._importer import Content, Damage, Path

_NAMES: dict[Any, str] = {list: "a list", dict: "an object"}


def grouped(content: Content) -> Iterator[tuple[Path, int, Any]]:
    """Yield every value of content with the way to it and its line, lists and lists of lists opened."""
    whole = content.shape == "document"
    for index, value in enumerate(content.values):
        line = 0 if whole else content.lines[index]
        yield from _opened(value, () if whole else (index,), line, 2)


def _opened(value: Any, path: Path, line: int, depth: int) -> Iterator[tuple[Path, int, Any]]:
    if type(value) is list and depth:
        for index, item in enumerate(value):
            yield from _opened(item, (*path, index), line, depth - 1)
    else:
        yield path, line, value


def typed(value: Any, kind: type[Any], path: Path, line: int) -> Any:
    """Return a value of a type. Raise Damage where it is of another."""
    if type(value) is not kind:
        raise Damage(path, f"must be {_NAMES[kind]}", line)
    return value


def code_of(word: Any) -> int:
    """Return a status as OpenTelemetry counts: 1 for ok, 2 for an error, 0 for anything else."""
    if type(word) is not str:
        return word if type(word) is int and word in (1, 2) else 0
    return {"OK": 1, "ERROR": 2}.get(word.upper().removeprefix("STATUS_CODE_").removeprefix("STATUSCODE."), 0)
