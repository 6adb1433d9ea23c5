"""OpenAI Responses: items of requests and answers, and the input lists of the OpenAI Agents SDK.

How to get it: write `result.to_input_list()` of an Agents SDK run; or save `{"input": [...], "output": [...]}` of the API,
the items of a conversation, or one item, request or answer a line.

What it does not record: times, so order is all there is; who ended the call; key presses; whether a function went wrong,
other than in the words of its output. A call of `transfer_to_X` is a handoff as well; its output names who took over.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.importers import _handoffs as handoffs
from hotato.importers._events import lines_of
from hotato.importers._importer import Content, Damage, Imported, Options, Path
from hotato.importers._notes import Lost, told
from hotato.importers._pairing import Answer, Calls
from hotato.importers._payload import answer, identifier, message_text, some
from hotato.importers._roles import Turns
from hotato.importers._speech import shaped

RANK = 164
ROLES = {"assistant": "agent", "user": "caller"}
CAPTURES = {
    "tool_call": True,
    "arguments": True,
    "result": True,
    "dtmf": False,
    "http_exchange": False,
    "termination": False,
}
_CALLS = ("function_call", "custom_tool_call")
_OUTPUTS = ("function_call_output", "custom_tool_call_output")
_BLOCKS = ("input_text", "output_text", "refusal", "input_audio", "input_image", "input_file")
_SILENT = ("reasoning", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "compaction")
_LISTS = ("input", "output", "items", "data")


class Item(msgspec.Struct, kw_only=True):
    """An item. `id` is the item's own, and may be the same fake for all; `call_id` ties a call to its output."""

    type: str | None = None
    id: str | None = None
    role: str | None = None
    content: Any = None
    call_id: str | int | None = None
    name: str | None = None
    arguments: Any = None
    input: Any = None
    output: Any = None
    error: Any = None
    status: str | None = None
    action: Any = None


def _lists(value: Any) -> list[tuple[Path, list[Any]]]:
    """Return the item lists of a value with the way to each; empty where it is of none."""
    if type(value) is list:
        return [((), value)]
    if type(value) is not dict:
        return []
    if type(value.get("response")) is dict or type(value.get("request")) is dict:
        return [((n, *p), items) for n in ("request", "response") for p, items in _lists(value.get(n))]
    if value.get("type") in (*_CALLS, *_OUTPUTS, "message") or ("role" in value and "output" not in value):
        return [((), [value])]
    found: list[tuple[Path, list[Any]]] = []
    for name in _LISTS:
        inner = value.get(name)
        if type(inner) is list:
            found.append(((name,), inner))
        elif name == "input" and type(inner) is str and type(value.get("output")) is list:
            found.append(((name,), [{"role": "user", "content": inner}]))
    return found


def _check(value: Any, path: Path, line: int) -> None:
    """Raise Damage where a request or an answer holds items that are no list: they would be lost."""
    if type(value) is not dict or value.get("type") is not None or "role" in value:
        return
    for name in ("request", "response"):
        _check(value.get(name), (*path, name), line)
    for name, shapes in (("input", (list, str)), ("output", (list,))):
        if value.get(name) is not None and type(value[name]) not in shapes:
            raise Damage((*path, name), "must be a list of items", line)


def _signs(item: Any) -> str:
    if type(item) is not dict:
        return ""
    if item.get("type") in (*_CALLS, *_OUTPUTS) and "call_id" in item:
        return f"items of type {item['type']} with a call_id"
    content = item.get("content") if item.get("type") in (None, "message") else None
    if type(content) is list and any(type(part) is dict and part.get("type") in _BLOCKS for part in content):
        return "messages with input_text or output_text"
    return "items of type mcp_call" if item.get("type") == "mcp_call" and "server_label" in item else ""


def _is_livekit(item: Any) -> bool:
    """Say whether an item is of the other format that has function calls: its texts stand in no blocks."""
    if type(item) is not dict:
        return False
    content = item.get("content")
    plain = type(content) is list and content and all(type(part) is str for part in content)
    return bool(plain) or item.get("type") in ("agent_handoff", "agent_config_update")


def matches(content: Content) -> str:
    """Return why the content holds Responses items; empty where it does not."""
    for value in content.values:
        if type(value) is dict and type(value.get("messages")) is list:
            return ""
        items = [item for _, found in _lists(value) for item in found]
        if any(map(_is_livekit, items)):
            return ""
        sign = next((found for found in map(_signs, items) if found), "")
        if sign:
            return sign
    return ""


def read(content: Content, options: Options) -> Imported:
    """Return the transcript and the tool calls of a conversation."""
    lost = Lost()
    reader = _Reader(options, lost)
    for item, path, line in _conversation(content, lost):
        reader.take(item, path, line)
    for value in content.values:
        reader.fault(value)
    return reader.imported()


def _conversation(content: Content, lost: Lost) -> list[tuple[Item, Path, int]]:
    """Return the items of one conversation, each once. Raise Damage where there is more than one."""
    lines = lines_of(content)
    kept: list[tuple[Item, Path, int]] = []
    for index, value in enumerate(content.values):
        path: Path = () if content.shape == "document" else (index,)
        found = _lists(value)
        _check(value, path, lines[index])
        if not found:
            raise Damage(path, "holds no items", lines[index])
        made = [
            (shaped(item, Item, (*path, *way, i), lines[index]), (*path, *way, i), lines[index])
            for way, items in found
            for i, item in enumerate(items)
        ]
        goes_on = len(made) == 1 or (type(value) is dict and some(value.get("previous_response_id")) is not None)
        if kept and not goes_on:
            before, now = [_same(item) for item, _, _ in kept], [_same(item) for item, _, _ in made]
            if now[: len(before)] != before:
                raise Damage(path, "another conversation; one file is one call", lines[index])
            lost["history_repeated"] += len(before)
            kept = made
        else:
            kept += made
    return kept


def _same(item: Item) -> Any:
    text = message_text(item.content, (), Lost()) if type(item.content) in (str, list) else None
    return (item.type or "message", item.role, item.call_id, text)


class _Reader:
    """Reads items in order."""

    def __init__(self, options: Options, lost: Lost) -> None:
        self._lost = lost
        self._turns = Turns(ROLES, options, lost)
        self._calls = Calls(lost, turns=self._turns.turns)

    def take(self, item: Item, path: Path, line: int) -> None:
        """Take one item."""
        kind = item.type or "message"
        call_id = identifier(item.call_id)
        if kind == "message":
            if item.role is None or item.role in ("system", "developer"):
                self._lost["not_speech" if item.role else "entries_unknown"] += 1
                return
            text = message_text(item.content, (*path, "content"), self._lost, line)
            self._turns.add(item.role or "", text)
        elif kind == "function_call":
            self._calls.call(call_id, item.name, item.arguments)
        elif kind == "custom_tool_call":
            self._calls.call(call_id, item.name, None if item.input is None else {"input": item.input})
        elif kind in _OUTPUTS:
            found = item.output
            if type(found) is list:
                found = message_text(found, (*path, "output"), self._lost, line)
            answered = Answer(id=call_id, result=answer(found, self._lost), has_result=found is not None)
            self._calls.result(answered)
        elif kind == "mcp_call" or kind.endswith("_call"):
            self._hosted(item, kind)
        elif kind in _SILENT:
            self._lost["not_speech"] += 1
        else:
            self._lost["entries_unknown"] += 1

    def _hosted(self, item: Item, kind: str) -> None:
        """Take a call that the API carries out itself: it holds its own output and error."""
        given = item.arguments if item.arguments is not None else item.action
        asked = self._calls.call(None, item.name or kind.removesuffix("_call"), given)
        failed = item.error not in (None, "", False) or item.status in ("failed", "incomplete")
        if item.output is None and not failed and item.status != "completed":
            return
        found = message_text(item.output, (), Lost()) if type(item.output) is list else item.output
        asked.answer = Answer(
            result=answer(found, self._lost),
            has_result=found is not None,
            error=_fault_text(item.error) if failed else None,
        )

    def fault(self, value: Any) -> None:
        """Take the error of an answer that failed as a whole."""
        answered = value.get("response", value) if type(value) is dict else None
        error = answered.get("error") if type(answered) is dict else None
        if type(error) is str and error.strip():
            error = {"message": error}
        if type(error) is dict and type(answered) is dict and type(answered.get("output")) is list:
            found = {"name": identifier(error.get("code")), "message": some(error.get("message"))}
            self._calls.also({"type": "error", **{k: v for k, v in found.items() if v is not None}})

    def imported(self) -> Imported:
        """Return what was read."""
        handoffs.add_named(self._calls, 0, self._lost)
        spans = self._calls.spans(0)
        self._lost["times_missing"] += bool(spans or self._turns.turns)
        return Imported(
            format="openai_responses",
            transcript=self._turns.turns,
            spans=spans,
            captures=dict(CAPTURES),
            notes=[*told(self._lost), *self._turns.notes()],
        )


def _fault_text(error: Any) -> str | bool:
    if type(error) is dict:
        return some(error.get("message")) or some(error.get("code")) or True
    return some(error) or True
