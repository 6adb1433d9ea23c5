"""Jaeger: traces as its user interface, its API and its Elasticsearch storage write them.

How to get it: "Download results" or "Trace JSON" in the interface, or `GET /api/traces/ID`; from Elasticsearch, the spans
with their `process` inline. The newer `GET /api/v3/traces` gives OTLP and is read as `otlp`.

What is read in the spans is what `otlp` reads. What it does not record: times finer than a microsecond; whether a span
ended. An id that stands twice is one span.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.importers._assemble import imported
from hotato.importers._clock import US, number_ns
from hotato.importers._ids import hexed
from hotato.importers._importer import Content, Damage, Imported, Options, Path
from hotato.importers._otel_shapes import code_of, grouped, typed
from hotato.importers._raw import KINDS, Batch, Event, Raw, is_true
from hotato.importers._speech import shaped

RANK = 70
_SCOPES = ("otel.scope.name", "otel.library.name")
_OWN = frozenset(("otel.status_code", "otel.status_description", "span.kind", *_SCOPES))


def _named(field: str) -> str:
    """Return a field's name as Jaeger writes it: `spanID` for `span_id`."""
    first, *others = field.split("_")
    return first + "".join("ID" if part == "id" else part.title() for part in others)


class Tag(msgspec.Struct, kw_only=True):
    """A key, its type and its value."""

    key: str
    type: str | None = None
    value: Any = None


class Log(msgspec.Struct, kw_only=True):
    """Something that happened at a moment, in microseconds."""

    timestamp: int | float | str | None = None
    fields: list[Tag] | None = None


class Reference(msgspec.Struct, kw_only=True, rename=_named):
    """Another span that this one belongs to."""

    ref_type: str | None = None
    trace_id: str | None = None
    span_id: str | None = None


class Process(msgspec.Struct, kw_only=True, rename=_named):
    """The service that wrote a span."""

    service_name: str | None = None
    tags: list[Tag] | None = None


class Span(msgspec.Struct, kw_only=True, rename=_named):
    """A span; `startTime` and `duration` are in microseconds."""

    trace_id: str
    span_id: str
    operation_name: str = ""
    parent_span_id: str | None = None
    references: list[Reference] | None = None
    start_time: int | float | str | None = None
    duration: int | float | str | None = None
    tags: list[Tag] | None = None
    tag: dict[str, Any] | None = None
    logs: list[Log] | None = None
    process_id: str | None = None
    process: Process | None = None


def matches(content: Content) -> str:
    """Return why the content is Jaeger's; empty where it is not."""
    value = content.values[0] if content.values else None
    if type(value) is dict and type(value.get("data")) is list:
        traces = [one for one in value["data"] if type(one) is dict]
        if any("traceID" in one and type(one.get("spans")) is list for one in traces):
            return "data with traceID and spans"
        return "an answer of its API with no trace" if not value["data"] and {"total", "errors"} <= set(value) else ""
    if type(value) is dict and "processes" in value and type(value.get("spans")) is list:
        return "spans and processes"
    first = value[0] if type(value) is list and value else value
    if type(first) is dict and {"traceID", "spanID", "operationName"} <= set(first):
        return "spans with traceID and operationName"
    return ""


def read(content: Content, options: Options) -> Imported:
    """Return the call that the spans tell."""
    batch = Batch()
    for path, line, value in grouped(content):
        if type(value) is dict and "data" in value:
            traces = typed(value["data"], list, (*path, "data"), line)
            for index, trace in enumerate(traces):
                _trace(trace, (*path, "data", index), line, batch)
        elif type(value) is dict and "spans" in value:
            _trace(value, path, line, batch)
        else:
            _span(value, {}, path, line, batch)
    return imported(batch, "jaeger", options)


def _trace(trace: Any, path: Path, line: int, batch: Batch) -> None:
    typed(trace, dict, path, line)
    told = typed(trace.get("processes") or {}, dict, (*path, "processes"), line)
    processes = {
        name: _resource(shaped(process, Process, (*path, "processes", name), line)) for name, process in told.items()
    }
    for index, span in enumerate(typed(trace.get("spans") or [], list, (*path, "spans"), line)):
        _span(span, processes, (*path, "spans", index), line, batch)


def _resource(process: Process) -> dict[str, Any]:
    named = {} if process.service_name is None else {"service.name": process.service_name}
    return {**named, **_tagged(process.tags)}


def _tagged(tags: list[Tag] | None) -> dict[str, Any]:
    return {tag.key: _value(tag) for tag in tags or ()}


def _value(tag: Tag) -> Any:
    value, kind = tag.value, (tag.type or "").lower()
    if kind == "bool" and type(value) is str:
        return is_true(value)
    if kind == "int64" and type(value) is str:
        return int(value) if value.lstrip("-").isdecimal() and len(value) <= 20 else value
    if kind == "float64" and type(value) in (str, int):
        found = number_ns(value, 1)
        return value if found is None else float(value)
    return value


def _span(value: Any, processes: dict[str, dict[str, Any]], path: Path, line: int, batch: Batch) -> None:
    span = shaped(value, Span, path, line)
    batch.count += 1
    attrs = {name.replace("@", "."): held for name, held in (span.tag or {}).items()}
    attrs.update(_tagged(span.tags))
    start = _micro(span.start_time, (*path, "startTime"), line)
    taken = _micro(span.duration, (*path, "duration"), line)
    code = code_of(attrs.get("otel.status_code"))
    if not code and is_true(attrs.get("error")):
        code = 2
    message = attrs.get("otel.status_description")
    kind = attrs.get("span.kind")
    scope = next((attrs[name] for name in _SCOPES if type(attrs.get(name)) is str), "")
    process = span.process
    batch.spans.append(
        Raw(
            hexed(span.trace_id),
            hexed(span.span_id),
            hexed(_parent(span)),
            span.operation_name,
            KINDS.get(kind.upper(), 0) if type(kind) is str else 0,
            start,
            None if start is None or taken is None else start + taken,
            {name: held for name, held in attrs.items() if name not in _OWN and (name != "error" or type(held) is str)},
            [_event(log, (*path, "logs", index), line) for index, log in enumerate(span.logs or ())],
            code,
            message if type(message) is str else "",
            scope,
            _resource(process) if process is not None else processes.get(span.process_id or "", {}),
        )
    )


def _parent(span: Span) -> str | None:
    for reference in span.references or ():
        same = reference.trace_id is None or hexed(reference.trace_id) == hexed(span.trace_id)
        if reference.ref_type == "CHILD_OF" and same:
            return reference.span_id
    return span.parent_span_id


def _micro(value: Any, path: Path, line: int) -> int | None:
    if value is None:
        return None
    found = number_ns(value, US)
    if found is None or found < 0:
        raise Damage(path, "must be a number of microseconds", line)
    return found


def _event(log: Log, path: Path, line: int) -> Event:
    fields = _tagged(log.fields)
    name = fields.pop("event", None) or fields.pop("name", None)
    return Event(_micro(log.timestamp, (*path, "timestamp"), line), name if type(name) is str else "", fields)
