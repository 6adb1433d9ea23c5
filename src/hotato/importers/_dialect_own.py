"""Spans and events that carry the name of one of hotato's own types: what they say is taken as it is."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from hotato.importers._dialect_http import fields as exchange_fields
from hotato.importers._dialect_tools import failure
from hotato.importers._out import Out, of_raw
from hotato.importers._raw import Raw

ENDINGS = ("termination", "call_ended", "call_terminated", "hangup")
TYPES = frozenset(
    (
        "tool_call", "http_exchange", "handoff", "dtmf", *ENDINGS, "asr_partial", "caller_audio_active",
        "agent_audio_active",
    )
)  # fmt: skip
_HTTP = {"method": "http.request.method", "url": "url.full", "status_code": "http.response.status_code"}
_TAKEN = frozenset((*_HTTP.values(), "http.method", "http.url", "http.status_code", "error.type"))
_RESERVED = frozenset(("type", "name", "start_sec", "end_sec", "time_sec", "time_inferred", "attributes"))


@lru_cache(1024)
def type_of(name: str) -> str:
    """Return the type that a name is plainly; empty for any other name."""
    if name in TYPES:
        return name
    lowered = name.lower() if len(name) < 24 else ""
    return lowered if lowered in TYPES else ""


def read(raw: Raw, kind: str) -> Out:
    """Return what a span of one of the own types says; a tool call is read by `_dialect_tools`."""
    data = _fields(raw.attrs, kind)
    if kind == "http_exchange":
        plain = {new: raw.attrs[old] for old, new in _HTTP.items() if raw.attrs.get(old) is not None}
        told = exchange_fields(Raw(**{**_shallow(raw), "attrs": {**raw.attrs, **plain}}))
        data = {**told, **{key: value for key, value in data.items() if key not in _HTTP}}
        if told["method"] == "NONE":
            del data["method"]
    else:
        error, error_type = failure(raw)
        if error is not None:
            data.setdefault("error", error)
        if error_type is not None:
            data.setdefault("error_type", error_type)
    return of_raw(kind, raw, data)


def beside(raw: Raw, consumed: frozenset[str]) -> dict[str, Any]:
    """Return what a tool call of the own type says beside what is known of tool calls."""
    return _fields({key: value for key, value in raw.attrs.items() if key not in consumed}, "tool_call")


def events(raw: Raw) -> list[Out]:
    """Return the events of a span that carry the name of an own type."""
    made = []
    for event in raw.events:
        kind = type_of(event.name)
        if kind and kind != "tool_call":
            out = Out(type=kind, data=_fields(event.attrs, kind), start=event.at, raw=raw, is_instant=True)
            made.append(out)
    return made


def _shallow(raw: Raw) -> dict[str, Any]:
    return {name: getattr(raw, name) for name in raw.__struct_fields__}


def _fields(attrs: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return plain names as fields of the span and dotted ones under `attributes`."""
    data: dict[str, Any] = {}
    inner: dict[str, Any] = {}
    for key, value in attrs.items():
        if value is None or key in _TAKEN:
            continue
        if "." in key:
            inner[key] = value
        elif key not in _RESERVED or (key == "name" and type(value) is str and kind == "handoff"):
            data[key] = value
    return {**data, "attributes": inner} if inner else data
