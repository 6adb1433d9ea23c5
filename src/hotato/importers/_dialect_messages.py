"""Messages between an agent and its model, in every shape that telemetry carries them, as one row of plain items."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from hotato.importers._dialect_item import Item
from hotato.importers._payload import decoded, identifier, some
from hotato.importers._raw import Raw
from hotato.model.limits import limit

INPUTS = ("gen_ai.input.messages", "ai.prompt.messages", "ai.prompt")
OUTPUTS = ("gen_ai.output.messages",)
_ROLES = {"user": "caller", "human": "caller", "assistant": "agent", "ai": "agent", "model": "agent", "bot": "agent"}
_SPEAKERS = frozenset(("user", "assistant"))
_SILENT = ("system", "developer", "instructions")
_RESULTS = ("tool", "function")
_INNER = ("messages", "contents", "input", "prompt")
_INDEXED = {
    "input": ("gen_ai.prompt.", "llm.input_messages."),
    "output": ("gen_ai.completion.", "llm.output_messages."),
}
_CALL = re.compile(r"tool_calls\.([0-9]{1,4})\.(?:tool_call\.)?(?:function\.)?(id|name|arguments)")
_EVENTS = {"gen_ai.user.message": "user", "gen_ai.assistant.message": "assistant", "gen_ai.tool.message": "tool"}
_EVENTED = (*_EVENTS, "gen_ai.system.message", "gen_ai.choice")
_CARRIED = frozenset((
    *INPUTS, *OUTPUTS, "ai.response.text", "ai.response.toolCalls", "gen_ai.prompt.0.role", "gen_ai.completion.0.role",
    "gen_ai.prompt.0.content", "gen_ai.completion.0.content", "llm.input_messages.0.message.role",
    "llm.output_messages.0.message.role",
))  # fmt: skip
TELLING = _CARRIED | {"langfuse.observation.type"}


class Histories:
    """The last requests that were read, as text: one that goes on from one of them is read from where that ended."""

    def __init__(self) -> None:
        self._read: list[tuple[str, list[Item]]] = []

    def items(self, text: str) -> list[Item]:
        """Return the items of a request in JSON."""
        for prefix, known in reversed(self._read):
            if text.startswith(prefix):
                rest = text[len(prefix) :].lstrip()
                if rest == "]":
                    return known
                if rest[:1] == ",":
                    return self._kept(text, [*known, *items(f"[{rest[1:]}")])
        return self._kept(text, items(text))

    def _kept(self, text: str, found: list[Item]) -> list[Item]:
        whole = text.rstrip()
        if found and whole[:1] == "[" and whole[-1:] == "]":
            self._read = [*self._read[-3:], (whole[:-1].rstrip(), found)]
        return found


def asked(raw: Raw, histories: Histories) -> list[Item]:
    """Return what a model was asked, from wherever a span has it; empty where it has nothing of the kind."""
    value = raw.first(INPUTS)
    if value is None and raw.scope.startswith("pipecat"):
        value = raw.attrs.get("input")
    if value is None and raw.attrs.get("langfuse.observation.type") == "generation":
        value = raw.attrs.get("langfuse.observation.input")
    found = histories.items(value) if type(value) is str else items(value)
    return _best(found, raw, "input")


def answered(raw: Raw) -> list[Item]:
    """Return what a model answered."""
    value = raw.first(OUTPUTS)
    if value is None and raw.attrs.get("langfuse.observation.type") == "generation":
        value = raw.attrs.get("langfuse.observation.output")
    found = items(value, role="assistant")
    if not found and "ai.response.text" in raw.attrs:
        found = _spoken("assistant", raw.attrs["ai.response.text"])
    if "ai.response.toolCalls" in raw.attrs:
        found = [*found, *items(raw.attrs["ai.response.toolCalls"], role="assistant")]
    if not found and raw.scope.startswith("pipecat"):
        found = _spoken("assistant", raw.attrs.get("output"))
    return _best(found, raw, "output")


def _best(found: list[Item], raw: Raw, side: str) -> list[Item]:
    """Return what was found, or where that is nothing that can be read, what other places of the span tell."""
    if all(item.kind == "odd" for item in found):
        other = _indexed(raw, side) or _evented(raw, answered=side == "output")
        # Pipecat's spans hold other texts under the same names
        return other or ([] if raw.scope.startswith("pipecat") else found)
    return found


def is_carrier(raw: Raw) -> bool:
    """Say whether a span carries messages."""
    attrs = raw.attrs
    if not _CARRIED.isdisjoint(attrs):
        return True
    if raw.scope.startswith("pipecat") and ("input" in attrs or "output" in attrs):
        return True
    if attrs.get("langfuse.observation.type") == "generation":
        return True
    return bool(raw.events) and any(event.name in _EVENTED for event in raw.events)


def is_cut(raw: Raw) -> bool:
    """Say whether a span has messages that cannot be read, since an exporter cut their JSON."""
    for name in (*INPUTS[:2], *OUTPUTS):
        value = raw.attrs.get(name)
        if type(value) is str and value.lstrip()[:1] in ("[", "{") and value.rstrip()[-1:] not in ("]", "}"):
            return True
    return False


def items(value: Any, role: str = "", depth: int = 0) -> list[Item]:
    """Return the items of messages in hand: text that is JSON, a list, a message, or an API's request or answer."""
    if type(value) is str:
        value = _quick(value)
        if type(value) is str:
            return _spoken(role, value) if role else _odd(value.strip())
    if depth > 4:
        return []
    if type(value) is not list:
        return list(_message(value, role, depth))
    found: list[Item] = []
    for message in value:
        part = _only_part(message)
        if part is None:
            found += _message(message, role, depth)
        elif part.get("type") == "text" and type(part.get("content")) is str:
            found += _spoken(message["role"], part["content"])
        else:
            found += _part(part, message["role"])
    return found


def _only_part(message: Any) -> dict[str, Any] | None:
    """Return the one part of a message as the semantic conventions write it, the most usual by far; None for any other."""
    if type(message) is dict and len(message) == 2 and type(message.get("role")) is str:
        parts = message.get("parts") if message["role"] in _SPEAKERS else None
        if type(parts) is list and len(parts) == 1 and type(parts[0]) is dict and "text" not in parts[0]:
            return parts[0]
    return None


def _quick(text: str) -> Any:
    """Return what JSON text holds. Messages are written by programs, so it is not held against rules for people."""
    if text[:1] in ("[", "{") and text.count("[") + text.count("{") <= limit("depth"):
        try:
            return msgspec.json.decode(text)
        except ValueError:
            pass
    return decoded(text)


def _message(message: Any, role: str, depth: int) -> Iterator[Item]:
    if type(message) is str:
        yield from _spoken(role, message) if role else _odd(message.strip())
        return
    if type(message) is not dict:
        yield from _odd(message)
        return
    if type(message.get("toolCallId")) is str or message.get("type") in ("function_call", "function_call_output"):
        yield from _part(message, role or "assistant")
        return
    said = message.get("role")
    if type(said) is not str:
        yield from _nested(message, role, depth)
        return
    content = message.get("content") if message.get("parts") is None else message["parts"]
    late = _late(content, message) if said in _SILENT or said in _RESULTS else None
    if late is not None:
        yield from late
        return
    if said in _SILENT:
        return
    if said in _RESULTS:
        yield from _results(message, content)
        return
    yield from _content(said, message.get("refusal") if content is None else content)
    more = message.get("additional_kwargs")
    calls = message.get("tool_calls") or (more.get("tool_calls") if type(more) is dict else None)
    calls = decoded(calls) if type(calls) is str else calls
    for call in calls if type(calls) is list else [calls]:
        yield from _called(call)
    yield from _called(message.get("function_call"))


def _nested(message: dict[str, Any], role: str, depth: int) -> Iterator[Item]:
    """Yield the items of what is around messages: a request or an answer of an API, or a role that is known already."""
    for name in _INNER:
        if type(message.get(name)) in (list, dict, str):
            yield from items(message[name], "user" if name == "prompt" else role, depth + 1)
            return
    if type(message.get("choices")) is list:
        for choice in message["choices"][:1]:
            yield from items(choice.get("message") if type(choice) is dict else None, role, depth + 1)
    elif type(message.get("output")) is list:
        yield from items(message["output"], "assistant", depth + 1)
    elif type(message.get("content")) is dict:
        yield from items(message["content"], role, depth + 1)
    elif type(message.get("content")) in (str, list) and role:
        yield from _content(role, message["content"])
    else:
        yield from _odd(message)


def _content(role: str, content: Any) -> Iterator[Item]:
    if type(content) is str:
        yield from _spoken(role, content)
        return
    texts: list[str] = []
    others: list[Item] = []
    for part in content if type(content) is list else [content]:
        for item in _part(part, role):
            if item.kind == "text":
                texts.append(item.text)
            else:
                others.append(item)
    yield from _spoken(role, " ".join(texts))
    yield from others


def _part(part: Any, role: str) -> Iterator[Item]:
    """Yield the items of one part of a message, as OpenTelemetry, OpenAI, Anthropic, Google and Vercel write parts."""
    if type(part) is str:
        yield from _spoken(role, part)
        return
    if type(part) is not dict:
        yield from _odd(part)
        return
    kind = part.get("type")
    if kind in ("tool_call", "tool_use", "tool-call", "function_call") or (kind is None and "toolName" in part):
        yield _call_of(part)
    elif kind in ("tool_call_response", "tool_result", "tool-result", "function_call_output"):
        value = next((part[n] for n in ("response", "result", "content", "output") if part.get(n) is not None), None)
        call_id = next((part[n] for n in ("id", "tool_use_id", "toolCallId", "call_id") if part.get(n)), None)
        yield Item("result", id=identifier(call_id), name=some(part.get("toolName") or part.get("name")), value=value)
    elif kind in (None, "text", "input_text", "output_text", "refusal"):
        text = next((part[name] for name in ("text", "content", "refusal") if part.get(name) is not None), None)
        yield from _spoken(role, text) if type(text) is str else _odd(text)
        for name in ("function_call", "functionCall"):
            if type(part.get(name)) is dict:
                yield _call_of(part[name])
        for name in ("function_response", "functionResponse"):
            if type(part.get(name)) is dict:
                told = part[name]
                yield Item(
                    "result", id=identifier(told.get("id")), name=some(told.get("name")), value=told.get("response")
                )


def _call_of(part: dict[str, Any]) -> Item:
    value = next((part[n] for n in ("arguments", "input", "args") if part.get(n) is not None), None)
    call_id = next((part[n] for n in ("call_id", "toolCallId", "id") if part.get(n)), None)
    return Item("call", id=identifier(call_id), name=some(part.get("name") or part.get("toolName")), value=value)


def _called(call: Any) -> Iterator[Item]:
    if type(call) is str:  # LiveKit 1.3 writes each call as JSON text
        call = decoded(call)
    if type(call) is not dict:
        yield from _odd(call)
        return
    inner = call.get("function")
    if type(inner) is dict:
        yield Item("call", id=identifier(call.get("id")), name=some(inner.get("name")), value=inner.get("arguments"))
    else:
        yield _call_of(call)


def _results(message: dict[str, Any], content: Any) -> Iterator[Item]:
    """Yield the results of a tool's message: parts that each name their call, or one result."""
    if type(content) is dict and content.get("type") == "function":  # a tool that may be called, not an answer
        return
    parts = [item for part in _listed(content) for item in _part(part, "tool") if item.kind == "result"]
    if parts:
        yield from parts
        return
    if type(content) is list:
        content = " ".join(part.get("text") or "" for part in content if type(part) is dict)
    call_id = message.get("tool_call_id") or message.get("id")
    yield Item("result", id=identifier(call_id), name=some(message.get("name")), value=content)


def _late(content: Any, message: dict[str, Any]) -> list[Item] | None:
    """Return the news of a tool that Pipecat ran beside the conversation; None where a text is none."""
    value = decoded(content) if type(content) is str and '"async_tool"' in content else None
    if type(value) is not dict or value.get("type") != "async_tool":
        return None
    if value.get("status") != "finished":
        return []
    call_id = value.get("tool_call_id") or value.get("function_call_id") or message.get("tool_call_id")
    return [Item("result", id=identifier(call_id), name=some(value.get("name")), value=value.get("result"))]


def _spoken(role: str, text: Any) -> list[Item]:
    return [Item("text", _ROLES.get(role, role), text.strip())] if type(text) is str and text.strip() else []


def _odd(value: Any) -> list[Item]:
    """Return that something cannot be read, unless there is nothing in it."""
    return [Item("odd")] if value else []


def _listed(value: Any) -> list[Any]:
    return value if type(value) is list else []


def _indexed(raw: Raw, side: str) -> list[Item]:
    """Return messages that are spread over numbered attributes, as OpenLLMetry and OpenInference write them."""
    messages: dict[str, dict[str, Any]] = {}
    prefixes = _INDEXED[side]
    for key, value in raw.attrs.items():
        if not key.startswith(prefixes) or value is None:
            continue
        number, _, field = key[len(prefixes[key[0] == "l"]) :].partition(".")
        field = field.removeprefix("message.")
        if not (number.isascii() and number.isdecimal() and len(number) < 6):
            continue
        message = messages.get(number)
        if message is None:
            message = messages[number] = {"calls": {}}
        call = _CALL.fullmatch(field) if field[:11] == "tool_calls." else None
        if call is not None:
            message["calls"].setdefault(int(call[1]), {})[call[2]] = value
        elif field.endswith(".message_content.text"):
            message.setdefault("texts", []).append(value)
        else:
            message[field] = value
    found: list[Item] = []
    for number in sorted(messages, key=int):
        message = messages[number]
        calls = [message["calls"][index] for index in sorted(message["calls"])]
        role = message.get("role") or ("assistant" if side == "output" else "user")
        content = message.get("content") or message.get("texts")
        whole = {"role": role, "content": content, "tool_calls": calls, "tool_call_id": message.get("tool_call_id")}
        if message.get("name"):
            whole["name"] = message["name"]
        found += _message(whole, "", 0)
    return found


def _evented(raw: Raw, *, answered: bool) -> list[Item]:
    """Return messages that are events of a span, as older libraries write them."""
    found: list[Item] = []
    for event in raw.events:
        if (event.name == "gen_ai.choice" and answered) or (event.name in _EVENTS and not answered):
            found += from_event(event.name, event.attrs)
    return found


def from_event(name: str, fields: Any) -> list[Item]:
    """Return the items of an event or a log record of one message."""
    if type(fields) is not dict:
        return []
    inner = fields.get("message")
    whole = {**fields, **inner} if type(inner) is dict else dict(fields)
    whole["role"] = _EVENTS.get(name, "assistant")
    if whole["role"] == "tool":
        whole["tool_call_id"] = whole.get("tool_call_id") or whole.get("id")
    calls = whole.get("tool_calls")
    whole["tool_calls"] = decoded(calls) if type(calls) is str else calls
    return list(_message(whole, "", 0))
