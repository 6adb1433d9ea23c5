"""From a state config, by path or in hand, to an adapter."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from hotato.context.files import MOST_CONFIG, read_text
from hotato.document.from_mapping import tree_of
from hotato.document.reading import scan
from hotato.document.tree import Tree
from hotato.errors import DocumentError, EvidenceError
from hotato.model import given
from hotato.model.call import StateAdapter
from hotato.model.fault import Fault
from hotato.state.mock import MockStateAdapter, SqliteMockAdapter, is_sqlite, row_faults

_C = TypeVar("_C")


class Described(msgspec.Struct, frozen=True):
    """What a config describes: its adapter, and the settings of one that is no mere rows."""

    adapter: StateAdapter
    config: Any = None


def load_state_adapter(config: Any, base_dir: Any = None) -> StateAdapter:
    """Return the adapter that a config describes. Raise EvidenceError where it describes none.

    `config` is a path to a JSON, YAML or SQLite file, or a mapping: the rows themselves, or fields of one of the adapters
    (`adapter: mock`, `http` or `sql`). Relative paths start at `base_dir`, by default the config's folder. Nothing is
    connected to before the first query.
    """
    return described(config, base_dir).adapter


def described(config: Any, base_dir: Any = None, *, recorded: bool = True) -> Described:
    """Return what a config describes, as `load_state_adapter` does; without `recorded`, its snapshot files are not read."""
    file, connection = "state", None
    try:
        if isinstance(config, Mapping):
            if config.get("connection") is not None:
                connection = config["connection"]
                config = {name: value for name, value in config.items() if name != "connection"}
            tree = tree_of(config, file)
        else:
            file = given.path(config, file, EvidenceError)
            base_dir = base_dir if base_dir is not None else os.path.dirname(file)
            if is_sqlite(file):
                return Described(_from_sqlite(file))
            tree = scan(read_text(file, most=MOST_CONFIG, error=EvidenceError), file)
        folder = given.path("" if base_dir is None else base_dir, "base_dir")
        if isinstance(tree.value, dict) and type(tree.value.get("adapter")) is str:
            return _named(tree, folder, connection, recorded)
        return Described(_rows(tree))
    except DocumentError as error:
        raise EvidenceError(error.problems) from None


def checked(config: Mapping[str, Any], struct: type[_C], file: str, *, has_connection: bool = False) -> _C:
    """Return a config in hand as its struct. Raise EvidenceError with everything that is wrong in it."""
    given.typed(Mapping, config, file, "a mapping", EvidenceError)
    try:
        return _struct(tree_of(config, file), struct, has_connection)
    except DocumentError as error:
        raise EvidenceError(error.problems) from None


def _struct(tree: Tree, struct: type[_C], has_connection: bool = False) -> _C:
    from hotato.document.explain import explain
    from hotato.document.problems import Problems
    from hotato.state.config import faults

    problems = Problems()
    problems.take(tree.problems)
    for fault in explain(struct, tree.value):  # type: ignore[arg-type]  # the structs of config.py alone are given
        problems.add(tree, (), fault)
    problems.raise_any()
    config = msgspec.convert(tree.value, struct, strict=True)
    for fault in faults(config, has_connection):  # type: ignore[arg-type]
        problems.add(tree, (), fault)
    problems.raise_any()
    return config


def _rows(tree: Tree, where: tuple[str, ...] = ()) -> MockStateAdapter:
    from hotato.document.problems import Problems

    problems = Problems()
    problems.take(tree.problems)
    value = tree.value
    for step in where:
        value = value[step]
    for fault in row_faults(value):
        problems.add(tree, where, fault)
    problems.raise_any()
    return MockStateAdapter(value, file=tree.file)


def _from_sqlite(path: str) -> StateAdapter:
    from hotato.errors import Problem, StateAdapterError

    try:
        return SqliteMockAdapter(path)
    except StateAdapterError as error:
        raise EvidenceError(Problem(code="state", file=path, message=str(error))) from None


def _named(tree: Tree, folder: str, connection: Any, recorded: bool) -> Described:
    from hotato.document.problems import Problems
    from hotato.state.config import ADAPTERS, HttpConfig, MockConfig

    name = tree.value["adapter"]
    if name not in ADAPTERS:
        problems = Problems()
        said = f"unknown adapter; there are {', '.join(ADAPTERS)}"
        problems.add(tree, (), Fault(("adapter",), "state", said, found=name, allowed=tuple(ADAPTERS)))
        problems.raise_any()
    config = _struct(tree, ADAPTERS[name], connection is not None)
    if isinstance(config, MockConfig):
        return Described(_mock(config, tree, folder), config)
    adapter: Any
    if isinstance(config, HttpConfig):
        from hotato.state.http import HttpStateAdapter

        adapter = HttpStateAdapter(config, base_dir=folder, file=tree.file)
    else:
        from hotato.state.sql import SqlStateAdapter

        adapter = SqlStateAdapter(config, connection=connection, base_dir=folder, file=tree.file)
    if config.snapshots is not None and recorded:
        from hotato.state.snapshot import SnapshotAdapter

        after = config.snapshots.after
        files = os.path.join(folder, config.snapshots.before), after and os.path.join(folder, after)
        adapter = SnapshotAdapter(adapter, *files)
    return Described(adapter, config)


def _mock(config: Any, tree: Tree, folder: str) -> StateAdapter:
    if config.path is None:
        return _rows(tree, ("data",))
    path = os.path.join(folder, config.path)
    if is_sqlite(path):
        return _from_sqlite(path)
    return _rows(scan(read_text(path, most=MOST_CONFIG, error=EvidenceError), path))
