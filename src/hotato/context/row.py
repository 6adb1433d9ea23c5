"""A call in one object, as rows of many calls and `judge_bytes` have it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from hotato.context.build import build_context
from hotato.context.trace import source_of, source_problem
from hotato.errors import EvidenceError, Problem
from hotato.model.call import Call, StateAdapter
from hotato.model.near import nearest

EVIDENCE = ("transcript", "spans", "timing", "state")
SOURCE = "source"
COLUMNS = ("call_id", "call", *EVIDENCE, SOURCE)


def call_of_row(
    record: Mapping[str, Any], *, state_adapter: StateAdapter | None, capture_complete: bool = False, file: str = ""
) -> Call:
    """Return the call of an object with some of `transcript`, `spans`, `timing` and `state`; null was not supplied.

    An object under `source` says of the trace what a meta line does, any other value there is left alone, and so are other
    keys. The state is the caller's to read. `file` names the call in messages. Raise EvidenceError, also for a list or an
    object under a name that is nearly one of these: what it holds would be lost.
    """
    if all(record.get(name) is None for name in EVIDENCE):
        raise EvidenceError(Problem(code="call", file=file, message=f"a call has one of {', '.join(EVIDENCE)}"))
    missed = misnamed(record)
    if missed is not None:
        said = "no such field; what it holds would be lost"
        raise EvidenceError(Problem(code="call", file=file, path=missed[0], message=said, guess=missed[1]))
    return build_context(
        transcript=record.get("transcript"),
        spans=record.get("spans"),
        timing=record.get("timing"),
        state_adapter=state_adapter,
        capture_complete=capture_complete,
        sources=_sources(record, file),
    )


def misnamed(record: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return a name of a list or an object that is nearly one that is read and not there, and which; None without one."""
    for name, value in record.items():
        near = meant(name) if type(value) in (dict, list) else ""
        if near and record.get(near) is None:
            return name, near
    return None


@lru_cache(maxsize=1024)
def meant(name: str) -> str:
    """Return the name under which something is read that a name is nearly; empty where it is one, or is none by far."""
    return "" if name in EVIDENCE or name == SOURCE else nearest(name, (*EVIDENCE, SOURCE))


def _sources(record: Mapping[str, Any], file: str) -> Mapping[str, Mapping[str, Any]] | None:
    source = record.get(SOURCE)
    if type(source) is not dict:
        return None
    wrong = source_problem({SOURCE: source}, file)
    if wrong is not None:
        raise EvidenceError(wrong)
    known = source_of(record)
    return {"trace" if record.get("spans") is not None else "transcript": known} if known else None
