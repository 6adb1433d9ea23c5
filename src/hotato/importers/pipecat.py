"""Pipecat: the messages of an LLM context, in the shape of OpenAI's Chat Completions with marks of Pipecat's own.

How to get it: write `LLMContext.get_messages()` to a file when the pipeline ends. Pipecat's OpenTelemetry export has times
and is the better source; a context without any of Pipecat's marks is read as `openai_chat`, which says the same of it.

What it does not record: times; agent speech that was not played because the caller cut in; who ended the call. A tool
message `IN_PROGRESS` is no result, `COMPLETED` one without a value, `CANCELLED` a call that was broken off. The key
presses of a caller stand as a user message `DTMF: 123#`; they become a `dtmf` span and no turn.
"""

from __future__ import annotations

from typing import Any

from hotato.importers import _handoffs as handoffs
from hotato.importers._importer import Content, Imported, Options, Path
from hotato.importers._messages import CAPTURES, Message, Reader, anthropic_sign, first_messages, one_list, pipecat_sign
from hotato.importers._notes import Lost
from hotato.importers._pairing import Answer
from hotato.importers._payload import answer, decoded, identifier, some

RANK = 166


class Context(Reader):
    """Reads a message list with Pipecat's marks."""

    def heard(self, role: str, text: str) -> None:
        """Take what a party said, or the keys that the caller pressed."""
        pressed = handoffs.dtmf(text[6:], None, 0, "caller") if role == "user" and text.startswith("DTMF: ") else None
        if pressed is None:
            super().heard(role, text)
        else:
            self.calls.also(pressed)

    def answered(self, call_id: str | None, name: str | None, text: str) -> None:
        """Take what a tool answered, or the mark that stands for it."""
        mark = text.strip()
        if mark == "IN_PROGRESS" or self._later(mark, call_id) is not None:
            return
        if mark in ("COMPLETED", "CANCELLED"):
            status = {"status": "cancelled"} if mark == "CANCELLED" else {}
            self.calls.result(Answer(id=call_id, name=name, has_result=False, extra=status))
            return
        super().answered(call_id, name, text)

    def instructed(self, message: Message, path: Path, line: int) -> None:
        """Take a developer's message, which may be the late answer of a tool that ran beside the conversation."""
        text = message.content
        if type(text) is not str or self._later(text.strip(), None) is None:
            super().instructed(message, path, line)

    def _later(self, text: str, call_id: str | None) -> dict[str, Any] | None:
        """Take an asynchronous tool's news; return it, or None where the text is none."""
        value = decoded(text) if '"async_tool"' in text else None
        if type(value) is not dict or value.get("type") != "async_tool":
            return None
        status = some(value.get("status"))
        if status not in (None, "running", "started", "in_progress"):
            own = identifier(value.get("tool_call_id")) or identifier(value.get("function_call_id")) or call_id
            self.calls.result(
                Answer(
                    id=own,
                    name=some(value.get("name")) or some(value.get("function_name")),
                    result=answer(value.get("result"), self.lost),
                    has_result=value.get("result") is not None,
                    extra={} if status == "finished" else {"status": status},
                )
            )
        return value


def matches(content: Content) -> str:
    """Return why the content is a Pipecat context; empty where nothing tells it from another message list."""
    messages = first_messages(content)
    if anthropic_sign(messages):
        return ""
    return next((sign for sign in map(pipecat_sign, messages) if sign), "")


def read(content: Content, options: Options) -> Imported:
    """Return the transcript, the tool calls and the key presses of a context."""
    lost = Lost()
    reader = Context(options, lost)
    reader.read(one_list(content, lost))
    return reader.imported("pipecat", {**CAPTURES, "dtmf": True}, "pipecat")
