"""Names in a trace that are nearly those that are read: a span's type, and the fields of the types that have some.

A trace may hold types and fields of its own, which are left alone. A misspelt one is not: what `toolcall` tells is no tool
call, so that a check that a tool was never called would hold of a call in which it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from hotato.match.spans import ARGUMENTS, DTMF, ENDINGS, HANDOFF, HTTP_EXCHANGE, RESULTS, TOOL_CALL
from hotato.model.fault import Fault
from hotato.model.near import nearest

TYPES = (TOOL_CALL, HTTP_EXCHANGE, HANDOFF, DTMF, *ENDINGS)
LIKE_META = ("meta", "_meta", "metadata")  # types of what is rather a meta line without its mark
# by type, names under each of which the same thing is read
_ERROR = (("error",), ("error_message", "message"))
FIELDS: dict[str, tuple[tuple[str, ...], ...]] = {
    TOOL_CALL: (ARGUMENTS, RESULTS, *_ERROR, ("latency_ms",)),
    HTTP_EXCHANGE: (("method",), ("url",), ("status_code",), ("response", "response_body", "result"), *_ERROR),
    HANDOFF: (("target", "to"), *_ERROR),
    DTMF: (("digits", "digit"),),
    "termination": (("reason",), ("terminated_by", "by")),
}
_USUAL = frozenset(
    "type name start_sec end_sec time_sec seq trace_seq id call_id status ok turn role index text".split()
)
_NAMES = {kind: sorted(name for group in groups for name in group) for kind, groups in FIELDS.items()}
# what the usual spans of a type hold; one that holds nothing else has nothing misspelt
PLAIN = {kind: _USUAL.union(names) for kind, names in _NAMES.items()}
_TIMES = ("start_sec", "end_sec", "time_sec")
_UNITS = ("", "s", "ms", "sec", "secs", "second", "seconds", "time", "times", "timesec", "timems", "timeseconds")


@lru_cache(maxsize=4096)
def type_meant(kind: str) -> str:
    """Return the type that a span's type is nearly; empty where it is one, or is none of them by far."""
    return "" if kind in TYPES else nearest(kind, TYPES)


def field_meant(kind: str, data: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return a field of a span of this type, by its path, that is nearly one that is read, and which; None without one.

    Only a field that holds something counts, and only where what it seems to be stands under none of its right names.
    """
    plain = PLAIN.get(kind)
    if plain is None or plain.issuperset(data):
        return None
    inside = data.get("attributes")
    attributes = inside if isinstance(inside, Mapping) else {}
    for path, found in (("", data), ("attributes.", attributes)):
        for name in sorted(found.keys() - plain, key=str):
            meant = _field_meant(kind, name) if type(name) is str and _holds(found[name]) else ""
            if meant and not _is_told(kind, meant, data, attributes):
                return f"{path}{name}", meant
    return None


def time_meant(data: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return a number under a name that is nearly that of a span's time, or that turns have, and which; None without one."""
    for name, value in data.items():
        if type(value) in (int, float) and type(name) is str:
            meant = _time_meant(name)
            if meant and data.get(meant) is None and (meant != "start_sec" or data.get("time_sec") is None):
                return name, meant
    return None


@lru_cache(maxsize=4096)
def _time_meant(name: str) -> str:
    if name in _TIMES:
        return ""
    flat = name[:64].casefold().replace("_", "").replace("-", "")
    for edge in ("start", "end"):
        if flat.removeprefix(edge) in _UNITS and flat.startswith(edge):
            return f"{edge}_sec"
    return nearest(name, _TIMES)


def type_faults(kind: str | None, *where: str | int) -> Iterator[Fault]:
    """Yield what is wrong with a type of span that a document names: nearly one that is read, so that no trace holds it."""
    meant = type_meant(kind) if kind is not None else ""
    if meant:
        said = "no span is of this type, since a trace that has it is refused"
        yield Fault(where, "wrong_value", said, found=kind or "", allowed=(meant,))


def _holds(value: Any) -> bool:
    return value is not None and (type(value) not in (str, list, dict, bool, int, float) or bool(value))


def _is_told(kind: str, meant: str, *places: Mapping[str, Any]) -> bool:
    group = next(group for group in FIELDS[kind] if meant in group)
    return any(place.get(name) is not None for place in places for name in group)


@lru_cache(maxsize=4096)
def _field_meant(kind: str, name: str) -> str:
    return nearest(name, _NAMES[kind])
