"""Anthropic Messages: a list of messages with text, tool_use and tool_result blocks.

How to get it: save the `messages` of the last request together with the answer to it, as a list or as
`{"system": ..., "messages": [...]}`; or one message, or one request and answer, a line.

A tool's result stands inside a message of the user; such a message is a caller's turn only if it holds text as well. What it
does not record: times, so order is all there is; who ended the call; key presses. A call of a tool named `transfer_to_X` or
`handoff_to_X` counts as a handoff to X.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.importers import _handoffs as handoffs
from hotato.importers._events import lines_of
from hotato.importers._importer import Content, Damage, Imported, Options, Path
from hotato.importers._messages import CAPTURES, THOUGHTS, answers, anthropic_sign, first_messages
from hotato.importers._notes import Lost, told
from hotato.importers._pairing import Answer, Calls
from hotato.importers._payload import answer, identifier, joined, message_text, some
from hotato.importers._roles import Turns
from hotato.importers._speech import shaped

RANK = 162
ROLES = {"assistant": "agent", "user": "caller"}
_ASKED = ("tool_use", "server_tool_use", "mcp_tool_use")


class Block(msgspec.Struct, kw_only=True):
    """A part of a message."""

    type: str
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Any = None
    tool_use_id: str | None = None
    content: Any = None
    is_error: bool | None = None


class Message(msgspec.Struct, kw_only=True):
    """A message; `content` is text or blocks."""

    role: str
    content: str | list[Block | str] | None = None


def _lists(content: Content) -> list[tuple[Path, int, list[Any]]]:
    """Return the lists of messages of content with the way to each and its line."""
    if type(content.value) is list:
        return [((), 0, content.value)]
    lines = lines_of(content)
    found = []
    for index, value in enumerate(content.values):
        path: Path = () if content.shape == "document" else (index,)
        if type(value) is not dict:
            raise Damage(path, "must be an object", lines[index])
        answered = value.get("response")
        wrapped = [n for n in ("request", "body") if type(value.get(n)) is dict and "messages" in value[n]]
        path = (*path, *wrapped[:1])
        messages = (value[wrapped[0]] if wrapped else value).get("messages")
        if type(messages) is list:
            more = [answered] if type(answered) is dict and type(answered.get("role")) is str else []
            found.append(((*path, "messages"), lines[index], [*messages, *more]))
        elif type(value.get("role")) is str:
            found.append((path, lines[index], [value]))
        else:
            raise Damage(path, "holds no message", lines[index])
    return found


def matches(content: Content) -> str:
    """Return why the content is an Anthropic list; empty where it is not."""
    return anthropic_sign(first_messages(content))


def read(content: Content, options: Options) -> Imported:
    """Return the transcript and the tool calls of a conversation."""
    lost = Lost()
    reader = _Reader(options, lost)
    for message, path, line in _conversation(content, lost):
        reader.take(message, path, line)
    return reader.imported()


def _conversation(content: Content, lost: Lost) -> list[tuple[Message, Path, int]]:
    """Return the messages of one conversation, each once. Raise Damage where there is more than one."""
    for path, line, answered in answers(content):
        if type(answered.get("role")) is not str and answered.get("type") != "error":
            raise Damage((*path, "role"), "must be the role of the answer's message", line)
    kept: list[tuple[Message, Path, int]] = []
    found = _lists(content)
    alone = all(len(messages) == 1 for _, _, messages in found)
    for path, line, messages in found:
        single = path[-1:] != ("messages",) and len(messages) == 1 and type(content.value) is not list
        made = []
        for index, message in enumerate(messages):
            way = path if single else (*path, index)
            made.append((shaped(message, Message, way, line), way, line))
        if kept and not alone:
            before, now = [m for m, _, _ in kept], [m for m, _, _ in made]
            if now[: len(before)] != before:
                raise Damage(path, "another conversation; one file is one call", line)
            lost["history_repeated"] += len(before)
            kept = made
        else:
            kept += made
    if not kept:
        raise Damage((), "holds no message")
    return kept


class _Reader:
    """Reads messages in order."""

    def __init__(self, options: Options, lost: Lost) -> None:
        self._lost = lost
        self._turns = Turns(ROLES, options, lost)
        self._calls = Calls(lost, turns=self._turns.turns)

    def take(self, message: Message, path: Path, line: int) -> None:
        """Take a message: its blocks in order, then what they say together."""
        blocks = message.content
        if message.role in ("system", "developer"):
            self._lost["not_speech"] += 1
        elif blocks is None or isinstance(blocks, str):
            self._turns.add(message.role, blocks or "")
        else:
            self._taken(message.role, blocks, (*path, "content"), line)

    def _taken(self, role: str, blocks: list[Block | str], path: Path, line: int) -> None:
        """Take blocks in order; what they say is one turn, which stands where the last of it does."""
        spoken = [index for index, block in enumerate(blocks) if not isinstance(block, Block) or block.text is not None]
        said: list[str] = []
        for index, block in enumerate(blocks):
            text = self._block(block, (*path, index), line)
            said += [] if text is None else [text]
            if spoken and index == spoken[-1]:
                self._turns.add(role, joined(said))
        if not blocks:
            self._turns.add(role, "")

    def _block(self, block: Block | str, path: Path, line: int) -> str | None:
        """Return the text of a block; None where it is something else, which is taken."""
        if type(block) is str:
            return block
        if type(block) is not Block:
            return None
        if block.type in _ASKED:
            self._calls.call(identifier(block.id), block.name, block.input)
        elif block.type.endswith("tool_result"):
            self._calls.result(_answer(block, path, line, self._lost))
        elif block.text is None:
            self._lost["not_speech" if block.type in THOUGHTS else "content_not_text"] += 1
        return block.text

    def imported(self) -> Imported:
        """Return what was read."""
        handoffs.add_named(self._calls, 0, self._lost)
        spans = self._calls.spans(0)
        self._lost["times_missing"] += bool(self._turns.turns or spans)
        return Imported(
            format="anthropic",
            transcript=self._turns.turns,
            spans=spans,
            captures=dict(CAPTURES),
            notes=[*told(self._lost), *self._turns.notes()],
        )


def _answer(block: Block, path: Path, line: int, lost: Lost) -> Answer:
    found = block.content
    # a server's own tools answer with an object of their own type, others with text or blocks of text
    if type(found) is list:
        found = message_text(found, (*path, "content"), lost, line) or None
    failed = block.is_error is True or (type(found) is dict and str(found.get("type", "")).endswith("_error"))
    error = (
        (some(found) or (some(found.get("error_code")) if type(found) is dict else None) or True) if failed else None
    )
    return Answer(id=block.tool_use_id, result=answer(found, lost), has_result=found is not None, error=error)
