"""Tool calls among telemetry: which spans are some, under which names each fact stands, and the same call told twice."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import msgspec

from hotato.importers._notes import Lost
from hotato.importers._out import Out
from hotato.importers._pairing import UNKNOWN_TOOL
from hotato.importers._payload import answer, argument_fields, decoded, identifier, some
from hotato.importers._raw import ERROR, Raw, Tree, is_true

NAMES = (
    "gen_ai.tool.name", "tool.name", "tool_call.function.name", "lk.function_tool.name", "traceloop.entity.name",
    "ai.toolCall.name", "elevenlabs.tool.name", "tool.function_name", "function_calls.first_name", "mcp.tool.name",
)  # fmt: skip
IDS = (
    "gen_ai.tool.call.id", "tool_call.id", "tool.id", "lk.function_tool.id", "ai.toolCall.id", "tool.call_id",
    "tool_call_id", "call_id",
)  # fmt: skip
ARGUMENTS = (
    "gen_ai.tool.call.arguments", "lk.pii.function_tool.arguments", "lk.function_tool.arguments", "input.value",
    "traceloop.entity.input", "tool.arguments", "tool_arguments", "ai.toolCall.args", "ai.toolCall.input",
    "gcp.vertex.agent.tool_call_args", "elevenlabs.tool.arguments", "elevenlabs.tool.parameters",
    "langfuse.observation.input",
)  # fmt: skip
RESULTS = (
    "gen_ai.tool.call.result", "lk.pii.function_tool.output", "lk.function_tool.output", "output.value",
    "traceloop.entity.output", "tool.result", "tool_response", "ai.toolCall.result", "ai.toolCall.output",
    "gcp.vertex.agent.tool_response", "elevenlabs.tool.result", "langfuse.observation.output",
)  # fmt: skip
FLAGS = ("lk.function_tool.is_error", "is_error", "tool.is_error", "gen_ai.tool.call.is_error")
STATUSES = ("elevenlabs.tool.status", "tool.result_status", "tool.status")
OWN_ARGUMENTS, OWN_RESULTS = ("arguments", "args", "input"), ("result", "output")
_PREFIXES = ("execute_tool ", "running tool: ", "running tool ", "elevenlabs.tool.", "tools/call ", "ai.toolcall ")
_WHOLE = ("execute_tool", "function_tool", "running tool", "ai.toolcall", "tools/call", "llm_tool_call")
_WORDS = {"execute_tool": "tool", "tool": "tool", "handoff": "handoff", "invoke_agent": "agent", "agent": "agent"}
_SAID = ("gen_ai.operation.name", "openinference.span.kind", "traceloop.span.kind", "langfuse.observation.type")
_FLAGS, _STATUSES = frozenset(FLAGS), frozenset(STATUSES)
_SPEAKING = frozenset(_SAID)
_OTHERWISE = frozenset(("ai.operationId", "operation.name", "lk.function_tool.name", "mcp.method.name"))
TELLING = _SPEAKING | _OTHERWISE


class Tool(msgspec.Struct, kw_only=True):
    """A tool call as far as telemetry tells it. `fields` holds its arguments as they go onto the span."""

    name: str | None
    call_id: str | None = None
    fields: dict[str, Any] = {}
    result: Any = None
    has_result: bool = False
    error: Any = None
    error_type: str | None = None
    status: str | None = None
    start: int | None = None
    end: int | None = None
    raw: Raw | None = None
    inferred: bool = False
    order: int = 0
    extra: dict[str, Any] = {}


def role_of(raw: Raw) -> str:
    """Return what a span says that it is: `tool`, `handoff`, `agent`, another word of its dialect; empty for nothing."""
    attrs = raw.attrs
    found = ""
    for name in () if _SPEAKING.isdisjoint(attrs) else _SAID:
        word = attrs.get(name)
        if type(word) is str:
            role = _WORDS.get(word.lower(), word.lower())
            if role == "tool" and raw.name[:11].lower() == "handoff to ":
                role = "handoff"
            if role in ("tool", "handoff"):
                return role
            found = found or role
    if found:
        return found
    named = role_of_name(raw.name)
    if named:
        return named
    if _OTHERWISE.isdisjoint(attrs):
        return ""
    called = "ai.toolCall" in (attrs.get("ai.operationId"), attrs.get("operation.name"))
    return "tool" if called or "lk.function_tool.name" in attrs or attrs.get("mcp.method.name") == "tools/call" else ""


@lru_cache(1024)
def role_of_name(name: str) -> str:
    """Return what the name of a span alone says that it is: `tool`, `agent`, or empty."""
    name = name.lower()
    if name in _WHOLE or name.startswith(_PREFIXES) or (name.endswith(".tool") and len(name) > 5):
        return "tool"
    return "agent" if name == "invoke_agent" or name.startswith("invoke_agent ") else ""


def name_of(raw: Raw) -> str | None:
    """Return the name of the tool that a tool's span stands for."""
    told = some(raw.first(NAMES))
    if told is not None:
        return told
    name = raw.name
    lowered = name.lower()
    for prefix in _PREFIXES:
        if lowered.startswith(prefix):
            return name[len(prefix) :].strip() or None
    if lowered.endswith(".tool"):
        return name[:-5]
    return None if lowered in _WHOLE else name.strip() or None


def read(raw: Raw, lost: Lost, *, own: bool = False) -> Tool:
    """Return the tool call that a span is. `own` allows hotato's own plain names of fields as well."""
    arguments = raw.first((*ARGUMENTS, *OWN_ARGUMENTS) if own else ARGUMENTS)
    result = raw.first((*RESULTS, *OWN_RESULTS) if own else RESULTS)
    name = some(raw.first((*NAMES, "tool_name", "name", "tool", "function"))) if own else name_of(raw)
    tool = Tool(
        name=name,
        call_id=identifier(raw.first(IDS)),
        fields=argument_fields(_unwrapped(arguments), lost),
        start=raw.start,
        end=raw.end,
        raw=raw,
    )
    if not _STATUSES.isdisjoint(raw.attrs):
        tool.status = some(raw.first(STATUSES))
    tool.error, tool.error_type = failure(raw)
    if result is not None:
        tool.result, tool.has_result = answer(result, lost), True
        _settle_message(tool, lost)
    if not _FLAGS.isdisjoint(raw.attrs) and any(is_true(raw.attrs.get(flag)) for flag in FLAGS):
        if tool.error in (None, True):
            tool.error = tool.result if type(tool.result) is str and tool.result else True
            tool.has_result = tool.has_result and type(tool.result) is not str
    elif own and tool.error is None and raw.attrs.get("error") not in (None, "", False):
        tool.error = raw.attrs["error"]
    return tool


def _unwrapped(value: Any) -> Any:
    """Return arguments without what decorators and frameworks wrap around them."""
    found = decoded(value) if type(value) is str else value
    if type(found) is not dict:
        return found if type(found) is list else value
    if found.keys() == {"args", "kwargs"} and type(found["kwargs"]) is dict and type(found["args"]) is list:
        return {"args": found["args"], **found["kwargs"]} if found["args"] else found["kwargs"]
    if "input_str" in found and type(found.get("inputs")) is dict:
        return found["inputs"]
    if found.keys() == {"input"} and type(found["input"]) is dict:
        return found["input"]
    return found


def _settle_message(tool: Tool, lost: Lost) -> None:
    """Take the content of a result that is a whole message, as LangChain and Google's models have it."""
    message = tool.result
    if type(message) is dict and message.keys() == {"id", "name", "response"}:  # as Google's models are answered
        tool.call_id, tool.result = tool.call_id or identifier(message["id"]), message["response"]
        return
    if type(message) is not dict or "tool_call_id" not in message or "content" not in message:
        return
    tool.call_id = tool.call_id or identifier(message["tool_call_id"])
    tool.result = answer(message["content"], lost)
    if message.get("status") == "error" and tool.error is None:
        tool.error = tool.result if type(tool.result) is str and tool.result else True


def failure(raw: Raw) -> tuple[Any, str | None]:
    """Return what went wrong in a span and the type of the error: text, true where nothing more is said, None.

    The status, an exception among the events and `error.type` are each enough. The exception's own message is the text.
    """
    said: Any = None
    kind = raw.attrs.get("error.type")
    if raw.code == ERROR:
        said = raw.message or True
    for event in raw.events:
        if event.name == "exception" or "exception.type" in event.attrs:
            text = event.attrs.get("exception.message")
            said = (text if type(text) is str and text else said) or True
            kind = event.attrs.get("exception.type") if kind is None else kind
    kind = kind if type(kind) is str and kind else None
    return True if said is None and kind is not None else said, kind


def collected(spans: list[Raw], tree: Tree, lost: Lost) -> list[Tool]:
    """Return the calls of spans that are tool calls, each once although two libraries may have recorded it."""
    tools = [read(span, lost, own=span.name.lower() == "tool_call") for span in spans]
    alone = len({span.scope for span in spans} - {""}) == 1 and all(span.scope for span in spans)
    kept: list[Tool] = []
    by_span: dict[int, Tool] = {}
    by_id: dict[str, list[Tool]] = {}
    for tool in sorted(tools, key=_by_time if alone else _by_time_and_depth(tree)):
        twin = None if alone else _twin(tool, tree, by_span, by_id)
        if twin is not None:
            _merge(twin, tool, lost)
        else:
            kept.append(tool)
            if tool.call_id is not None:
                same = by_id.setdefault(tool.call_id, [])
                lost["call_id_repeated"] += bool(same)
                same.append(tool)
        by_span[id(tool.raw)] = twin or tool
    for tool in kept:
        lost["tool_name_missing"] += not tool.name
    return kept


def _by_time(tool: Tool) -> tuple[Any, ...]:
    raw = tool.raw
    assert raw is not None
    return tool.start is None, tool.start or 0, -(tool.end or 0), raw.trace, raw.id, raw.name


def _by_time_and_depth(tree: Tree) -> Callable[[Tool], tuple[Any, ...]]:
    def key(tool: Tool) -> tuple[Any, ...]:
        assert tool.raw is not None
        first, start, *rest = _by_time(tool)
        return first, start, tree.depth(tool.raw), *rest

    return key


def _twin(tool: Tool, tree: Tree, by_span: dict[int, Tool], by_id: dict[str, list[Tool]]) -> Tool | None:
    """Return the call that a span repeats: another library's, above it or of the same id and at the same time.

    Where no library is told, as in console output, a call of the same tool inside a call is taken for a repeat.
    """
    assert tool.raw is not None
    for above in tree.above(tool.raw):
        other = by_span.get(id(above))
        if other is not None and other.raw is not None:
            others_told = other.raw.scope != tool.raw.scope or not tool.raw.scope
            return other if others_told and _agree(other, tool) else None
    for other in by_id.get(tool.call_id or "", ()):
        assert other.raw is not None
        if other.raw.scope != tool.raw.scope and _agree(other, tool) and _overlap(other, tool):
            return other
    return None


def _agree(one: Tool, other: Tool) -> bool:
    if one.name is not None and other.name is not None and one.name != other.name:
        return False
    if one.call_id is not None and other.call_id is not None:
        return one.call_id == other.call_id
    told = one.fields.get("arguments"), other.fields.get("arguments")
    return None in told or told[0] == told[1]


def _overlap(one: Tool, other: Tool) -> bool:
    if one.start is None or other.start is None:
        return True
    return other.start <= (one.end or other.start) and one.start <= (other.end or one.start)


def _merge(kept: Tool, other: Tool, lost: Lost) -> None:
    lost["calls_merged"] += 1
    lost["arguments_missing"] -= not kept.fields or not other.fields  # each was counted when it was read
    kept.name = kept.name or other.name
    kept.call_id = kept.call_id or other.call_id
    if "arguments" not in kept.fields and other.fields:
        kept.fields = other.fields
    if not kept.has_result and other.has_result:
        kept.result, kept.has_result = other.result, True
    if kept.error in (None, True) and other.error is not None:
        kept.error = other.error
    kept.error_type = kept.error_type or other.error_type
    kept.status = kept.status or other.status


def out_of(tool: Tool) -> Out:
    """Return a call as a span to be written."""
    data: dict[str, Any] = {"name": tool.name or UNKNOWN_TOOL}
    if tool.call_id is not None:
        data["tool_call_id"] = tool.call_id
    data.update(tool.fields)
    if tool.has_result:
        data["result"] = tool.result
    if tool.error is not None:
        data["error"] = tool.error
    if tool.error_type is not None:
        data["error_type"] = tool.error_type
    if tool.status is not None:
        data["status"] = tool.status
    data.update(tool.extra)
    out = Out(type="tool_call", data=data, start=tool.start, end=tool.end, raw=tool.raw, inferred=tool.inferred)
    out.order = tool.order
    return out
