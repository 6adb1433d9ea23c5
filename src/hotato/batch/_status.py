"""How far a run has come, read from its journal while it runs or after it stopped."""

from __future__ import annotations

import os
from typing import Any

import msgspec

from hotato.batch._sources import Input, pieces
from hotato.context.files import open_regular
from hotato.errors import Problem, UsageError
from hotato.runs import journal as journals
from hotato.runs.folder import JOURNAL, is_locked


def status(out: str) -> dict[str, Any]:
    """Return the state of a run, its pieces and its calls so far. Raise UsageError where none has begun."""
    place = os.path.join(out, JOURNAL)
    if not os.path.isfile(place):
        raise UsageError(
            Problem(code="journal", file=out, message="no run has begun here; start it with hotato batch run")
        )
    with open_regular(place) as stream:
        whole, _ = journals.read(stream.read(), place)
    inputs = msgspec.convert(whole.head["inputs"], list[Input])
    total = sum(1 for _ in pieces(inputs, whole.head["settings"]["batch_bytes"]))
    state = "finished" if whole.is_done else "running" if is_locked(out) else "stopped"
    return {
        "state": state,
        "hotato": whole.head["hotato"],
        "pieces": total,
        "pieces_done": len(whole.entries),
        "calls": sum(entry.calls for entry in whole.entries),
        "failed": sum(entry.failed for entry in whole.entries),
        "errors": sum(entry.errors for entry in whole.entries),
        "input_bytes": sum(one.size for one in inputs),
    }
