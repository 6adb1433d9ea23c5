"""Reading the system of record, and keeping what was read as evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from hotato.errors import StateAdapterError
from hotato.match.evidence import Evidence
from hotato.model import codec
from hotato.model.fault import Fault

_TAKEN = ("resource", "when", "self")


class Unreadable(msgspec.Struct, frozen=True):
    """Why a read settled nothing."""

    cause: str


def read(
    evidence: Evidence, resource: str, filters: Mapping[str, Any], when: str = ""
) -> Mapping[str, Any] | Unreadable | None:
    """Return a record, None where the system holds none, or Unreadable. A determinate read is kept on the call.

    What was asked once in a run is not asked again, whatever came of it, so that its assertions agree on what the system holds.
    The message of a StateAdapterError is made for users; of any other exception only the name of its class is told, since
    a driver's message may hold an address or a secret.
    """
    key = (resource, when, tuple(sorted((name, type(value).__name__, repr(value)) for name, value in filters.items())))
    if key not in evidence.records:
        evidence.records[key] = _asked(evidence, resource, filters, when)
    answer: Mapping[str, Any] | Unreadable | None = evidence.records[key]
    return answer


def _asked(
    evidence: Evidence, resource: str, filters: Mapping[str, Any], when: str
) -> Mapping[str, Any] | Unreadable | None:
    asked = {**filters, "when": when} if when else dict(filters)
    try:
        record = evidence.call.state_adapter.query(resource, **asked)
    except StateAdapterError as error:
        return Unreadable(str(error) or "the adapter gave no cause")
    except Exception as error:  # an adapter may be anybody's code: whatever it raises, nothing was read
        return Unreadable(f"the adapter raised {type(error).__name__}")
    if record is not None and not isinstance(record, Mapping):
        return Unreadable(f"the adapter answered with {type(record).__name__}, not a record")
    try:
        record = _plain(record)
    except StateAdapterError as error:
        return Unreadable(str(error))
    kept = getattr(evidence.call, "state_evidence", None)
    if kept is not None:
        seen = {"id": f"r_{len(kept)}", "resource": resource, "filters": dict(filters)}
        kept.append({**seen, **({"when": when} if when else {}), "observed": None if record is None else dict(record)})
    return record


def _plain(record: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return a record as one of hotato's own adapters would tell it. Raise StateAdapterError where it cannot be told.

    Drivers of databases give decimals and dates, which compare with nothing that a document can state.
    """
    if record is None:
        return None
    if codec.is_json(record):
        made: dict[str, Any] = codec.plain(record)
        return made
    from hotato.match.plain import MOST_BYTES, plain

    told: dict[str, Any] = plain(record, [MOST_BYTES])
    return told


def filter_faults(filters: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield the filters that an adapter could not be asked with."""
    for name, value in filters.items():
        if name in _TAKEN:
            yield Fault(("filters", name), "filter", f"a filter cannot be named '{name}'")
        elif isinstance(value, (dict, list)):
            yield Fault(("filters", name), "filter", "a filter compares one value: text, a number, true, false or null")
