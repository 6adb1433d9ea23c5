"""OTLP spans at full speed: a list of spans as the protocol writes them is converted in one go, types checked on the way.

Anything that another tool spells differently, or that is damaged, is left to the careful reader in `_otlp`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from hotato.importers._ids import hexed
from hotato.importers._notes import Lost
from hotato.importers._raw import KINDS, Event, Raw

KINDS_NAMED: dict[Any, int] = {**{f"SPAN_KIND_{name}": number for name, number in KINDS.items()}, **KINDS}
CODES: dict[Any, int] = {
    "STATUS_CODE_OK": 1, "STATUS_CODE_ERROR": 2, "OK": 1, "ERROR": 2, "Ok": 1, "Error": 2, 1: 1, 2: 2,
}  # fmt: skip
Reader = Callable[[Any], Any]


class Value(msgspec.Struct, gc=False, rename="camel"):
    """A value: one field is set, or none for null. What is no text is looked at where it is read."""

    string_value: str | None = None
    int_value: Any = None
    bool_value: Any = None
    double_value: Any = None
    bytes_value: Any = None
    array_value: Any = None
    kvlist_value: Any = None


class Pair(msgspec.Struct, gc=False):
    """An attribute; an empty key may be left out."""

    key: str = ""
    value: Value | None = None


class Happened(msgspec.Struct, gc=False, rename="camel"):
    """An event of a span."""

    time_unix_nano: Any = None
    name: str | None = None
    attributes: list[Pair] | None = None


class Span(msgspec.Struct, gc=False, rename="camel"):
    """A span. One without any of the ids and times is spelt differently."""

    trace_id: str | None = None
    span_id: str | None = None
    parent_span_id: str | None = None
    name: str | None = None
    kind: Any = 0
    start_time_unix_nano: Any = None
    end_time_unix_nano: Any = None
    attributes: list[Pair] | None = None
    events: list[Happened] | None = None
    status: dict[str, Any] | None = None
    dropped_attributes_count: Any = None


class Spans:
    """Reads lists of spans; `moment` and `other` are the careful reader's, for what is rarely met."""

    def __init__(self, moment: Reader, other: Reader) -> None:
        self._moment, self._careful_value = moment, other
        self._ids: dict[str | None, str] = {}

    def read(self, spans: list[Any], scope: str, resource: Mapping[str, Any], lost: Lost) -> list[Raw] | None:
        """Return spans; None where any of them needs the careful reader."""
        unsure = Lost()
        self._ids = {}
        try:
            made = [self._raw(span, scope, resource, unsure) for span in msgspec.convert(spans, list[Span])]
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            return None
        lost.update(unsure)
        return made

    def _raw(self, span: Span, scope: str, resource: Mapping[str, Any], lost: Lost) -> Raw:
        ids, trace, parent = self._ids, span.trace_id, span.parent_span_id
        if trace is None and span.span_id is None and span.start_time_unix_nano is None:
            raise ValueError
        code, message = 0, ""
        if span.status:
            code, message = CODES.get(span.status.get("code"), 0), span.status.get("message") or ""
            if type(message) is not str:
                raise TypeError
        if span.dropped_attributes_count:
            lost["attributes_dropped"] += int(span.dropped_attributes_count)
        if trace not in ids:
            ids[trace] = hexed(trace)
        if parent not in ids:
            ids[parent] = hexed(parent)
        kind, start, end = span.kind, span.start_time_unix_nano, span.end_time_unix_nano
        return Raw(
            ids[trace],
            hexed(span.span_id),
            ids[parent],
            span.name or "",
            kind if type(kind) is int else KINDS_NAMED.get(kind, 0),
            (int(start) or None)
            if type(start) is str and len(start) == 19 and start.isdecimal()
            else self._moment(start),
            (int(end) or None) if type(end) is str and len(end) == 19 and end.isdecimal() else self._moment(end),
            self._attributes(span.attributes, lost) if span.attributes else {},
            [self._event(event, lost) for event in span.events] if span.events else [],
            code,
            message,
            scope,
            resource,
        )

    def _event(self, event: Happened, lost: Lost) -> Event:
        attributes = self._attributes(event.attributes, lost) if event.attributes else {}
        return Event(self._moment(event.time_unix_nano), event.name or "", attributes)

    def _attributes(self, pairs: list[Pair], lost: Lost) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for pair in pairs:
            value = pair.value
            if value is None:
                found[pair.key] = None
            elif value.string_value is not None:
                found[pair.key] = value.string_value
            else:
                number = value.int_value
                found[pair.key] = int(number) if type(number) is str and len(number) < 20 else self._other(value)
        if len(found) != len(pairs):
            lost["attribute_repeated"] += len(pairs) - len(found)
        return found

    def _other(self, value: Value) -> Any:
        for name in ("int", "bool", "double", "bytes", "array", "kvlist"):
            held = getattr(value, f"{name}_value")
            if held is not None:
                return self._careful_value({f"{name}Value": held})
        return None
