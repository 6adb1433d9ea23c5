"""A parsed text: a plain value, and for everything in it the line and column where it was written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from hotato.errors import Problem
from hotato.model.limits import amount, raising


def too_many() -> str:
    """Return the words for a text with more values than allowed."""
    return f"more than {amount('document_values')}; {raising('document_values')}"


class Place(msgspec.Struct):
    """Where a value was written, and, for a mapping or a list, the places inside it and those of its keys."""

    line: int
    column: int
    inside: dict[str, Place] | list[Place] | None = None
    keys: dict[str, tuple[int, int]] | None = None


class Tree:
    """A value of a text or of a mapping. `problems` are those of the text that left the value readable.

    `problems` are reported by `document.load` and `document.packs` together with their own; `read` raises them.
    """

    __slots__ = ("_locate", "_root", "file", "problems", "value")

    def __init__(
        self,
        value: Any,
        file: str = "",
        locate: Callable[[], Place] | None = None,
        problems: tuple[Problem, ...] = (),
    ) -> None:
        self.value = value
        self.file = file
        self.problems = problems
        self._locate = locate
        self._root: Place | None = None

    def position(self, where: tuple[str | int, ...], key: bool = False) -> tuple[int, int]:
        """Return line and column of the value at `where`, or of its key; of the nearest thing around it that exists.

        A value that came from no text has no place: (0, 0).
        """
        if self._locate is None:
            return 0, 0
        if self._root is None:
            self._root = self._locate()
        here, at_key = self._root, None
        for step in where:
            inside = here.inside
            if isinstance(inside, dict) and isinstance(step, str) and step in inside:
                at_key = here.keys[step] if here.keys else None
                here = inside[step]
            elif isinstance(inside, list) and isinstance(step, int) and 0 <= step < len(inside):
                at_key = None
                here = inside[step]
            else:
                return here.line, here.column
        return at_key if key and at_key else (here.line, here.column)
