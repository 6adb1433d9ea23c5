"""OTLP spans at full speed: exports that are written as the protocol says are decoded into typed spans in one go.

Anything that another tool spells differently, or that is damaged, is left to the careful reader in `_otlp`. Nothing is
skipped: a field that is not listed here sends the whole export to that reader.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from hotato.importers._ids import hexed
from hotato.importers._notes import Lost
from hotato.importers._raw import KINDS, Batch, Event, Raw
from hotato.model import codec

KINDS_NAMED: dict[Any, int] = {**{f"SPAN_KIND_{name}": number for name, number in KINDS.items()}, **KINDS}
CODES: dict[Any, int] = {
    "STATUS_CODE_OK": 1, "STATUS_CODE_ERROR": 2, "OK": 1, "ERROR": 2, "Ok": 1, "Error": 2, 1: 1, 2: 2,
}  # fmt: skip
Reader = Callable[[Any], Any]
_FAULTS = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)
_BEGINS = b'{"resourceSpans":'


class Typed(msgspec.Struct, gc=False, rename="camel", forbid_unknown_fields=True):
    """What all of them share. A field that is absent is UNSET, so that what is written again has the fields that were read."""


class Plain(Typed):
    """A value that holds no other: one field is set, or none for null."""

    string_value: str | UnsetType = UNSET
    int_value: int | str | UnsetType = UNSET
    bool_value: bool | UnsetType = UNSET
    double_value: float | str | UnsetType = UNSET
    bytes_value: str | UnsetType = UNSET


class Value(Plain):
    """Any value. Only here can something stand at any depth, and it is bounded where it is read."""

    array_value: dict[str, Any] | UnsetType = UNSET
    kvlist_value: dict[str, Any] | UnsetType = UNSET


class Pair(Typed):
    """An attribute."""

    key: str
    value: Value


class PlainPair(Typed):
    """An attribute that no reader looks at."""

    key: str
    value: Plain


class Happened(Typed):
    """An event of a span."""

    time_unix_nano: int | str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    attributes: list[Pair] | UnsetType = UNSET
    dropped_attributes_count: int | UnsetType = UNSET


class Link(Typed):
    """A link to another span, which no reader looks at."""

    trace_id: str | UnsetType = UNSET
    span_id: str | UnsetType = UNSET
    trace_state: str | UnsetType = UNSET
    attributes: list[PlainPair] | UnsetType = UNSET
    dropped_attributes_count: int | UnsetType = UNSET
    flags: int | UnsetType = UNSET


class Status(Typed):
    """How a span ended."""

    code: int | str | UnsetType = UNSET
    message: str | UnsetType = UNSET


class Span(Typed):
    """A span. One without any of the ids and times is spelt differently."""

    trace_id: str | UnsetType = UNSET
    span_id: str | UnsetType = UNSET
    parent_span_id: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    kind: int | str | UnsetType = UNSET
    start_time_unix_nano: int | str | UnsetType = UNSET
    end_time_unix_nano: int | str | UnsetType = UNSET
    attributes: list[Pair] | UnsetType = UNSET
    events: list[Happened] | UnsetType = UNSET
    status: Status | UnsetType = UNSET
    dropped_attributes_count: int | UnsetType = UNSET
    trace_state: str | UnsetType = UNSET
    flags: int | UnsetType = UNSET
    links: list[Link] | UnsetType = UNSET
    dropped_events_count: int | UnsetType = UNSET
    dropped_links_count: int | UnsetType = UNSET


class Scope(Typed):
    """The library that wrote spans."""

    name: str | UnsetType = UNSET
    version: str | UnsetType = UNSET
    attributes: list[PlainPair] | UnsetType = UNSET
    dropped_attributes_count: int | UnsetType = UNSET


class Scoped(Typed):
    """Spans of one library."""

    scope: Scope | UnsetType = UNSET
    spans: list[Span] | UnsetType = UNSET
    schema_url: str | UnsetType = UNSET


class Resource(Typed):
    """What wrote the spans."""

    attributes: list[Pair] | UnsetType = UNSET
    dropped_attributes_count: int | UnsetType = UNSET


class Resourced(Typed):
    """Spans of one resource."""

    resource: Resource | UnsetType = UNSET
    scope_spans: list[Scoped] | UnsetType = UNSET
    schema_url: str | UnsetType = UNSET


class Request(Typed):
    """An export request."""

    resource_spans: list[Resourced]


_decode = msgspec.json.Decoder(Request).decode
_encode = msgspec.json.Encoder().encode


def decoded(raw: bytes) -> list[Request] | None:
    """Return the export requests of JSON bytes, one or one a line; None where the careful reader must look at them.

    As strict as `model.codec`: each key that is written has one colon, and so has it when the requests are written again,
    so equal counts mean that no key stood twice.
    """
    if not raw[:40].translate(None, b" \t\r\n").startswith(_BEGINS) or b"\\u003" in raw:
        return None
    end = raw.find(b"\n")
    try:
        if end > 0 and raw[:end].endswith((b"}", b"}\r")):
            requests = [_decode(line) for line in raw.split(b"\n") if line and not line.isspace()]
        else:
            requests = [_decode(raw)]
        again = _encode(requests)
    except (ValueError, RecursionError):
        return None
    if again.count(b":") != raw.count(b":"):
        return None
    return requests


class Spans:
    """Reads lists of spans; `moment` and `other` are the careful reader's, for what is rarely met."""

    def __init__(self, moment: Reader, other: Reader) -> None:
        self._moment, self._careful_value = moment, other
        self._ids: dict[Any, str] = {UNSET: ""}

    def batch(self, requests: Sequence[Request]) -> Batch | None:
        """Return all spans of typed requests; None where any of them needs the careful reader."""
        batch = Batch()
        try:
            for request in requests:
                for resourced in request.resource_spans:
                    resource = {}
                    if resourced.resource and resourced.resource.attributes:
                        resource = self._attributes(resourced.resource.attributes, batch.lost)
                    for scoped in resourced.scope_spans or ():
                        scope = (scoped.scope.name or "") if scoped.scope else ""
                        spans = scoped.spans or []
                        batch.count += len(spans)
                        batch.spans += [self._raw(span, scope, resource, batch.lost) for span in spans]
        except _FAULTS:
            return None
        return batch

    def read(self, spans: list[Any], scope: str, resource: Mapping[str, Any], lost: Lost) -> list[Raw] | None:
        """Return spans that are plain values; None where any of them needs the careful reader."""
        unsure = Lost()
        try:
            made = [self._raw(span, scope, resource, unsure) for span in msgspec.convert(spans, list[Span])]
        except _FAULTS:
            return None
        lost.update(unsure)
        return made

    def _raw(self, span: Span, scope: str, resource: Mapping[str, Any], lost: Lost) -> Raw:
        ids, trace, own, parent = self._ids, span.trace_id, span.span_id, span.parent_span_id
        kind, start, end = span.kind, span.start_time_unix_nano, span.end_time_unix_nano
        if trace is UNSET and own is UNSET and start is UNSET:
            raise ValueError
        code, message, status = 0, "", span.status
        if status and (status.code or status.message):
            code, message = CODES.get(status.code, 0), status.message or ""
        if span.dropped_attributes_count:
            lost["attributes_dropped"] += span.dropped_attributes_count
        if trace not in ids:
            ids[trace] = hexed(trace)
        if parent not in ids:
            ids[parent] = hexed(parent)
        return Raw(
            ids[trace],
            hexed(own),
            ids[parent],
            span.name or "",
            kind if type(kind) is int else KINDS_NAMED.get(kind, 0),
            (int(start) or None)
            if type(start) is str and len(start) == 19 and start.isdecimal()
            else self._moment(start or None),
            (int(end) or None)
            if type(end) is str and len(end) == 19 and end.isdecimal()
            else self._moment(end or None),
            self._attributes(span.attributes, lost) if span.attributes else {},
            [self._event(event, lost) for event in span.events] if span.events else [],
            code,
            message,
            scope,
            resource,
        )

    def _event(self, event: Happened, lost: Lost) -> Event:
        attributes = self._attributes(event.attributes, lost) if event.attributes else {}
        return Event(self._moment(event.time_unix_nano or None), event.name or "", attributes)

    def _attributes(self, pairs: list[Pair], lost: Lost) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for pair in pairs:
            value = pair.value
            held: Any = value.string_value
            if held is UNSET:
                held = value.int_value
                held = int(held) if type(held) is str and len(held) < 20 else self._other(value)
            found[pair.key] = held
        if len(found) != len(pairs):
            lost["attribute_repeated"] += len(pairs) - len(found)
        return found

    def _other(self, value: Value) -> Any:
        for name in ("int", "bool", "double", "bytes", "array", "kvlist"):
            held = getattr(value, f"{name}_value")
            if held is not UNSET:
                if type(held) is dict and codec.is_too_deep(held):
                    raise ValueError
                return self._careful_value({f"{name}Value": held})
        return None
