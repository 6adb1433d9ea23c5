"""Records of a system as they were at one moment, in a file: written before or after a call, read when it is judged."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from hotato.context.files import MOST_CONFIG, read_text
from hotato.document.reading import read
from hotato.errors import DocumentError, EvidenceError, Problem, StateAdapterError
from hotato.model.call import StateAdapter
from hotato.model.codec import encode

SCHEMA = "hotato.state_snapshot.v1"
Wanted = tuple[str, Mapping[str, Any]]


class _Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    resource: str
    filters: dict[str, Any]
    observed: dict[str, Any] | None


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    schema: str
    records: list[_Record]


class SnapshotAdapter:
    """An adapter with recorded snapshots: `before` from a file, `after` from a file or from the system as it is now."""

    def __init__(self, live: StateAdapter, before: str, after: str | None) -> None:
        self._live = live
        self._files = {"before": load_snapshot(before)}
        if after is not None:
            self._files["after"] = load_snapshot(after)

    def query(self, resource: str, *, when: str = "", **filters: Any) -> dict[str, Any] | None:
        """Return the record. Raise StateAdapterError where it was not recorded, or cannot be read."""
        recorded = self._files.get(when)
        if recorded is None:
            return self._live.query(resource, **filters)
        key = _key(resource, filters)
        if key not in recorded:
            raise StateAdapterError(f"the '{when}' snapshot does not tell of this record: it was not asked for then")
        found = recorded[key]
        return None if found is None else dict(found)

    def ping(self) -> None:
        """Raise StateAdapterError where the system does not answer."""
        ping = getattr(self._live, "ping", None)
        if callable(ping):
            ping()

    def close(self) -> None:
        """Close the connections of the system."""
        close = getattr(self._live, "close", None)
        if callable(close):
            close()


def take(adapter: StateAdapter, wanted: Iterable[Wanted]) -> list[dict[str, Any]]:
    """Return what a system holds of the records asked for, each once, sorted. Raise StateAdapterError, naming the resource."""
    records: dict[str, dict[str, Any]] = {}
    for resource, filters in wanted:
        key = _key(resource, filters)
        if key in records:
            continue
        try:
            observed = adapter.query(resource, **filters)
        except StateAdapterError as error:
            raise StateAdapterError(f"{resource} could not be read: {error}") from None
        records[key] = {"resource": resource, "filters": dict(filters), "observed": observed}
    return [records[key] for key in sorted(records)]


def snapshot_text(records: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of a snapshot file."""
    return encode({"schema": SCHEMA, "records": list(records)}, indent=2) + "\n"


def load_snapshot(path: str) -> dict[str, Mapping[str, Any] | None]:
    """Return the records of a snapshot file by what was asked for. Raise EvidenceError."""
    name = os.fspath(path)
    try:
        value = read(read_text(name, most=MOST_CONFIG, error=EvidenceError), name).value
        file = msgspec.convert(value, _File, strict=True)
    except DocumentError as error:
        raise EvidenceError(error.problems) from None
    except msgspec.ValidationError:
        raise EvidenceError(_fault(name, "no snapshot that hotato state snapshot wrote")) from None
    if file.schema != SCHEMA:
        raise EvidenceError(_fault(name, f"not of schema {SCHEMA}"))
    return {_key(one.resource, one.filters): one.observed for one in file.records}


def _fault(file: str, said: str) -> Problem:
    return Problem(code="state", file=file, message=said)


def _key(resource: str, filters: Mapping[str, Any]) -> str:
    return encode([resource, sorted((name, _plain(value)) for name, value in filters.items())])


def _plain(value: Any) -> Any:
    """Return a number by its value: 40 and 40.0 ask for the same record."""
    return int(value) if type(value) is float and value.is_integer() else value
