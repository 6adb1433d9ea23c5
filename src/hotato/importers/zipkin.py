"""Zipkin: spans of its API in version 2.

How to get it: `GET /api/v2/trace/ID` or `/api/v2/traces`, or what a Zipkin exporter of OpenTelemetry sent.

What is read in the spans is what `otlp` reads. What it does not record: types, since every tag is text; times finer than a
microsecond; tags and annotations in full, since exporters cut them. The side of the server is not the agent's.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.importers._assemble import imported
from hotato.importers._clock import US, number_ns
from hotato.importers._ids import hexed
from hotato.importers._importer import Content, Damage, Imported, Options, Path
from hotato.importers._otel_shapes import code_of, grouped
from hotato.importers._payload import decoded
from hotato.importers._raw import KINDS, Batch, Event, Raw
from hotato.importers._speech import shaped

RANK = 80
_SCOPES = ("otel.scope.name", "otel.library.name")
_OWN = frozenset(("otel.status_code", "otel.status_description", "error", *_SCOPES))


class Annotation(msgspec.Struct, kw_only=True):
    """Something that happened at a moment, in microseconds."""

    timestamp: int | float | str | None = None
    value: str | None = None


class Endpoint(msgspec.Struct, kw_only=True, rename="camel"):
    """The service that wrote a span."""

    service_name: str | None = None


class Span(msgspec.Struct, kw_only=True, rename="camel"):
    """A span; `timestamp` and `duration` are in microseconds."""

    trace_id: str
    id: str
    parent_id: str | None = None
    name: str | None = None
    kind: str | None = None
    timestamp: int | float | str | None = None
    duration: int | float | str | None = None
    local_endpoint: Endpoint | None = None
    tags: dict[str, Any] | None = None
    annotations: list[Annotation] | None = None


def matches(content: Content) -> str:
    """Return why the content is Zipkin's; empty where it is not."""
    first = next((value for _, _, value in grouped(content)), None)
    if type(first) is not dict or not {"traceId", "id"} <= set(first):
        return ""
    others = {"localEndpoint", "timestamp", "annotations", "tags", "duration"} & set(first)
    return "spans with traceId, id and localEndpoint" if others and "startTime" not in first else ""


def read(content: Content, options: Options) -> Imported:
    """Return the call that the spans tell."""
    batch = Batch()
    for path, line, value in grouped(content):
        span = shaped(value, Span, path, line)
        batch.count += 1
        batch.spans.append(_raw(span, path, line))
    return imported(batch, "zipkin", options)


def _raw(span: Span, path: Path, line: int) -> Raw:
    tags = span.tags or {}
    start = _micro(span.timestamp, (*path, "timestamp"), line)
    taken = _micro(span.duration, (*path, "duration"), line)
    error = tags.get("error")
    failed = error is not None and str(error).lower() != "false"
    said = tags.get("otel.status_description") or (error if type(error) is str and error.lower() != "true" else "")
    service = span.local_endpoint.service_name if span.local_endpoint is not None else None
    return Raw(
        hexed(span.trace_id),
        hexed(span.id),
        hexed(span.parent_id),
        span.name or "",
        KINDS.get((span.kind or "").upper(), 0),
        start,
        None if start is None or taken is None else start + taken,
        {name: value for name, value in tags.items() if name not in _OWN},
        [_event(one, (*path, "annotations", index), line) for index, one in enumerate(span.annotations or ())],
        2 if failed else code_of(tags.get("otel.status_code")),
        said if type(said) is str else "",
        next((tags[name] for name in _SCOPES if type(tags.get(name)) is str), ""),
        {} if service is None else {"service.name": service},
    )


def _micro(value: Any, path: Path, line: int) -> int | None:
    if value is None:
        return None
    found = number_ns(value, US)
    if found is None or found < 0:
        raise Damage(path, "must be a number of microseconds", line)
    return found or None


def _event(one: Annotation, path: Path, line: int) -> Event:
    """Return what happened: its name alone, or `{name: {attributes}}` as exporters of OpenTelemetry write it."""
    at = _micro(one.timestamp, (*path, "timestamp"), line)
    found = decoded(one.value) if one.value is not None else None
    if type(found) is dict and len(found) == 1:
        ((name, fields),) = found.items()
        if type(fields) is dict:
            return Event(at, name, fields)
    return Event(at, one.value or "", {})
