"""A system of record held in a JSON or YAML file, or in a mapping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hotato.errors import EvidenceError, Problem, StateAdapterError
from hotato.match.paths import at
from hotato.match.values import same


class MockStateAdapter:
    """`{resource: [rows]}`, or `{"before": {...}, "after": {...}}` of such; the first row that matches all filters.

    A filter may be a dotted path into the row. Values are compared as JSON: 40 is 40.0, `"40"` is not. Without `when`
    the state after the call is read.
    """

    def __init__(self, data: Mapping[str, Any], *, file: str = "state") -> None:
        if not isinstance(data, Mapping):
            raise EvidenceError(
                Problem(code="state", file=file, message="a state file is a mapping of resources to rows")
            )
        snapshots = (
            bool(data) and set(data) <= {"before", "after"} and all(isinstance(v, Mapping) for v in data.values())
        )
        self._snapshots: dict[str, Mapping[str, Any]] = dict(data) if snapshots else {"": data}
        for when, resources in self._snapshots.items():
            for resource, rows in resources.items():
                _check(rows, f"{when}.{resource}" if when else resource, file)

    def query(self, resource: str, *, when: str = "", **filters: Any) -> dict[str, Any] | None:
        """Return the first matching row, None where there is none. Raise StateAdapterError for what is not in the file."""
        found = self._snapshots.get("" if "" in self._snapshots and not when else when or "after")
        if found is None:
            raise StateAdapterError(f"the state file has no '{when or 'after'}' snapshot")
        if resource not in found:
            raise StateAdapterError(f"the state file has no resource '{resource}'")
        for row in found[resource]:
            if all(same(at(row, name), value) for name, value in filters.items()):
                return dict(row)
        return None


def _check(rows: Any, path: str, file: str) -> None:
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise EvidenceError(Problem(code="state", file=file, path=path, message="the rows of a resource are a list"))
    for place, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise EvidenceError(Problem(code="state", file=file, path=f"{path}[{place}]", message="a row is a mapping"))
