"""Names in a document that a call has none of, though it has one that is nearly the same: slips that only a call shows."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from hotato.match.spans import TOOL_CALL
from hotato.match.text import nfc
from hotato.model.near import nearest

if TYPE_CHECKING:
    from hotato.kinds._kind import Kind
    from hotato.model.call import Call

_TOOLS = frozenset({"tool", "tool_called", "require_order"})  # fields that hold names of tools, whatever the kind
_OF_TOOLS = frozenset({"tool_call", "tool_result", "tool_error", "entity_accuracy"})  # kinds whose `name` is one
_VALUES = frozenset({"args_subset", "result_subset", "response_subset", "expect", "filters", "reference", "state"})
_DIGITS = re.compile("[0-9]+")
_WORDS = {
    "tool": "names the tool '{0}', which was never called; '{1}' was",
    "span_type": "names the span type '{0}', which the trace has none of; it has '{1}'",
}
_MOST_TOLD = 5
_Named = tuple[str, str]  # what it is the name of, and the name


def unseen(specs: Sequence[Kind], call: Call) -> list[str]:
    """Return a line for each assertion and name of a tool or a span type that the call has another spelling of."""
    spans = call.spans or ()
    seen = {
        "tool": {span.name for span in spans if span.type == TOOL_CALL and span.name is not None},
        "span_type": {span.type for span in spans},
    }
    told: list[str] = []
    for spec in specs:
        plain = msgspec.to_builtins(spec)
        for what, name in dict.fromkeys(_named(plain, "", plain["kind"])):
            near = _near(nfc(name), seen[what])
            if near:
                told.append(f"assertion '{spec.id}' {_WORDS[what].format(name, near)}")
    return told[:_MOST_TOLD]


def _near(name: str, seen: Collection[str]) -> str:
    """Return what is nearly the name where that itself is not there; names that differ in a number are two names."""
    if name in seen:
        return ""
    like = _DIGITS.findall(name)
    return nearest(name, sorted(one for one in seen if _DIGITS.findall(one) == like))


def _named(value: Any, field: str, kind: str) -> Iterator[_Named]:
    if type(value) is dict:
        is_guard = field == "never_before"
        for key, inner in value.items():
            if key in _VALUES:
                continue
            yield from _named(inner, "tool" if is_guard or (key == "name" and kind in _OF_TOOLS) else key, kind)
    elif type(value) in (list, tuple):
        for inner in value:
            yield from _named(inner, field, kind)
    elif type(value) is str:
        if field in _TOOLS:
            yield "tool", value
        elif field == "span_type":
            yield field, value
