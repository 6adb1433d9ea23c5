"""A Python value handed in directly: copied into plain JSON types, or refused with the path of what has none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from hotato.document.problems import in_order, path_text
from hotato.document.tree import Tree, too_many
from hotato.errors import DocumentError, Problem
from hotato.model.codec import too_deep
from hotato.model.limits import limit

Where = tuple[str | int, ...]


def plain(value: Mapping[str, Any], file: str = "") -> Tree:
    """Return the tree of a mapping; its values have no line and no column. Raise DocumentError.

    Keys must be text; values text, finite numbers, booleans, None, mappings, lists or tuples of such.
    """
    copier = _Copier(file)
    try:
        copied = copier.copy(value, ())
    except _Stop:
        copied = None
    if copier.problems:
        raise DocumentError(in_order(copier.problems))
    return Tree(copied, file)


def tree_of(source: Tree | Mapping[str, Any], file: str = "") -> Tree:
    """Return a source as a tree; `file` names a mapping in messages. Raise DocumentError."""
    return source if isinstance(source, Tree) else plain(source, file)


class _Stop(Exception):  # noqa: N818 - it carries no message, the problems do
    """Copying on makes no sense."""


class _Copier:
    def __init__(self, file: str) -> None:
        self.problems: list[Problem] = []
        self._file = file
        self._nodes = 0
        self._around: set[int] = set()
        self._most, self._deepest = limit("document_values"), limit("depth")

    def _refuse(self, code: str, message: str, where: Where) -> None:
        self.problems.append(Problem(code=code, message=message, file=self._file, path=path_text(where)))

    def copy(self, value: Any, where: Where) -> Any:
        """Return the plain copy of a value; None for what was refused."""
        self._nodes += 1
        if self._nodes > self._most:
            self._refuse("too_many_nodes", too_many(), where)
            raise _Stop
        if value is None or value is True or value is False:
            return value
        if isinstance(value, str):
            return self._text(str.__str__(value), where)
        if isinstance(value, int):
            return int(value)
        if isinstance(value, float):
            if not math.isfinite(value):
                self._refuse("number", "a number that is not finite", where)
            return float(value)
        if isinstance(value, Mapping | list | tuple):
            return self._inside(value, where)
        self._refuse("not_plain", f"an object of type {type(value).__name__}; only JSON types can be given", where)
        return None

    def _text(self, value: str, where: Where) -> str:
        if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
            self._refuse("bad_character", "half of a surrogate pair", where)
        return value

    def _inside(self, value: Mapping[Any, Any] | list[Any] | tuple[Any, ...], where: Where) -> Any:
        if id(value) in self._around:
            self._refuse("contains_itself", "a value that contains itself", where)
            return None
        if len(where) >= self._deepest:
            self._refuse("too_deep", too_deep(), where)
            return None
        self._around.add(id(value))
        out = self._mapping(value, where) if isinstance(value, Mapping) else self._list(value, where)
        self._around.discard(id(value))
        return out

    def _list(self, value: list[Any] | tuple[Any, ...], where: Where) -> list[Any]:
        return [self.copy(item, (*where, place)) for place, item in enumerate(value)]

    def _mapping(self, value: Mapping[Any, Any], where: Where) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for key, item in value.items():
            if not isinstance(key, str):
                said = f"a key of type {type(key).__name__}; keys must be text"
                self._refuse("key_not_text", said, where)
                continue
            text = self._text(str.__str__(key), where)
            out[text] = self.copy(item, (*where, text))
        return out
