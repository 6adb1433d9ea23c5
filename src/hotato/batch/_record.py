"""From one row of many calls to the evidence of a call."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from typing import Any

from hotato.context import typed
from hotato.context.row import call_of_row
from hotato.errors import EvidenceError, Problem
from hotato.model import codec
from hotato.model.call import Call, StateAdapter


def decoded(line: bytes) -> Any:
    """Return the value of a line. Raise EvidenceError."""
    try:
        return codec.decode_bytes(line.removeprefix(codecs.BOM_UTF8))
    except codec.JsonError as fault:
        if not _is_utf_8(line):
            raise EvidenceError(Problem(code="file_encoding", message="not UTF-8 text")) from None
        raise EvidenceError(Problem(code=fault.code, message=f"not JSON: {fault.message}")) from None


def record_of(line: bytes) -> Any:
    """Return what a line holds, as `call_of` takes it: its evidence where types can tell it, else its value. Raise EvidenceError."""
    found = typed.of_bytes(line.removeprefix(codecs.BOM_UTF8))
    return typed_or_not(decoded(line)) if found is None else found


def typed_or_not(record: Any) -> Any:
    """Return the evidence that a decoded row holds where types can tell it, else the row."""
    found = typed.of_value(record)
    return record if found is None else found


def _is_utf_8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def id_of(record: Any, otherwise: str) -> str:
    """Return the id of a call; `otherwise` where the row gives none."""
    if isinstance(record, typed.Typed):
        found = record.call_id
    else:
        found = record.get("call_id") if isinstance(record, Mapping) else None
    if isinstance(found, str) and found:
        return found if found.isascii() else found.encode("utf-8", "backslashreplace").decode()
    return str(found) if type(found) is int else otherwise


def call_of(record: Any, *, capture_complete: bool = False) -> Call | typed.Typed:
    """Return the call of a row: an object with some of `transcript`, `spans`, `state` and `timing`. Raise EvidenceError.

    A key that is absent or null was not supplied. What else is read or refused is told at `call_of_row`.
    """
    if isinstance(record, typed.Typed):
        record.state_adapter = None if record.state is None else state_of(record.state)
        return record
    if not isinstance(record, Mapping):
        raise EvidenceError(Problem(code="call", message="a row of many calls is an object"))
    state = record.get("state")
    adapter = None if state is None else state_of(state)
    return call_of_row(record, state_adapter=adapter, capture_complete=capture_complete)


def state_of(state: Any) -> StateAdapter:
    """Return the system of record that a row holds: `{resource: rows}`, or such `before` and `after` the call.

    Rows are a list of mappings. A mapping of keys to entries, as databases in JSON are written, is read as one row
    `{key, record}` for each entry, and a single value as one row with the key `value`. A resource that only one of the
    two snapshots has is empty in the other. Raise EvidenceError.
    """
    from hotato.state.mock import MockStateAdapter

    if not isinstance(state, Mapping):
        raise EvidenceError(Problem(code="state", message="a state is a mapping of resources to rows"))
    snapshots = {when: state[when] for when in ("before", "after") if when in state}
    if not snapshots or set(state) - {"before", "after"} or not all(isinstance(s, Mapping) for s in snapshots.values()):
        return MockStateAdapter({resource: _rows(value) for resource, value in state.items()})
    names = list(dict.fromkeys(name for one in snapshots.values() for name in one))
    return MockStateAdapter(
        {when: {name: _rows(one.get(name, [])) for name in names} for when, one in snapshots.items()}
    )


def _rows(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return [{"key": key, "record": entry} for key, entry in value.items()]
    if isinstance(value, list):
        if any(not isinstance(row, Mapping) for row in value):
            return [{"key": place, "record": entry} for place, entry in enumerate(value)]
        return value
    return [{"key": "value", "record": value}]
