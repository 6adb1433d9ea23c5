"""Deepgram Voice Agent: the messages of the socket, one a line, alone or wrapped with a time.

How to get it: log every text message that your server receives and sends as one line of JSON, best as
`{"timestamp": "2026-01-02T03:04:05.678Z", "event": {...}}`. A list of messages in one file is read as well.

What it does not record: times, unless the log adds them, and then a turn starts when its text was reported; whether a
function went wrong; how the call ended. `AgentStartedSpeaking` tells the latency of an answer.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.importers import _handoffs as handoffs
from hotato.importers._clock import MS, S, in_time, instant, number_ns, origin_ns, since
from hotato.importers._events import events_among, logged, logged_values
from hotato.importers._importer import Content, Damage, Imported, Options
from hotato.importers._notes import Lost, told
from hotato.importers._pairing import Answer, Calls
from hotato.importers._payload import answer, identifier, some
from hotato.importers._roles import Turns

RANK = 169
ROLES = {"assistant": "agent", "agent": "agent", "user": "caller"}
SIGNS = (
    "ConversationText",
    "FunctionCallRequest",
    "FunctionCallResponse",
    "FunctionCalling",
    "SettingsApplied",
    "History",
)
KINDS = (
    *SIGNS, "Welcome", "UserStartedSpeaking", "AgentStartedSpeaking", "AgentThinking", "AgentAudioDone", "Error", "Warning",
    "Settings", "SettingsConfiguration", "UpdatePrompt", "PromptUpdated", "UpdateSpeak", "SpeakUpdated", "InjectAgentMessage",
    "InjectUserMessage", "InjectionRefused", "KeepAlive", "Close",
)  # fmt: skip
CAPTURES = {
    "tool_call": True,
    "arguments": True,
    "result": True,
    "dtmf": False,
    "http_exchange": False,
    "termination": False,
}
Number = int | float


class Function(msgspec.Struct, kw_only=True):
    """A call of a function; `response` only in a history."""

    id: str | None = None
    name: str | None = None
    arguments: Any = None
    response: Any = None


class Message(msgspec.Struct, kw_only=True):
    """A message of either side; latencies in seconds."""

    type: str
    role: str | None = None
    content: Any = None
    functions: list[Function] | None = None
    function_calls: list[Function] | None = None
    id: str | None = None
    name: str | None = None
    function_call_id: str | None = None
    function_name: str | None = None
    input: Any = None
    output: Any = None
    total_latency: Number | None = None
    tts_latency: Number | None = None
    ttt_latency: Number | None = None
    code: str | int | None = None
    description: str | None = None
    message: str | None = None
    session_id: str | None = None
    request_id: str | None = None


def _is_message(value: Any) -> bool:
    return type(value) is dict and value.get("type") in KINDS


def matches(content: Content) -> str:
    """Return why the content is a log of a voice agent; empty where it is not."""
    found = events_among(logged_values(content), _is_message)
    kind = next((message["type"] for message in found if message["type"] in SIGNS), "")
    return f"messages such as {kind}" if kind else ""


def read(content: Content, options: Options) -> Imported:
    """Return the transcript and the tool calls of a log."""
    lost = Lost()
    messages = logged(content, _is_message, Message, lost)
    if not messages:
        raise Damage((), "holds no message of a voice agent")
    return _Log(messages, options, lost).imported()


class _Log:
    """Reads the messages of one call."""

    def __init__(self, messages: list[tuple[Message, int | None]], options: Options, lost: Lost) -> None:
        self._messages, self._lost = messages, lost
        self._turns = Turns(ROLES, options, lost)
        self._calls = Calls(lost, same_id_is_same_call=True)
        self._call_id: str | None = None
        self._origin = origin_ns(options, None, [at for _, at in messages], Lost())
        # where texts come as conversation and as history, they are the same texts
        self._conversed = any(message.type == "ConversationText" for message, _ in messages)

    def imported(self) -> Imported:
        """Return what the messages say."""
        for message, at in self._messages:
            self._take(message, at)
        handoffs.add_named(self._calls, self._origin, self._lost)
        spans = in_time(self._calls.spans(self._origin))
        walled = any(at is not None for _, at in self._messages)
        self._lost["times_missing"] += not walled and bool(self._turns.turns or spans)
        return Imported(
            format="deepgram_agent",
            transcript=in_time(self._turns.turns),
            spans=spans,
            call_id=self._call_id,
            stack="deepgram",
            captures=dict(CAPTURES),
            notes=[*told(self._lost), *self._turns.notes()],
        )

    def _take(self, message: Message, at: int | None) -> None:
        kind = message.type
        if kind == "ConversationText":
            self._turns.add(message.role or "unknown", _text(message), since(at, self._origin))
        elif kind == "History":
            self._history(message, at)
        elif kind == "FunctionCallRequest":
            for one in message.functions or ():
                self._calls.call(identifier(one.id), one.name, one.arguments, at=at)
            if message.functions is None and (message.function_name or message.function_call_id):
                self._calls.call(message.function_call_id, message.function_name, message.input, at=at)
        elif kind == "FunctionCallResponse":
            found = message.content if message.content is not None else message.output
            answered = Answer(
                id=identifier(message.id) or message.function_call_id,
                name=some(message.name) or message.function_name,
                at=at,
                result=answer(found, self._lost),
                has_result=found is not None,
            )
            self._calls.result(answered)
        elif kind == "AgentStartedSpeaking":
            self._latency(message, at)
        elif kind == "Error":
            text = some(message.description) or some(message.message)
            span = {"type": "error", **instant(at, self._origin), "name": identifier(message.code), "message": text}
            self._calls.also({key: value for key, value in span.items() if value is not None})
        elif kind == "Welcome":
            self._call_id = some(message.session_id) or some(message.request_id)

    def _history(self, message: Message, at: int | None) -> None:
        for one in message.function_calls or ():
            self._calls.call(identifier(one.id), one.name, one.arguments, at=at)
            if one.response is not None:
                self._calls.result(
                    Answer(id=identifier(one.id), name=one.name, result=answer(one.response, self._lost))
                )
        if message.content is not None and self._conversed:
            self._lost["history_repeated"] += 1
        elif message.content is not None:
            self._turns.add(message.role or "unknown", _text(message), since(at, self._origin))

    def _latency(self, message: Message, at: int | None) -> None:
        parts = {"latency_ms": message.total_latency, "llm_ms": message.ttt_latency, "tts_ms": message.tts_latency}
        taken = {name: ns / MS for name, seconds in parts.items() if (ns := number_ns(seconds, S)) is not None}
        if taken:
            self._calls.also({"type": "turn_latency", **instant(at, self._origin), **taken})


def _text(message: Message) -> str:
    return message.content if type(message.content) is str else ""
