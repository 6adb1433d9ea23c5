"""OpenTelemetry's console exporter: the spans that an SDK prints, one object after the other.

How to get it: `ConsoleSpanExporter` in Python with its output sent to a file. Each span is an indented JSON object; one
object a line is read as well.

What is read in the spans is what `otlp` reads. What it does not record: the library that wrote a span, so dialects that
are told by it are not recognised; times finer than a microsecond.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.importers._assemble import imported
from hotato.importers._clock import iso_ns
from hotato.importers._ids import hexed
from hotato.importers._importer import Content, Damage, Imported, Options, Path
from hotato.importers._otel_shapes import code_of, grouped
from hotato.importers._raw import KINDS, Batch, Event, Raw
from hotato.importers._speech import shaped

RANK = 90


class Context(msgspec.Struct, kw_only=True):
    """The ids of a span."""

    trace_id: str
    span_id: str


class Status(msgspec.Struct, kw_only=True):
    """How a span ended."""

    status_code: str | None = None
    description: str | None = None


class Happened(msgspec.Struct, kw_only=True):
    """Something that happened at a moment."""

    name: str | None = None
    timestamp: str | None = None
    attributes: dict[str, Any] | None = None


class Resource(msgspec.Struct, kw_only=True):
    """What wrote the spans."""

    attributes: dict[str, Any] | None = None


class Scope(msgspec.Struct, kw_only=True):
    """The library that wrote a span, where a version of the exporter tells it."""

    name: str | None = None


class Span(msgspec.Struct, kw_only=True):
    """A span; times are ISO moments."""

    context: Context
    name: str | None = None
    kind: str | None = None
    parent_id: str | None = None
    start_time: str | None = None
    end_time: str | None = None
    status: Status | None = None
    attributes: dict[str, Any] | None = None
    events: list[Happened] | None = None
    resource: Resource | None = None
    instrumentation_scope: Scope | None = None


def matches(content: Content) -> str:
    """Return why the content is of the console exporter; empty where it is not."""
    first = next((value for _, _, value in grouped(content)), None)
    if type(first) is not dict or "start_time" not in first:
        return ""
    context = first.get("context")
    if type(context) is not dict or not {"trace_id", "span_id"} <= set(context):
        return ""
    return "objects with context.trace_id and start_time"


def read(content: Content, options: Options) -> Imported:
    """Return the call that the spans tell."""
    batch = Batch()
    for path, line, value in grouped(content):
        span = shaped(value, Span, path, line)
        batch.count += 1
        status, resource = span.status or Status(), span.resource or Resource()
        batch.spans.append(
            Raw(
                hexed(span.context.trace_id),
                hexed(span.context.span_id),
                hexed(span.parent_id),
                span.name or "",
                KINDS.get((span.kind or "").upper().removeprefix("SPANKIND."), 0),
                _moment(span.start_time, (*path, "start_time"), line),
                _moment(span.end_time, (*path, "end_time"), line),
                span.attributes or {},
                [_event(one, (*path, "events", index), line) for index, one in enumerate(span.events or ())],
                code_of(status.status_code),
                status.description or "",
                (span.instrumentation_scope.name or "") if span.instrumentation_scope is not None else "",
                resource.attributes or {},
            )
        )
    return imported(batch, "otel_console", options)


def _moment(text: str | None, path: Path, line: int) -> int | None:
    if not text or text == "None":
        return None
    found = iso_ns(text)
    if found is None:
        raise Damage(path, "must be a moment such as 2026-01-02T03:04:05.678901Z", line)
    return found


def _event(one: Happened, path: Path, line: int) -> Event:
    return Event(_moment(one.timestamp, (*path, "timestamp"), line), one.name or "", one.attributes or {})
