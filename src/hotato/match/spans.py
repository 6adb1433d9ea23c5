"""The trace as checks read it: in the order of time, by type and by tool, with one spelling per field.

A field may sit on the span or inside its `attributes`; the span wins. Arguments, results and responses that were
recorded as JSON text are decoded once, when first asked for.
"""

from __future__ import annotations

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
# names under which the same is read, the usual one first
ARGUMENTS, RESULTS = ("arguments", "args", "parameters", "input"), ("result", "output")
ENDINGS = ("termination", "call_ended", "call_terminated", "hangup")
FAILED = frozenset(
    "error errored failed failure fail cancelled canceled aborted timeout timed_out rejected declined no_answer busy".split()
)


def field(span: Span, *names: str) -> Any:
    """Return the first of the fields that is there and not null, on the span before its attributes; else None."""
    data = span.data
    for name in names:
        value = data.get(name)
        if value is not None:
            return value
    attributes = data.get("attributes")
    if type(attributes) is dict or isinstance(attributes, Mapping):
        for name in names:
            value = attributes.get(name)
            if value is not None:
                return value
    return None


def number(value: Any) -> float | int | None:
    """Return a measurement: a finite number of at least zero; None for anything else."""
    if type(value) in (int, float) and 0 <= value <= codec.LARGEST:
        return value  # type: ignore[no-any-return]  # the types were just looked at
    return None


def text(value: Any) -> str | None:
    """Return a label (a name, a reason, a digit) as text; None where there is none."""
    if type(value) is str:
        return nfc(value)
    return None if value is None or type(value) in (dict, list) else str(value)


def is_failing(status: Any) -> bool:
    """Say whether a status word means that what it describes did not come about."""
    if type(status) is not str:
        return False
    word = status.strip().lower().replace("-", "_").replace(" ", "_")
    return word.removeprefix("status_code_") in FAILED


def target(span: Span) -> str:
    """Return whom a handoff goes to, without case; empty where it does not say."""
    # a span's own name comes last: exporters put the target into the attributes of a span named "transfer"
    return (text(field(span, "to", "target") or field(span, "name")) or "").casefold()


def fell_through(span: Span) -> bool:
    """Say whether a handoff failed or was cancelled."""
    return bool(field(span, "error")) or field(span, "ok") is False or is_failing(field(span, "status"))


class Trace:
    """The spans of one call, indexed by type and by tool, each list in the order of time."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self.spans = in_order(spans)
        self._types: dict[str, list[Span]] | None = None
        self._tools: dict[str, list[Span]] | None = None
        self._arguments: dict[int, Any] = {}
        self._results: dict[int, Any] = {}
        self._errors: dict[int, str | None] = {}
        self._exchanges: list[tuple[int, dict[str, Any]]] | None = None

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

    def arguments(self, span: Span) -> Any:
        """Return what a tool was called with, `{}` where nothing was recorded; JSON text is decoded, other text stays."""
        if span.index not in self._arguments:
            found = _decoded(field(span, *ARGUMENTS))
            self._arguments[span.index] = {} if found is None else found
        return self._arguments[span.index]

    def result(self, span: Span) -> Any:
        """Return what a tool answered; JSON text of an object or a list is decoded, other text stays."""
        if span.index not in self._results:
            self._results[span.index] = _decoded(field(span, *RESULTS))
        return self._results[span.index]

    def error(self, span: Span) -> str | None:
        """Return the message of a tool call that went wrong (empty where it has none); None where it went well."""
        if span.index not in self._errors:
            self._errors[span.index] = self._error(span)
        return self._errors[span.index]

    def _error(self, span: Span) -> str | None:
        data = span.data
        if "error" in data or "status" in data or "ok" in data or "attributes" in data:
            message = _failure(span)
            if message is not None:
                return message
        result = self.result(span)
        if type(result) is dict and (result.get("isError") is True or result.get("is_error") is True):
            return _message(result.get("content"))
        return None

    @property
    def exchanges(self) -> list[tuple[int, dict[str, Any]]]:
        """Return position and content of each HTTP exchange, under one spelling: method, url, status and response.

        A status recorded as digits is a number; `response` is missing where none was recorded.
        """
        if self._exchanges is None:
            self._exchanges = [(span.index, exchange(span)) for span in self.of_type(HTTP_EXCHANGE)]
        return self._exchanges


def status(span: Span) -> Any:
    """Return the status of an HTTP exchange; one recorded as digits is a number."""
    code = field(span, "status_code", "http.status_code", "http.response.status_code")
    return int(code) if type(code) is str and code.isascii() and code.isdigit() else code


def exchange(span: Span) -> dict[str, Any]:
    """Return an HTTP exchange under one spelling, as `Trace.exchanges` has it."""
    found = {
        "method": (text(field(span, "method", "http.method", "http.request.method")) or "").strip().upper(),
        "url": text(field(span, "url", "http.url", "url.full")) or "",
        "status": status(span),
    }
    response = _decoded(field(span, "response", "response_body", "result"))
    return found if response is None else {**found, "response": response}


def _failure(span: Span) -> str | None:
    said, word, told = field(span, "error"), field(span, "status"), field(span, "error_message", "message")
    if type(word) is dict:  # as OpenTelemetry writes it: 0 unset, 1 ok, 2 error
        told = told or word.get("message")
        word = "error" if word.get("code") == 2 else word.get("code")
    if said or is_failing(word) or field(span, "ok") is False:
        return _message(said or told) or _message(told)
    return None


def _message(said: Any) -> str:
    if type(said) is str:
        return nfc(said)
    if type(said) is dict:
        inner = said.get("message") or said.get("text") or said.get("type")
        return _message(inner or list(said.values()))
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
    try:
        return number(round((span.end or 0.0) * 1000 - (span.start or 0.0) * 1000, 6))
    except OverflowError:  # an integer too large for a float beside a float
        return None
