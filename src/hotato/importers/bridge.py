"""hotato's flat spans: one JSON object a line, `{type, start_sec, end_sec | time_sec, name, ...}`, seconds from the start.

How to get it: write one line for each event of a call from your own code, such as
`{"type": "tool_call", "name": "refund", "start_sec": 4.2, "end_sec": 5.0, "arguments": {"order": "A-1"}}`; a first line
`{"_meta": true, "schema": "hotato.voice_trace.v1", "call_id": "c-1"}` is free. `hotato trace export --format otel` writes it.

Fields go through as they are, and a file that hotato wrote comes back unchanged. What it does not record is what you do
not write; a file of the meta line alone is a call in which nothing happened.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.importers._clock import in_time
from hotato.importers._dialect_own import TYPES
from hotato.importers._importer import Content, Damage, Imported, Options
from hotato.importers._meta import Source, checked_meta
from hotato.importers._payload import identifier, some
from hotato.importers._roles import unused
from hotato.importers._speech import shaped
from hotato.model.call import SECONDS, is_time

RANK = 45
GIVES = ("trace",)
SCHEMA = "hotato.voice_trace.v1"
_TIMES = ("start_sec", "end_sec", "time_sec")


class Span(msgspec.Struct, kw_only=True):
    """What must be right about a span; seconds."""

    type: str
    name: str | None = None
    start_sec: int | float | None = None
    end_sec: int | float | None = None
    time_sec: int | float | None = None
    attributes: dict[str, Any] | None = None


class Deployment(msgspec.Struct, kw_only=True):
    """Which agent it was."""

    stack: str | None = None
    agent_id: str | None = None


class Meta(msgspec.Struct, kw_only=True):
    """The meta line."""

    schema: str | None = None
    call_id: str | int | None = None
    deployment: Deployment | None = None
    source: Source | None = None


def is_meta(value: Any) -> bool:
    """Say whether a line is the meta line of a trace."""
    return type(value) is dict and (value.get("_meta") is True or value.get("schema") == SCHEMA) and "type" not in value


def matches(content: Content) -> str:
    """Return why the content is flat spans; empty where it is not."""
    values = content.values
    if values and is_meta(values[0]):
        return f"a meta line of {SCHEMA}"
    looked = [one for one in values[:50] if not is_meta(one)]
    if not looked or not all(type(one) is dict and type(one.get("type")) is str for one in looked):
        return ""
    for one in looked:
        if "." not in one["type"] and (one["type"] in TYPES or any(type(one.get(t)) in (int, float) for t in _TIMES)):
            return "lines with a type and start_sec, end_sec or time_sec"
    return ""


def read(content: Content, options: Options) -> Imported:
    """Return the spans as they stand, in the order of time."""
    spans: list[dict[str, Any]] = []
    made = Imported(format="bridge")
    for index, value in enumerate(content.values):
        path, line = (index,), content.lines[index]
        if is_meta(value):
            if index:
                raise Damage(path, "a second meta line: two traces in one file are two calls", line)
            meta = shaped(value, Meta, path, line)
            if meta.schema not in (None, SCHEMA):
                raise Damage((*path, "schema"), f"the trace is of another schema; {SCHEMA} is read", line)
            _head(made, meta, value, line)
        else:
            spans.append(_span(value, path, line))
    made.notes += unused(options.roles, ())  # spans have no speakers
    made.spans = in_time(spans)
    source = made.meta.get("source")
    if type(source) is not dict or "input_span_count" not in source:
        made.meta = {**made.meta, "source": {"format": "bridge", "input_span_count": len(spans), **(source or {})}}
    return made


def _head(made: Imported, meta: Meta, value: dict[str, Any], line: int) -> None:
    checked_meta(value, (0,), line)
    made.meta = dict(value)
    made.call_id = identifier(meta.call_id)
    if meta.deployment is not None:
        made.stack, made.agent_id = some(meta.deployment.stack), some(meta.deployment.agent_id)
    if meta.source is not None:
        made.captures, made.notes = dict(meta.source.captures or {}), list(meta.source.notes or [])


def _span(value: Any, path: tuple[str | int, ...], line: int) -> dict[str, Any]:
    span = shaped(value, Span, path, line)
    for name in _TIMES:
        time = value.get(name)
        if not is_time(time):
            raise Damage((*path, name), f"must be {SECONDS}", line)
    named = {**(span.attributes or {}), **value}
    if span.type == "tool_call" and not any(type(named.get(name)) is str for name in ("name", "tool_name")):
        raise Damage((*path, "name"), "a tool call needs the name of its tool", line)
    if not span.type:
        raise Damage((*path, "type"), "a span needs a type, such as tool_call or http_exchange", line)
    return value  # type: ignore[no-any-return]  # an object: it was just read as one
