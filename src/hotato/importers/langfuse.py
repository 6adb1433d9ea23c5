"""Langfuse: a trace with its observations, from the interface or the API.

How to get it: the download button of a trace, or `GET /api/public/traces/ID`. `input`, `output` and `metadata` may be
parsed or JSON text. The attributes that an OpenTelemetry SDK sent are kept under `metadata.attributes` and are read as
`otlp` reads them; without them an observation of the type TOOL is a tool call, and so is one whose output is the message
of a tool.

What it does not record: HTTP exchanges, unless they were traced; times finer than a millisecond. `latency` is seconds in
some files and milliseconds in others; it is taken from start and end.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.importers._assemble import imported
from hotato.importers._clock import iso_ns
from hotato.importers._importer import Content, Damage, Imported, Options, Path
from hotato.importers._payload import decoded
from hotato.importers._raw import Batch, Raw
from hotato.importers._speech import shaped

RANK = 100
_TYPES = frozenset(
    ("SPAN", "GENERATION", "TOOL", "AGENT", "CHAIN", "EVENT", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL")
)


class Observation(msgspec.Struct, kw_only=True, rename="camel"):
    """A step of a trace; times are ISO moments."""

    id: str
    type: str
    name: str | None = None
    parent_observation_id: str | None = None
    start_time: str | None = None
    end_time: str | None = None
    level: str | None = None
    status_message: str | None = None
    input: Any = None
    output: Any = None
    metadata: Any = None


def matches(content: Content) -> str:
    """Return why the content is Langfuse's; empty where it is not."""
    value = content.value
    found = value.get("observations") if type(value) is dict else None
    if type(found) is not list:
        return ""
    if type(value.get("trace")) is dict and all(type(one) is dict and "type" in one for one in found):
        return "trace and observations"
    upper = found and all(type(one) is dict and str(one.get("type")) in _TYPES and "startTime" in one for one in found)
    return "observations with startTime and a type" if upper else ""


def read(content: Content, options: Options) -> Imported:
    """Return the call that the observations tell."""
    value = content.value
    if type(value) is not dict or type(value.get("observations")) is not list:
        raise Damage(("observations",), "must be a list")
    batch = Batch()
    for index, one in enumerate(value["observations"]):
        path: Path = ("observations", index)
        batch.spans.append(_raw(shaped(one, Observation, path), path))
        batch.count += 1
    made = imported(batch, "langfuse", options)
    trace = value.get("trace")
    session = (trace if type(trace) is dict else value).get("sessionId")
    if made.call_id is None and type(session) is str:
        made.call_id = session
    return made


def _raw(one: Observation, path: Path) -> Raw:
    metadata = _plain(one.metadata)
    inner = _plain(metadata.get("attributes")) if type(metadata) is dict else None
    attrs: dict[str, Any] = dict(inner) if type(inner) is dict else {}
    scope = _plain(metadata.get("scope")) if type(metadata) is dict else None
    output = _plain(one.output)
    is_message = type(output) is dict and output.get("type") == "tool" and "tool_call_id" in output
    kind = "tool" if is_message and one.type == "SPAN" else one.type.lower()
    attrs["langfuse.observation.type"] = kind
    attrs["langfuse.observation.input"] = _plain(one.input)
    attrs["langfuse.observation.output"] = output
    if is_message and type(output.get("name")) is str and output["name"]:
        attrs.setdefault("gen_ai.tool.name", output["name"])
    name = scope.get("name") if type(scope) is dict else None
    return Raw(
        "",
        one.id,
        one.parent_observation_id or "",
        one.name or "",
        0,
        _moment(one.start_time, (*path, "startTime")),
        _moment(one.end_time, (*path, "endTime")),
        attrs,
        [],
        2 if one.level == "ERROR" else 0,
        one.status_message or "",
        name if type(name) is str else "",
        {},
    )


def _plain(value: Any) -> Any:
    """Return a value that some exports write as JSON text."""
    return decoded(value) if type(value) is str and value.lstrip()[:1] in ("{", "[", '"') else value


def _moment(text: str | None, path: Path) -> int | None:
    if not text:
        return None
    found = iso_ns(text)
    if found is None:
        raise Damage(path, "must be a moment such as 2026-01-02T03:04:05.678Z")
    return found
