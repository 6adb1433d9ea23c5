"""Changes of what was done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from hotato.match.order import in_order
from hotato.match.spans import ARGUMENTS, HANDOFF, HTTP_EXCHANGE, TOOL_CALL, duration_ms
from hotato.model import codec
from hotato.model.call import Call, Span
from hotato.probe.mutate_call import LATER, Change, Clock, early, late, of_spans, swapped, with_value, without
from hotato.probe.mutate_words import Words

_RESULTS = ("result", "output", "response", "response_body")
_NOT_FIELDS = frozenset(
    "type name start end start_sec end_sec time_sec latency_ms seq time_inferred error error_message message".split()
)
_SIGNS_OF_FAILURE = ("error", "error_message", "status", "ok")
_CAN_FAIL = (TOOL_CALL, HTTP_EXCHANGE, HANDOFF)
_Make = Callable[[Sequence[Span]], Sequence[Span]]
_Path = tuple[str | int, ...]


def of_deeds(call: Call, words: Words, clock: Clock) -> Iterator[Change]:
    """Yield every change of the trace."""
    spans = call.spans or ()
    for place, span in enumerate(spans):
        yield from _of_span(place, span, words, clock)
    ordered = in_order(spans)
    for first, then in pairwise(ordered):
        yield _change("events_swapped", partial(_swapped, first.index, then.index), first.index)
    for tool in dict.fromkeys(span.name for span in spans if span.type == TOOL_CALL and span.name is not None):
        yield _change("calls_dropped", partial(_without_tool, tool))
    for kind in dict.fromkeys(span.type for span in spans):
        yield _change("events_dropped", partial(_without_type, kind))
    for event in words.done:
        span = Span(0, event["type"], event.get("name"), None, None, event)
        what = "call_added" if span.type == TOOL_CALL else "event_added"
        for put in (early, late):
            yield _change(what, partial(_added, put, clock, span, 1))
        if words.most > 1:
            yield _change(what, partial(_added, late, clock, span, words.most))


def _of_span(place: int, span: Span, words: Words, clock: Clock) -> Iterator[Change]:
    is_call = span.type == TOOL_CALL
    yield _change("call_dropped" if is_call else "event_dropped", partial(_without, place), place)
    if span.name is not None:
        named = replace(span, name=f"{span.name}_other", data={**span.data, "name": f"{span.name}_other"})
        yield _change("tool_renamed" if is_call else "event_renamed", partial(_with, place, named), place)
    for what, data in _fields(span.data, words.values):
        yield _change(what, partial(_with, place, replace(span, data=data)), place)
    if span.type in _CAN_FAIL:
        yield _change("made_to_fail", partial(_with, place, replace(span, data=_failed(span.data, span.type))), place)
        yield _change("made_to_succeed", partial(_with, place, replace(span, data=_succeeded(span.data))), place)
    slow = {**span.data, "latency_ms": (duration_ms(span) or 0) + LATER * 1000}
    end = None if span.start is None else (span.start if span.end is None else span.end) + LATER
    yield _change("slowed", partial(_with, place, replace(span, end=end, data=slow)), place)
    for times in sorted({1, words.most}):
        yield _change("call_repeated" if is_call else "event_repeated", partial(_repeated, place, times), place)
    for put in (early, late):
        yield _change("event_moved", partial(_moved, place, put, clock), place)


def _change(what: str, make: _Make, span: int | None = None) -> Change:
    return Change(what, ("trace",), lambda call: of_spans(call, make(call.spans or ())), span=span)


def _fields(data: Mapping[str, Any], values: Mapping[str, list[Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the record with one field other than it was, for every field, and what sort of change that is."""
    opened = _opened(dict(data))
    attributes = opened.get("attributes")
    for key in opened:
        if key != "attributes" and key not in _NOT_FIELDS:
            yield from _of_field(opened, (key,), values)
    for key in attributes if isinstance(attributes, dict) else ():
        yield from _of_field(opened, ("attributes", key), values)


def _of_field(
    data: dict[str, Any], path: tuple[str, ...], values: Mapping[str, list[Any]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    noun = "argument" if path[-1] in ARGUMENTS else "result" if path[-1] in _RESULTS else "field"
    value = data["attributes"][path[-1]] if path[0] == "attributes" else data[path[0]]
    for inside, leaf in leaves(value):
        name = next((step for step in reversed((*path, *inside)) if isinstance(step, str)), "")
        yield f"{noun}_dropped", without(data, (*path, *inside))
        for other in others(leaf, values.get(name, ())):
            yield f"{noun}_changed", with_value(data, (*path, *inside), other)
    if noun != "field" and isinstance(value, dict):
        for name, known in values.items():
            if name and name not in value:
                yield f"{noun}_added", with_value(data, (*path, name), known[0])


def _opened(data: dict[str, Any]) -> dict[str, Any]:
    """Return a record in which arguments and results that are JSON text are what the text says."""
    for key in (*ARGUMENTS, *_RESULTS):
        if isinstance(data.get(key), str) and data[key].lstrip()[:1] in ("{", "["):
            try:
                data[key] = codec.decode(data[key])
            except codec.JsonError:
                continue
    if isinstance(data.get("attributes"), dict):
        data["attributes"] = _opened(dict(data["attributes"]))
    return data


def leaves(value: Any, path: _Path = ()) -> Iterator[tuple[_Path, Any]]:
    """Yield everything in a value that holds nothing itself, with the way to it."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list) and value:
        for place, item in enumerate(value):
            yield from leaves(item, (*path, place))
    else:
        yield path, value


def others(value: Any, known: Sequence[Any]) -> Iterator[Any]:
    """Yield values unlike this one: of its own type, and those that the document names."""
    if type(value) is bool:
        yield not value
    elif type(value) in (int, float):
        yield from (one for one in (value + 1, -abs(value) - 1) if abs(one) <= codec.LARGEST)
    elif value != "something else":
        yield "something else"
    yield from (one for one in known if type(one) is not type(value) or one != value)


def _failed(data: Mapping[str, Any], kind: str) -> dict[str, Any]:
    out = {**data, "error": "failed", "ok": False}
    if kind == HTTP_EXCHANGE:
        out |= {"status": 500, "status_code": 500}
    return out


def _succeeded(data: Mapping[str, Any]) -> dict[str, Any]:
    out = {key: value for key, value in data.items() if key not in _SIGNS_OF_FAILURE}
    if isinstance(out.get("attributes"), dict):
        out["attributes"] = _succeeded(out["attributes"])
    return out


def _without(place: int, spans: Sequence[Span]) -> Sequence[Span]:
    return [*spans[:place], *spans[place + 1 :]]


def _with(place: int, span: Span, spans: Sequence[Span]) -> Sequence[Span]:
    return [*spans[:place], span, *spans[place + 1 :]]


def _repeated(place: int, times: int, spans: Sequence[Span]) -> Sequence[Span]:
    return [*spans[: place + 1], *[spans[place]] * times, *spans[place + 1 :]]


def _moved(
    place: int, put: Callable[[Sequence[Span], Span, Clock], list[Span]], clock: Clock, spans: Sequence[Span]
) -> Sequence[Span]:
    return put(_without(place, spans), spans[place], clock)


def _swapped(first: int, then: int, spans: Sequence[Span]) -> Sequence[Span]:
    return swapped(spans, first, then)


def _without_tool(tool: str, spans: Sequence[Span]) -> Sequence[Span]:
    return [span for span in spans if span.type != TOOL_CALL or span.name != tool]


def _without_type(kind: str, spans: Sequence[Span]) -> Sequence[Span]:
    return [span for span in spans if span.type != kind]


def _added(
    put: Callable[[Sequence[Span], Span, Clock], list[Span]],
    clock: Clock,
    span: Span,
    times: int,
    spans: Sequence[Span],
) -> Sequence[Span]:
    for _ in range(times):
        spans = put(spans, span, clock)
    return spans
