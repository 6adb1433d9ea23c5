"""A system of record held in a JSON or YAML file, in a mapping, or in a SQLite file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hotato.document.problems import path_text
from hotato.errors import EvidenceError, Problem, StateAdapterError
from hotato.match.paths import at
from hotato.match.values import same
from hotato.model.fault import Fault


class MockStateAdapter:
    """`{resource: [rows]}`, or `{"before": {...}, "after": {...}}` of such; the first row that matches all filters.

    A filter may be a dotted path into the row. Values are compared as JSON: 40 is 40.0, `"40"` is not. Without `when`
    the state after the call is read.
    """

    def __init__(self, data: Mapping[str, Any], *, file: str = "state") -> None:
        wrong = [
            Problem(code=fault.code, file=file, path=path_text(fault.where), message=fault.message)
            for fault in row_faults(data)
        ]
        if wrong:
            raise EvidenceError(wrong)
        self._snapshots: dict[str, Mapping[str, Any]] = dict(data) if _has_snapshots(data) else {"": data}

    def query(self, resource: str, *, when: str = "", **filters: Any) -> dict[str, Any] | None:
        """Return the first matching row, None where there is none. Raise StateAdapterError for what is not in the file."""
        found = self._snapshots.get("" if "" in self._snapshots and not when else when or "after")
        if found is None:
            raise StateAdapterError(f"the state file has no '{when or 'after'}' snapshot")
        if resource not in found:
            raise StateAdapterError(f"the state file has no resource '{resource}'")
        return first(found[resource], filters)

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Return every row of every resource, as after the call. Raise StateAdapterError where only "before" is there."""
        found = self._snapshots.get("", self._snapshots.get("after"))
        if found is None:
            raise StateAdapterError("the state file has no 'after' snapshot")
        return {resource: [dict(row) for row in rows] for resource, rows in found.items()}


class SqliteMockAdapter:
    """The tables of a SQLite file as resources; `<table>__before` and `<table>__after` are snapshots of `<table>`.

    The file is opened for reading alone. Without `when` the table itself answers, or `<table>__after` where there is none.
    """

    def __init__(self, path: str) -> None:
        from hotato.state.sqlite import tables

        self._path = path
        self._tables = {name.casefold(): name for name in tables(path)}
        self._rows: dict[str, list[dict[str, Any]]] = {}

    def query(self, resource: str, *, when: str = "", **filters: Any) -> dict[str, Any] | None:
        """Return the first matching row, in the order of the table. Raise StateAdapterError for a table that is not there."""
        wanted = [f"{resource}__{when}"] if when else [resource, f"{resource}__after"]
        name = next((self._tables[one.casefold()] for one in wanted if one.casefold() in self._tables), None)
        if name is None:
            said = f"has no table '{wanted[0]}'" if when else f"has no table '{resource}'"
            raise StateAdapterError(f"the SQLite file {said}")
        if name not in self._rows:
            from hotato.state.sqlite import every_row

            self._rows[name] = every_row(self._path, name)
        return first(self._rows[name], filters)

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Return every row of every table that is no snapshot. Raise StateAdapterError."""
        from hotato.state.sqlite import every_row

        plain = [one for one in self._tables.values() if not one.endswith(("__before", "__after"))]
        ended = {one.removesuffix("__after"): one for one in self._tables.values() if one.endswith("__after")}
        return {name: every_row(self._path, table) for name, table in {**ended, **{one: one for one in plain}}.items()}


def first(rows: Sequence[Mapping[str, Any]], filters: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the first row that matches all filters."""
    for row in rows:
        if all(same(at(row, name), value) for name, value in filters.items()):
            return dict(row)
    return None


def is_sqlite(path: str) -> bool:
    """Say whether a file begins as SQLite files do. Raise EvidenceError where it cannot be read."""
    from hotato.context.files import open_regular

    if os.fspath(path) == "-":
        return False
    with open_regular(path, error=EvidenceError) as file:
        return file.read(16) == b"SQLite format 3\0"


def _has_snapshots(data: Mapping[str, Any]) -> bool:
    return bool(data) and set(data) <= {"before", "after"} and all(isinstance(v, Mapping) for v in data.values())


def row_faults(data: Any) -> Iterator[Fault]:
    """Yield what keeps a value from being resources with rows."""
    if not isinstance(data, Mapping):
        yield Fault((), "state", "a state file is a mapping of resources to rows")
        return
    for when, resources in data.items() if _has_snapshots(data) else (("", data),):
        around = (when,) if when else ()
        for resource, rows in resources.items():
            if not isinstance(rows, Sequence) or isinstance(rows, str):
                yield Fault((*around, resource), "state", "the rows of a resource are a list")
                continue
            for place, row in enumerate(rows):
                if not isinstance(row, Mapping):
                    yield Fault((*around, resource, place), "state", "a row is a mapping")
