"""The trace as checks read it: in the order of time, by type and by tool, with one spelling per field.

A field may sit on the span or inside its `attributes`; the span wins. Arguments, results and responses that were
recorded as JSON text are decoded once, when first asked for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from hotato.match.order import in_order
from hotato.match.text import nfc
from hotato.model import codec
from hotato.model.call import Span

TOOL_CALL = "tool_call"
HTTP_EXCHANGE = "http_exchange"
HANDOFF = "handoff"
DTMF = "dtmf"
ENDINGS = ("termination", "call_ended", "call_terminated", "hangup")
FAILED = frozenset(
    "error errored failed failure fail cancelled canceled aborted timeout timed_out rejected declined no_answer busy".split()
)

_ABSENT: Any = object()


def field(span: Span, *names: str) -> Any:
    """Return the first of the fields that is there and not null, on the span before its attributes; else None."""
    data = span.data
    for name in names:
        value = data.get(name)
        if value is not None:
            return value
    attributes = data.get("attributes")
    if type(attributes) is dict:
        for name in names:
            value = attributes.get(name)
            if value is not None:
                return value
    return None


def number(value: Any) -> float | int | None:
    """Return a measurement: a finite number of at least zero; None for anything else."""
    if type(value) in (int, float) and value >= 0 and math.isfinite(value):
        return value  # type: ignore[no-any-return]  # the types were just looked at
    return None


def text(value: Any) -> str | None:
    """Return a label (a name, a reason, a digit) as text; None where there is none."""
    if type(value) is str:
        return nfc(value)
    return None if value is None or type(value) in (dict, list) else str(value)


def is_failing(status: Any) -> bool:
    """Say whether a status word means that what it describes did not come about."""
    return type(status) is str and status.strip().lower().replace("-", "_").replace(" ", "_") in FAILED


class Trace:
    """The spans of one call, indexed by type and by tool, each list in the order of time."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self.spans = in_order(spans)
        self._types: dict[str, list[Span]] | None = None
        self._tools: dict[str, list[Span]] | None = None
        self._payloads: dict[tuple[int, str], Any] = {}

    def __len__(self) -> int:
        """Return how many spans there are."""
        return len(self.spans)

    def of_type(self, *types: str) -> list[Span]:
        """Return the spans of these types, in the order of time."""
        if self._types is None:
            self._types = {}
            for span in self.spans:
                self._types.setdefault(span.type, []).append(span)
        if len(types) == 1:
            return self._types.get(types[0], [])
        wanted = frozenset(types)
        return [span for span in self.spans if span.type in wanted]

    def calls(self, tool: str) -> list[Span]:
        """Return the calls of one tool, in the order of time."""
        if self._tools is None:
            self._tools = {}
            for span in self.of_type(TOOL_CALL):
                if span.name is not None:
                    self._tools.setdefault(span.name, []).append(span)
        return self._tools.get(tool, [])

    def payload(self, span: Span, *names: str) -> Any:
        """Return a field that holds data; JSON text of an object or a list is decoded, other text stays."""
        key = (span.index, names[0])
        found = self._payloads.get(key, _ABSENT)
        if found is _ABSENT:
            found = self._payloads[key] = _decoded(field(span, *names))
        return found

    def arguments(self, span: Span) -> Any:
        """Return what a tool was called with."""
        return self.payload(span, "arguments", "args", "parameters", "input")

    def result(self, span: Span) -> Any:
        """Return what a tool answered."""
        return self.payload(span, "result", "output")

    def error(self, span: Span) -> str | None:
        """Return the message of a tool call that went wrong (empty where it has none); None where it went well."""
        said = field(span, "error")
        if said:
            return _message(said)
        status = field(span, "status")
        if is_failing(status) or (isinstance(status, Mapping) and is_failing(status.get("code"))):
            return text(field(span, "error_message", "message")) or ""
        if field(span, "ok") is False:
            return text(field(span, "error_message", "message")) or ""
        result = self.result(span)
        if type(result) is dict and (result.get("isError") is True or result.get("is_error") is True):
            return _message(result.get("content"))
        return None


def _message(said: Any) -> str:
    if type(said) is str:
        return nfc(said)
    if type(said) is dict:
        inner = said.get("message") or said.get("text") or said.get("type")
        return _message(inner) if inner else ""
    if type(said) is list:
        return " ".join(part for part in map(_message, said) if part)
    return "" if said is True or said is None else str(said)


def _decoded(value: Any) -> Any:
    if type(value) is str and value.lstrip()[:1] in ("{", "["):
        try:
            return codec.decode(value)
        except codec.JsonError:
            return value
    return value


def duration_ms(span: Span) -> float | int | None:
    """Return how long a span took, in milliseconds: its `latency_ms`, else end minus start; None where not measured."""
    given = field(span, "latency_ms")
    if given is not None:
        return number(given)
    if number(span.start) is None or number(span.end) is None:
        return None
    return number(round((span.end or 0.0) * 1000 - (span.start or 0.0) * 1000, 6))
