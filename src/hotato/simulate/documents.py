"""Reading the documents of this room: text or mapping to a struct, or every problem with its line and column."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from hotato.context.files import MOST_CONFIG, read_text
from hotato.document.explain import explain, found
from hotato.document.from_mapping import tree_of
from hotato.document.other import is_other
from hotato.document.problems import Problems
from hotato.document.reading import scan
from hotato.document.tree import Tree
from hotato.errors import DocumentError, Problem
from hotato.model.fault import Fault

_S = TypeVar("_S", bound=msgspec.Struct)
Path = str | os.PathLike[str]


class Section(Tree):
    """A list inside a document as a document of its own, with the places of the whole."""

    __slots__ = ("_at", "_name", "_whole")

    def __init__(self, whole: Tree, name: str, items: list[Any], at: tuple[str, ...]) -> None:
        super().__init__({"version": 1, name: items}, whole.file)
        self._whole, self._name, self._at = whole, name, at

    def position(self, where: tuple[str | int, ...], key: bool = False) -> tuple[int, int]:
        """Return line and column in the whole's own text."""
        inside = where[1:] if where[:1] == (self._name,) else where
        return self._whole.position((*self._at, *inside), key)


def tree(source: Any, file: str = "") -> Tree:
    """Return a document as a tree: a mapping, or the text of a YAML or JSON file. Raise DocumentError."""
    return scan(source, file) if isinstance(source, str) else tree_of(source, file)


def tree_of_file(path: Path) -> Tree:
    """Return the document in a file as a tree. Raise DocumentError."""
    return scan(read_text(path, most=MOST_CONFIG, error=DocumentError), os.fspath(path))


def kind_of(source: Tree) -> str:
    """Return the kind that a document says it is, empty where it says none."""
    value = source.value.get("kind") if isinstance(source.value, dict) else None
    return value if isinstance(value, str) else ""


def read(source: Tree, struct: type[_S], kind: str, beyond: Callable[[_S], Iterable[Fault]]) -> _S:
    """Return the checked document. Raise DocumentError with everything that is wrong in it.

    `beyond` finds what types cannot say; it is asked where the types are right. Top-level fields that begin with `x-` are
    the user's.
    """
    problems = Problems()
    problems.take(source.problems)
    if type(source.value) is not dict:
        said = f"a {kind} document is a mapping; found {found(source.value)}"
        problems.add(source, (), Fault((), "wrong_type", said))
        problems.raise_any()
    if is_other(problems, source, kind):
        problems.raise_any()
    value = {key: item for key, item in source.value.items() if not key.startswith("x-")}
    if "version" in value and (type(value["version"]) is not int or value["version"] != 1):
        said = f"must be the integer 1; found {found(value['version'])}"
        problems.add(source, (), Fault(("version",), "version", said))
        value["version"] = 1
    try:
        made = msgspec.convert(value, struct, strict=True)
    except msgspec.ValidationError as error:
        for fault in list(explain(struct, value)) or [Fault((), "wrong_type", str(error))]:
            problems.add(source, (), fault)
    else:
        for fault in beyond(made):
            problems.add(source, (), fault)
    problems.raise_any()
    return made


def told(tree: Tree, *faults: Fault) -> list[Problem]:
    """Return what is wrong with a document's values, with the places."""
    problems = Problems()
    for fault in faults:
        problems.add(tree, (), fault)
    try:
        problems.raise_any()
    except DocumentError as error:
        return list(error.problems)
    return []


def relative(file: str, path: str) -> str:
    """Return a path named in a document, which starts at the document's folder."""
    return os.path.join(os.path.dirname(file), path)


def plain(value: Mapping[str, Any] | msgspec.Struct) -> Any:
    """Return a struct as plain JSON types, without what was not given."""
    return msgspec.to_builtins(value)
