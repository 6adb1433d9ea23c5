"""call-center-ai (Microsoft's open-source call centre): a call as its store keeps it.

How to get it: export the call's document from the store, or from the report page's API.

Turns start when they were written down and have no end; a tool's call and result stand in one entry, without times of their
own. What it does not record: whether a tool went wrong, other than in the words of its result; key presses.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.importers import _handoffs as handoffs
from hotato.importers._clock import S, in_time, iso_ns, moment, origin_ns, since
from hotato.importers._importer import Content, Imported, Options
from hotato.importers._notes import Lost, told
from hotato.importers._pairing import Answer, Calls
from hotato.importers._payload import answer, identifier, some
from hotato.importers._roles import Turns
from hotato.importers._speech import shaped

RANK = 236
ROLES = {"assistant": "agent", "human": "caller"}
SPOKEN = (None, "", "talk")
CAPTURES = {"tool_call": True, "arguments": True, "result": True, "dtmf": False, "http_exchange": False}


class ToolCall(msgspec.Struct, kw_only=True):
    """A call of a tool, and its result as `content`."""

    id: str | None = None
    tool_id: str | None = None
    function_name: str | None = None
    function_arguments: Any = None
    content: Any = None


class Message(msgspec.Struct, kw_only=True):
    """A message; `action` says what it is if not speech."""

    persona: str
    content: str | None = None
    created_at: str | None = None
    action: str | None = None
    tool_calls: list[ToolCall] | None = None


class Call(msgspec.Struct, kw_only=True):
    """A call."""

    messages: list[Message]
    id: str | None = None
    call_id: str | None = None
    created_at: str | None = None


def matches(content: Content) -> str:
    """Return why the content is of call-center-ai; empty where it is not."""
    messages = content.value.get("messages") if type(content.value) is dict else None
    found = type(messages) is list and messages and all(type(one) is dict and "persona" in one for one in messages)
    return "messages with a persona" if found else ""


def read(content: Content, options: Options) -> Imported:
    """Return the transcript and the tool calls of a call."""
    call = shaped(content.value, Call)
    lost = Lost()
    turns, calls = Turns(ROLES, options, lost), Calls(lost)
    times = [moment(one.created_at, S, lost) for one in call.messages]
    origin = origin_ns(options, iso_ns(call.created_at), times, lost)
    ending: dict[str, Any] | None = None
    for one, at in zip(call.messages, times, strict=True):
        asked = [_asked(tool, at, calls, lost) for tool in one.tool_calls or ()]
        if one.action == "hangup":
            ending = handoffs.termination(None, turns.role(one.persona), at, origin)
        if one.action not in SPOKEN:
            lost["not_speech"] += one.action != "hangup"
        elif some(one.content) or not asked:
            turns.add(one.persona, one.content or "", since(at, origin))
        if "end_call" in asked and ending is None:
            ending = handoffs.termination(None, "agent", at, origin)
    handoffs.add_named(calls, origin, lost)
    spans = in_time(calls.spans(origin))
    return Imported(
        format="call_center_ai",
        transcript=in_time(turns.turns),
        spans=[*spans, *([ending] if ending else [])],
        call_id=some(call.call_id) or some(call.id),
        stack="call-center-ai",
        captures=dict(CAPTURES),
        notes=[*told(lost), *turns.notes()],
    )


def _asked(tool: ToolCall, at: int | None, calls: Calls, lost: Lost) -> str | None:
    """Record a call and its result; return the tool's name."""
    name = tool.function_name
    asked = calls.call(identifier(tool.id) or identifier(tool.tool_id), name, tool.function_arguments, at=at)
    if tool.content is not None:
        asked.answer = Answer(result=answer(tool.content, lost))
    return name
