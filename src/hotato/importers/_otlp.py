"""OTLP in JSON, in every wrapping that tools put around it, as spans and log records.

The loop over spans takes what is right at full speed; where anything is of a wrong type, the span is walked again, slowly,
to name the place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hotato.importers._ids import hexed
from hotato.importers._importer import Damage, Path
from hotato.importers._notes import Lost
from hotato.importers._otlp_typed import CODES, KINDS_NAMED, Spans
from hotato.importers._raw import Batch, Event, Log, Raw

SPANS = ("resourceSpans", "resource_spans", "batches")
LOGS = ("resourceLogs", "resource_logs")
_WRAPPED = (("trace",), ("result",), ("data", "otlp_traces"), ("otlp_traces",), ("data",))
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans")
_LOG_SCOPES = ("scopeLogs", "scope_logs", "instrumentationLibraryLogs")
_SCOPE = ("scope", "instrumentationLibrary", "instrumentation_library")
_VALUES = ("stringValue", "boolValue", "intValue", "doubleValue", "bytesValue", "arrayValue", "kvlistValue")
_SNAKE = {f"{name[:-5]}_value": name for name in _VALUES}
_MOST_NANO = 2**64
_FAULTS = (TypeError, AttributeError, KeyError, ValueError, OverflowError, RecursionError)


def wrapped(value: Any) -> tuple[Path, dict[str, Any]] | None:
    """Return the object that holds the export request of a value, and the way to it; None where there is none."""
    if type(value) is not dict:
        return None
    for path in ((), *_WRAPPED):
        inner: Any = value
        for name in path:
            inner = inner.get(name) if type(inner) is dict else None
        if type(inner) is dict and any(name in inner for name in (*SPANS, *LOGS)):
            return path, inner
    return None


def read_request(value: Any, path: Path, batch: Batch) -> None:
    """Add the spans and log records of one export request to a batch. Raise Damage with the way from `path`."""
    found = wrapped(value)
    if found is None:
        raise Damage(path, "must be an object with resourceSpans")
    way, request = found
    for name in SPANS:
        for at, entry in _listed(request, name, (*path, *way)):
            _resource_spans(entry, at, batch)
    for name in LOGS:
        for at, entry in _listed(request, name, (*path, *way)):
            _resource_logs(entry, at, batch)


def _listed(value: dict[str, Any], name: str, path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    entries = value.get(name)
    if entries is None:
        return
    if type(entries) is not list:
        raise Damage((*path, name), "must be a list")
    for index, entry in enumerate(entries):
        if type(entry) is not dict:
            raise Damage((*path, name, index), "must be an object")
        yield (*path, name, index), entry


def _resource(entry: dict[str, Any], path: Path, lost: Lost) -> dict[str, Any]:
    resource = entry.get("resource")
    if resource is None:
        return {}
    if type(resource) is not dict:
        raise Damage((*path, "resource"), "must be an object")
    return _careful_attributes(resource.get("attributes"), (*path, "resource", "attributes"), lost)


def _scope_name(entry: dict[str, Any], path: Path) -> str:
    for name in _SCOPE:
        scope = entry.get(name)
        if scope is not None:
            if type(scope) is not dict:
                raise Damage((*path, name), "must be an object")
            found = scope.get("name")
            return found if type(found) is str else ""
    return ""


def _resource_spans(entry: dict[str, Any], path: Path, batch: Batch) -> None:
    resource = _resource(entry, path, batch.lost)
    for name in _SCOPES:
        for at, scoped in _listed(entry, name, path):
            scope = _scope_name(scoped, at)
            spans = scoped.get("spans")
            if spans is None:
                continue
            if type(spans) is not list:
                raise Damage((*at, "spans"), "must be a list")
            batch.count += len(spans)
            made = Spans(nano, any_value).read(spans, scope, resource, batch.lost)
            if made is not None:
                batch.spans += made
                continue
            add = batch.spans.append
            lost = batch.lost
            index = 0
            try:
                for index, span in enumerate(spans):  # noqa: B007  # the place, where one is damaged
                    add(_span(span, scope, resource, lost))
            except _FAULTS:
                _explain(spans[index], (*at, "spans", index))


def _span(span: dict[str, Any], scope: str, resource: dict[str, Any], lost: Lost) -> Raw:
    get = span.get
    if "startTimeUnixNano" in span or "traceId" in span:
        trace, own, parent = get("traceId"), get("spanId"), get("parentSpanId")
        start, end = get("startTimeUnixNano"), get("endTimeUnixNano")
    else:
        trace, own, parent = get("trace_id"), get("span_id"), get("parent_span_id")
        start, end = get("start_time_unix_nano"), get("end_time_unix_nano")
    status = get("status")
    code, message = 0, ""
    if status:
        code = CODES.get(status.get("code"), 0)
        message = status.get("message") or ""
        if type(message) is not str:
            raise TypeError
    name = get("name") or ""
    if type(name) is not str:
        raise TypeError
    events = get("events")
    dropped = get("droppedAttributesCount") or get("dropped_attributes_count")
    if type(dropped) is int:
        lost["attributes_dropped"] += dropped
    kind = get("kind", 0)
    return Raw(
        hexed(trace),
        hexed(own),
        hexed(parent),
        name,
        kind if type(kind) is int else KINDS_NAMED.get(kind, 0),
        int(start) if type(start) is str and start.isdecimal() and start != "0" and len(start) < 20 else nano(start),
        int(end) if type(end) is str and end.isdecimal() and end != "0" and len(end) < 20 else nano(end),
        attributes(get("attributes"), lost),
        [_event(event, lost) for event in events] if events else [],
        code,
        message,
        scope,
        resource,
    )


def _event(event: dict[str, Any], lost: Lost) -> Event:
    at = event.get("timeUnixNano")
    name = event.get("name") or ""
    if type(name) is not str:
        raise TypeError
    return Event(
        nano(event.get("time_unix_nano") if at is None else at), name, attributes(event.get("attributes"), lost)
    )


def nano(value: Any) -> int | None:
    """Return a moment in nanoseconds; None where there is none. Raise ValueError for what is no moment.

    Text of digits, a number, or the two halves that some JavaScript tools write.
    """
    if type(value) is str:
        if not value:
            return None
        if not (value.isascii() and value.isdecimal() and len(value) <= 20):
            raise ValueError
        value = int(value)
    elif type(value) is dict:
        low, high = value["low"], value["high"]
        if type(low) is not int or type(high) is not int:
            raise ValueError
        value = ((high & 0xFFFFFFFF) << 32) | (low & 0xFFFFFFFF)
    elif type(value) is float and value.is_integer():
        value = int(value)
    elif value is None:
        return None
    elif type(value) is not int:
        raise ValueError
    if not 0 <= value < _MOST_NANO:
        raise ValueError
    return value or None


def attributes(pairs: Any, lost: Lost) -> dict[str, Any]:
    """Return attributes by key. Raise TypeError, KeyError, AttributeError or ValueError for what are none."""
    if not pairs:
        return {}
    if type(pairs) is dict:  # already flat, as some tools dump them
        return pairs
    found: dict[str, Any] = {}
    for pair in pairs:
        value = pair.get("value")
        held = value.get("stringValue") if value else None
        if value and type(held) is not str:
            held = value.get("intValue")
            held = int(held) if type(held) is str and len(held) < 20 else any_value(value)
        found[pair.get("key", "")] = held
    "".join(found)  # a key that is no text raises TypeError
    if len(found) != len(pairs):
        lost["attribute_repeated"] += len(pairs) - len(found)
    return found


def any_value(value: Any) -> Any:
    """Return what an OTLP value says: whole numbers as such however written, NaN as text, bytes as base64."""
    if not value:
        return None
    ((kind, held),) = value.items()
    kind = _SNAKE.get(kind, kind)
    if kind == "intValue":
        if type(held) is float and held.is_integer():
            return int(held)
        if type(held) is str and len(held) <= 20:
            return int(held)
        if type(held) is not int:
            raise ValueError
        return held
    if kind == "doubleValue":
        if type(held) in (int, float):
            return float(held)
        if held in ("NaN", "Infinity", "-Infinity"):
            return held
        return float(held) if type(held) is str and "n" not in held.lower() else _refuse()
    if kind in ("stringValue", "bytesValue"):
        return held if type(held) is str else _refuse()
    if kind == "boolValue":
        return held if type(held) is bool else _refuse()
    if kind == "arrayValue":
        return [any_value(item) for item in (held or {}).get("values") or ()]
    if kind == "kvlistValue":
        pairs = (held or {}).get("values") or ()
        found = {pair.get("key", ""): any_value(pair.get("value")) for pair in pairs}
        "".join(found)
        return found
    return None  # a type of a later version


def _refuse() -> Any:
    raise ValueError


def _careful_attributes(pairs: Any, path: Path, lost: Lost) -> dict[str, Any]:
    try:
        found = attributes(pairs, lost)
        if type(pairs) in (list, dict, type(None)) and all(type(key) is str for key in found):
            return found
    except _FAULTS:
        pass
    _explain_attributes(pairs, path)
    raise Damage(path, "must be a list of keys and values")


def _explain_attributes(pairs: Any, path: Path) -> None:
    if type(pairs) is not list:
        raise Damage(path, "must be a list of keys and values")
    for index, pair in enumerate(pairs):
        if type(pair) is not dict or type(pair.get("key", "")) is not str:  # an empty key may be left out
            raise Damage((*path, index), "must be an object with a key")
        try:
            any_value(pair.get("value"))
        except _FAULTS:
            raise Damage((*path, index, "value"), "is no value as OTLP writes it") from None


def _explain(span: Any, path: Path) -> None:
    """Raise Damage with the place of what is wrong in a span that could not be read."""
    if type(span) is not dict:
        raise Damage(path, "must be an object")
    status = span.get("status")
    if status and type(status) is not dict:
        raise Damage((*path, "status"), "must be an object")
    if status and (type(status.get("message") or "") is not str or type(status.get("code")) in (dict, list)):
        raise Damage((*path, "status"), "must hold a code and a message")
    for name in ("name", "kind"):
        if type(span.get(name)) in ((dict, list) if name == "kind" else (dict, list, int, float, bool)):
            raise Damage((*path, name), "must be text")
    _explain_times(span, path)
    if span.get("attributes"):
        _explain_attributes(span["attributes"], (*path, "attributes"))
    events = span.get("events") or []
    if type(events) is not list:
        raise Damage((*path, "events"), "must be a list")
    for index, event in enumerate(events):
        at = (*path, "events", index)
        if type(event) is not dict or type(event.get("name") or "") is not str:
            raise Damage(at, "must be an object with a name")
        _explain_times(event, at)
        if event.get("attributes"):
            _explain_attributes(event["attributes"], (*at, "attributes"))
    raise Damage(path, "is no span as OTLP writes it")


def _explain_times(holder: dict[str, Any], path: Path) -> None:
    for name, value in holder.items():
        if name.endswith(("UnixNano", "_unix_nano")):
            try:
                nano(value)
            except _FAULTS:
                raise Damage((*path, name), "must be nanoseconds since 1970, as digits or a number") from None


def _resource_logs(entry: dict[str, Any], path: Path, batch: Batch) -> None:
    resource = _resource(entry, path, batch.lost)
    for name in _LOG_SCOPES:
        for at, scoped in _listed(entry, name, path):
            scope = _scope_name(scoped, at)
            for records in ("logRecords", "log_records", "logs"):
                for place, record in _listed(scoped, records, at):
                    log = _log(record, place, batch.lost)
                    if log is not None:
                        log.scope, log.resource = scope, resource
                        batch.logs.append(log)


def _log(record: dict[str, Any], path: Path, lost: Lost) -> Log | None:
    """Return a record that says something of a conversation with a model; None for any other."""
    attrs = _careful_attributes(record.get("attributes"), (*path, "attributes"), lost)
    name = record.get("eventName") or record.get("event_name") or attrs.get("event.name")
    if type(name) is not str or not name.startswith("gen_ai."):
        return None
    try:
        at = next(
            (
                found
                for field in ("timeUnixNano", "time_unix_nano", "observedTimeUnixNano", "observed_time_unix_nano")
                if (found := nano(record.get(field))) is not None
            ),
            None,
        )
    except _FAULTS:
        _explain_times(record, path)
        raise Damage(path, "is no log record as OTLP writes it") from None
    try:
        body = any_value(record.get("body"))
    except _FAULTS:
        raise Damage((*path, "body"), "is no value as OTLP writes it") from None
    trace, span = record.get("traceId", record.get("trace_id")), record.get("spanId", record.get("span_id"))
    return Log(hexed(trace), hexed(span), name, at, attrs, body)
