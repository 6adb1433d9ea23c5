"""The meta line of a trace: which of its fields are read, and which are nearly those."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# what a source may record
CAPTURES = ("tool_call", "arguments", "result", "http_exchange", "handoff", "dtmf", "termination")
EVENTS = tuple(name for name in CAPTURES if name not in ("arguments", "result"))  # of which there are spans


def misspelt(record: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the path of a field of a meta line that is nearly one of those that are read, and which; None without one.

    Other fields are left alone. A misspelt one is not: what a source does not record would count as what did not happen.
    """
    from difflib import get_close_matches

    source = record.get("source")
    inside = source if type(source) is dict else {}
    captures = inside.get("captures")
    for path, found, known in (
        ("", record, ("schema", "source")),
        ("source.", inside, ("format", "captures", "notes")),
        ("source.captures.", captures if type(captures) is dict else {}, CAPTURES),
    ):
        for name in found:
            near = [] if name in known else get_close_matches(name[:64], known, n=1, cutoff=0.8)
            if near and near[0] not in found:
                return f"{path}{name}", near[0]
    return None
