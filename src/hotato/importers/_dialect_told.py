"""Tool calls that messages tell of, held against the spans of tool calls: each call is one span, however often it is told."""

from __future__ import annotations

from collections import deque
from typing import Any

from hotato.importers._conversation import Call
from hotato.importers._dialect_item import canonical
from hotato.importers._dialect_tools import Tool
from hotato.importers._handoffs import named_target
from hotato.importers._notes import Lost
from hotato.importers._payload import answer, argument_fields


def merged(told: list[Call], tools: list[Tool], lost: Lost) -> tuple[list[Tool], list[Tool]]:
    """Complete the spans' calls with what messages tell of them; return the calls that no span tells, and handoffs.

    A call is found by its id, else by its tool and arguments, else by its tool among calls recorded without arguments.
    Where tools have spans, a `transfer_to_X` that has none is how a framework writes a handoff, and no call of a tool.
    """
    has_spans = bool(tools)
    alone: list[Tool] = []
    handoffs: list[Tool] = []
    taken: set[int] = set()
    for index in (_by_id, _by_arguments, _by_name):
        waiting: dict[Any, deque[Tool]] = {}
        for tool in tools:
            key = index(tool.name, tool.call_id, tool.fields) if id(tool) not in taken else None
            if key is not None:
                waiting.setdefault(key, deque()).append(tool)
        rest = []
        for call in told:
            item = call.item
            key = index(item.name, item.id, {"arguments": item.value}) if index is not _by_name else (item.name,)
            tool_or_none = _next(waiting.get(key), item.id) if key is not None else None
            if tool_or_none is None:
                rest.append(call)
            else:
                taken.add(id(tool_or_none))
                _complete(tool_or_none, call, lost)
        told = rest
    for order, call in enumerate(told, 1):
        is_handoff = has_spans and named_target(call.item.name) is not None
        tool = _alone(call, Lost() if is_handoff else lost)
        tool.order = order
        (handoffs if is_handoff else alone).append(tool)
    return alone, handoffs


def _next(waiting: deque[Tool] | None, call_id: str | None) -> Tool | None:
    """Return the earliest call that waits and takes it out; one of another id is another call."""
    for _ in range(min(len(waiting or ()), 8)):
        assert waiting is not None
        tool = waiting.popleft()
        if tool.call_id is None or call_id is None or tool.call_id == call_id:
            return tool
        waiting.append(tool)
    return None


def _by_id(name: str | None, call_id: str | None, fields: dict[str, Any]) -> Any:  # noqa: ARG001
    return None if call_id is None else (call_id, name)


def _by_arguments(name: str | None, call_id: str | None, fields: dict[str, Any]) -> Any:  # noqa: ARG001
    return (name, canonical(fields["arguments"])) if "arguments" in fields else None


def _by_name(name: str | None, call_id: str | None, fields: dict[str, Any]) -> Any:  # noqa: ARG001
    return (name,) if "arguments" not in fields else None


def _alone(call: Call, lost: Lost) -> Tool:
    item = call.item
    tool = Tool(name=item.name, call_id=item.id, fields=argument_fields(item.value, lost))
    tool.start, tool.raw, tool.inferred, tool.status = call.at, call.carrier, True, call.status
    if call.has_result:
        tool.result, tool.has_result = answer(call.result, lost), True
    lost["call_unanswered"] += not call.is_answered
    lost["tool_name_missing"] += not tool.name
    return tool


def _complete(tool: Tool, call: Call, lost: Lost) -> None:
    lost["calls_merged"] += 1
    tool.call_id = tool.call_id or call.item.id
    if not tool.fields and call.item.value is not None:
        tool.fields = argument_fields(call.item.value, lost)
        lost["arguments_missing"] = max(0, lost["arguments_missing"] - 1)
    if not tool.has_result and call.has_result and tool.error is None:
        tool.result, tool.has_result = answer(call.result, lost), True
    tool.status = tool.status or call.status
