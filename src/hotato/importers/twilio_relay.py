"""Twilio ConversationRelay: the messages of the socket in both directions, one a line.

How to get it: log every message that your server receives and sends as one line of JSON, best as
`{"timestamp": "2026-01-02T03:04:05.678Z", "event": {...}}`. Without the `text` messages that your server sends, only what
the caller said is there, and of the agent what Twilio reports of interrupted turns.

The tokens of an answer are joined up to the one marked `last`. An interrupted turn has as `text` what Twilio says was heard
and as `planned_text` all that was sent. What it does not record: times, unless the log adds them; tool calls, which never
pass through it, so a check of them cannot be judged by this file. An `end` with `handoffData` is a handoff and the end.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.importers import _handoffs as handoffs
from hotato.importers._clock import in_time, instant, origin_ns, since
from hotato.importers._events import events_among, logged, logged_values
from hotato.importers._importer import Content, Damage, Imported, Options
from hotato.importers._notes import Lost, told
from hotato.importers._payload import decoded, joined, some
from hotato.importers._roles import Turns

RANK = 38  # before `bridge`: key presses are called the same in both
ROLES = {"agent": "agent", "caller": "caller"}
FIELDS = {
    "setup": ("callSid", "sessionId"),
    "prompt": ("voicePrompt",),
    "dtmf": ("digit",),
    "interrupt": ("utteranceUntilInterrupt", "durationUntilInterruptMs"),
    "error": ("description",),
    "text": ("token",),
    "play": ("source",),
    "sendDigits": ("digits",),
    "language": ("ttsLanguage", "transcriptionLanguage"),
    "end": (),
}
CAPTURES = {
    "tool_call": False,
    "arguments": False,
    "result": False,
    "handoff": True,
    "dtmf": True,
    "http_exchange": False,
}


class Message(msgspec.Struct, kw_only=True, rename="camel"):
    """A message of either side."""

    type: str
    call_sid: str | None = None
    voice_prompt: str | None = None
    last: bool | None = None
    token: str | None = None
    digit: str | int | None = None
    digits: str | int | None = None
    utterance_until_interrupt: str | None = None
    description: str | None = None
    handoff_data: Any = None


def _is_message(value: Any) -> bool:
    kind = value.get("type") if type(value) is dict else None
    if type(kind) is not str or kind not in FIELDS:
        return False
    return kind == "end" or any(name in value for name in FIELDS[kind])


def matches(content: Content) -> str:
    """Return why the content is a ConversationRelay log; empty where it is not."""
    found = events_among(logged_values(content), _is_message)
    for message in found:
        if message["type"] == "setup" and "callSid" in message:
            return "a setup message with a callSid"
        if message["type"] in ("prompt", "interrupt"):
            return f"messages of type {message['type']}"
    return ""


def read(content: Content, options: Options) -> Imported:
    """Return the transcript, the key presses and the end of a log."""
    lost = Lost()
    messages = logged(content, _is_message, Message, lost)
    if not messages:
        raise Damage((), "holds no message of ConversationRelay")
    if sum(message.type == "setup" for message, _ in messages) > 1:
        raise Damage((), "holds more than one call; one file is one call")
    return _Log(messages, options, lost).imported()


class _Log:
    """Reads the messages of one call."""

    def __init__(self, messages: list[tuple[Message, int | None]], options: Options, lost: Lost) -> None:
        self._messages, self._lost = messages, lost
        self._turns = Turns(ROLES, options, lost)
        self._spans: list[dict[str, Any]] = []
        self._call_id: str | None = None
        self._origin = origin_ns(options, None, [at for _, at in messages], Lost())
        self._tokens: list[str] = []
        self._began: int | None = None
        self._spoken: dict[str, Any] | None = None

    def imported(self) -> Imported:
        """Return what the messages say."""
        for message, at in self._messages:
            self._take(message, at)
        self._answer_over()
        walled = any(at is not None for _, at in self._messages)
        self._lost["times_missing"] += not walled and bool(self._turns.turns or self._spans)
        return Imported(
            format="twilio_relay",
            transcript=in_time(self._turns.turns),
            spans=in_time(self._spans),
            call_id=self._call_id,
            stack="twilio",
            captures=handoffs.recorded(CAPTURES, self._lost),
            notes=[*told(self._lost), *self._turns.notes()],
        )

    def _take(self, message: Message, at: int | None) -> None:
        kind = message.type
        if kind == "setup":
            self._call_id = some(message.call_sid)
        elif kind == "prompt":
            self._prompt(message, at)
        elif kind == "text":
            self._began = at if not self._tokens else self._began
            self._tokens.append(message.token or "")
            if message.last is not False:
                self._answer_over()
        elif kind == "interrupt":
            self._interrupted(message, at)
        elif kind in ("dtmf", "sendDigits"):
            given, by = (message.digit, "caller") if kind == "dtmf" else (message.digits, "agent")
            pressed = handoffs.dtmf(given, at, self._origin, by, lost=self._lost)
            self._spans += [pressed] if pressed else []
        elif kind == "error":
            text = {"message": message.description} if some(message.description) else {}
            self._spans.append({"type": "error", **instant(at, self._origin), **text})
        elif kind == "end":
            self._end(message, at)

    def _prompt(self, message: Message, at: int | None) -> None:
        text = message.voice_prompt or ""
        if message.last is False:
            self._lost["partials_dropped"] += 1
            span = {"type": "asr_partial", **instant(at, self._origin), "role": "caller", "text": text}
            self._spans.append(span)
        else:
            self._turns.add("caller", text, since(at, self._origin))

    def _answer_over(self) -> None:
        """Make a turn of the tokens so far."""
        if self._tokens:
            self._spoken = self._turns.add("agent", "".join(self._tokens), since(self._began, self._origin))
        self._tokens = []

    def _interrupted(self, message: Message, at: int | None) -> None:
        self._answer_over()
        heard = message.utterance_until_interrupt
        turn = self._spoken
        self._spoken = None
        self._spans.append({"type": "interruption", **instant(at, self._origin), "by": "caller"})
        if turn is None:
            if some(heard):
                self._turns.add("agent", heard or "", interrupted=True)
            return
        turn["interrupted"] = True
        if heard is None:
            self._lost["spoken_part_unknown"] += 1
        elif heard.strip() != turn["text"]:
            turn["planned_text"], turn["text"] = turn["text"], joined([heard]).strip()
            self._lost["planned_text_unspoken"] += 1

    def _end(self, message: Message, at: int | None) -> None:
        data = message.handoff_data
        data = decoded(data) if type(data) is str else data
        reason = data.get("reasonCode", data.get("reason")) if type(data) is dict else None
        if data is not None and data != "":
            target = (
                next((data[n] for n in ("to", "target", "queue") if some(data.get(n))), None)
                if type(data) is dict
                else None
            )
            span = {"type": "handoff", **instant(at, self._origin), "to": target, "reason": some(reason), "data": data}
            self._spans.append({key: value for key, value in span.items() if value is not None})
        ending = handoffs.termination(reason, "agent", at, self._origin)
        self._spans += [ending] if ending else []
