"""Message lists in the shape of OpenAI's Chat Completions, which several frameworks write as well."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from hotato.importers import _handoffs as handoffs
from hotato.importers._events import lines_of
from hotato.importers._importer import Content, Damage, Imported, Options, Path
from hotato.importers._notes import Lost, told
from hotato.importers._pairing import Answer, Asked, Calls
from hotato.importers._payload import answer, decoded, identifier, message_text
from hotato.importers._roles import Turns
from hotato.importers._speech import shaped

ROLES = {"assistant": "agent", "user": "caller"}
SILENT = ("system", "developer")
RESULTS = ("tool", "function")
THOUGHTS = ("thinking", "redacted_thinking")
CAPTURES = {
    "tool_call": True,
    "arguments": True,
    "result": True,
    "dtmf": False,
    "http_exchange": False,
    "termination": False,
}
Id = str | int | None
_LISTS = ("messages", "traj")


class Function(msgspec.Struct, kw_only=True):
    """What is called: `arguments` of a function, `input` of a custom tool."""

    name: str | None = None
    arguments: Any = None
    input: Any = None


class ToolCall(msgspec.Struct, kw_only=True):
    """A call of a tool."""

    id: Id = None
    type: str | None = None
    function: Function | None = None
    custom: Function | None = None


class Audio(msgspec.Struct):
    """A spoken answer."""

    transcript: str | None = None


class Message(msgspec.Struct, kw_only=True):
    """A message; `content` is text, a list of parts, or nothing."""

    role: str
    content: Any = None
    refusal: str | None = None
    name: str | None = None
    tool_call_id: Id = None
    tool_calls: list[ToolCall] | None = None
    function_call: Function | None = None
    audio: Audio | None = None


def lists(content: Content) -> list[tuple[Path, int, list[Any]]]:
    """Return the message lists that content holds, each with the way to it and its line; empty where it is of none.

    A list, `messages` or `traj` of an object, the request and the answer of an API call, or one message a value.
    """
    if content.shape == "document" and type(content.value) is list:
        return [((), 0, content.value)]
    found = []
    lines = lines_of(content)
    for index, value in enumerate(content.values):
        path: Path = () if content.shape == "document" else (index,)
        one = _list(value)
        if one is None:
            return []
        found.append(((*path, *one[0]), lines[index], one[1]))
    return found


def _list(value: Any) -> tuple[Path, list[Any]] | None:
    if type(value) is list:
        return (), value
    if type(value) is not dict:
        return None
    if type(value.get("role")) is str:
        return (), [value]
    for name in ("request", "body"):
        if type(value.get(name)) is dict:
            inner = _list(value[name])
            if inner is not None:
                return (name, *inner[0]), [*inner[1], *_chosen(value.get("response"))]
    for name in _LISTS:
        if type(value.get(name)) is list:
            return (name,), [*value[name], *_chosen(value), *_chosen(value.get("response"))]
    chosen = _chosen(value) or _chosen(value.get("response"))
    return (("choices",), chosen) if chosen else None


def _chosen(answered: Any) -> list[Any]:
    """Return the message of an API answer; nothing where it is none, or one of several alternatives."""
    choices = answered.get("choices") if type(answered) is dict else None
    if type(choices) is not list or len(choices) != 1 or type(choices[0]) is not dict:
        return []
    message = choices[0].get("message")
    return [message] if type(message) is dict else []


def answers(content: Content) -> Iterator[tuple[Path, int, dict[str, Any]]]:
    """Yield the answers that stand beside requests, with the way to each and its line, but for those that are errors.

    Raise Damage for one that is no object.
    """
    lines = lines_of(content)
    for index, value in enumerate(content.values):
        answered = value.get("response") if type(value) is dict else None
        path: Path = ("response",) if content.shape == "document" else (index, "response")
        if answered is not None and type(answered) is not dict:
            raise Damage(path, "must be an object, as the answer to a request", lines[index])
        if answered is not None and not answered.get("error"):
            yield path, lines[index], answered


def _check_choices(content: Content, lost: Lost) -> None:
    """Raise Damage where an answer holds no message that is read; note where it holds several."""
    for path, line, answered in answers(content):
        choices = answered.get("choices")
        if type(choices) is not list:
            raise Damage((*path, "choices"), "must be a list with the message of the answer", line)
        lost["answers_several"] += len(choices) > 1
        if len(choices) == 1 and not _chosen(answered):
            raise Damage((*path, "choices", 0), "must be an object with a message", line)


def one_list(content: Content, lost: Lost) -> list[tuple[Message, Path, int]]:
    """Return the messages of one conversation, each once. Raise Damage where there is more than one conversation.

    Requests that repeat the messages of the request before give their new messages only.
    """
    _check_choices(content, lost)
    kept: list[tuple[Message, Path, int]] = []
    found = lists(content)
    alone = all(len(messages) == 1 for _, _, messages in found)
    for path, line, messages in found:
        made = [(shaped(m, Message, _at(path, i, m), line), _at(path, i, m), line) for i, m in enumerate(messages)]
        if kept and not alone:
            before, now = _sayings(kept), _sayings(made)
            if now[: len(before)] != before:
                raise Damage(path, "another conversation; one file is one call", line)
            lost["history_repeated"] += len(before)
            kept = made
        else:
            kept += made
    if not kept:
        raise Damage((), "holds no list of messages")
    return kept


def _at(path: Path, index: int, message: Any) -> Path:
    return path if path[-1:] == ("choices",) or (not path and type(message) is not dict) else (*path, index)


def _sayings(messages: list[tuple[Message, Path, int]]) -> list[Any]:
    """Return what is the same when a later request repeats a message; instructions change from agent to agent."""
    return [
        (m.role, m.content or None, identifier(m.tool_call_id), [identifier(c.id) for c in m.tool_calls or ()])
        for m, _, _ in messages
        if m.role not in SILENT
    ]


class Reader:
    """Reads a message list; a framework's own habits are added by overriding `heard` and `answered`."""

    def __init__(self, options: Options, lost: Lost) -> None:
        self.lost = lost
        self.turns = Turns(ROLES, options, lost)
        self.calls = Calls(lost, turns=self.turns.turns)

    def read(self, messages: list[tuple[Message, Path, int]]) -> None:
        """Read messages in order."""
        for message, path, line in messages:
            if message.role in SILENT:
                self.instructed(message, path, line)
            elif message.role in RESULTS:
                text = message_text(message.content, (*path, "content"), self.lost, line)
                self.answered(identifier(message.tool_call_id), message.name, text)
            else:
                self.spoken(message, path, line)

    def instructed(self, message: Message, path: Path, line: int) -> None:  # noqa: ARG002
        """Take a message of the system or the developer, which nobody hears."""
        self.lost["not_speech"] += 1

    def spoken(self, message: Message, path: Path, line: int) -> None:
        """Take a message of a party: what is said, then what is called."""
        text = message_text(message.content, (*path, "content"), self.lost, line)
        if not text.strip() and message.audio is not None:
            text = message.audio.transcript or ""
        text = text if text.strip() else message.refusal or ""
        if text.strip() or not (message.tool_calls or message.function_call is not None):
            self.heard(message.role, text)
        for call in message.tool_calls or ():
            self.called(call)
        if message.function_call is not None:
            self.calls.call(None, message.function_call.name, message.function_call.arguments)

    def called(self, call: ToolCall) -> Asked:
        """Take a call of a tool. A custom tool's input is text: it becomes the argument `input`."""
        if call.custom is not None:
            given = None if call.custom.input is None else {"input": call.custom.input}
            return self.calls.call(identifier(call.id), call.custom.name, given)
        function = call.function or Function()
        return self.calls.call(identifier(call.id), function.name, function.arguments)

    def heard(self, role: str, text: str) -> None:
        """Take what a party said."""
        self.turns.add(role, text)

    def answered(self, call_id: str | None, name: str | None, text: str) -> None:
        """Take what a tool answered."""
        self.calls.result(Answer(id=call_id, name=name, result=answer(text, self.lost)))

    def imported(self, name: str, captures: dict[str, bool], stack: str | None = None) -> Imported:
        """Return what was read. Message lists have no times."""
        handoffs.add_named(self.calls, 0, self.lost)
        spans = self.calls.spans(0)
        self.lost["times_missing"] += bool(self.turns.turns or spans)
        return Imported(
            format=name,
            transcript=self.turns.turns,
            spans=spans,
            stack=stack,
            captures=captures,
            notes=[*told(self.lost), *self.turns.notes()],
        )


def first_messages(content: Content) -> list[dict[str, Any]]:
    """Return the messages of content for a look at their shape; empty where it holds no message list."""
    found = [message for _, _, messages in lists(content) for message in messages]
    good = found and all(type(message) is dict and type(message.get("role")) is str for message in found)
    return found if good else []


def pipecat_sign(message: dict[str, Any]) -> str:
    """Return what about a message only Pipecat writes; empty where there is nothing."""
    text = message.get("content")
    if type(text) is not str:
        return ""
    if message["role"] == "tool" and text in ("IN_PROGRESS", "COMPLETED", "CANCELLED"):
        return f"a tool message of {text}"
    if message["role"] == "user" and text.startswith("DTMF: ") and handoffs.keys(text[6:]):
        return "a user message of key presses"
    if message["role"] in ("tool", "developer") and '"async_tool"' in text:
        value = decoded(text)
        if type(value) is dict and value.get("type") == "async_tool":
            return "a message of an async_tool"
    return ""


def anthropic_sign(messages: list[dict[str, Any]]) -> str:
    """Return what about messages only Anthropic's have: blocks for tools and thoughts; empty where there is nothing."""
    for message in messages:
        for block in message["content"] if type(message.get("content")) is list else ():
            kind = block.get("type") if type(block) is dict else None
            if type(kind) is str and (kind in THOUGHTS or kind.endswith(("tool_use", "tool_result"))):
                return f"messages with {kind} blocks"
    return ""


def is_blocky(messages: list[dict[str, Any]], *types: str) -> bool:
    """Say whether some message holds a block of one of these types."""
    return any(
        type(block) is dict and block.get("type") in types
        for message in messages
        if type(message.get("content")) is list
        for block in message["content"]
    )
