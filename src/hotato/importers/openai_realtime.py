"""OpenAI Realtime: the events of a session, one a line, alone or wrapped with a time and a direction.

How to get it: log every event that your server receives and sends as one line of JSON, best as
`{"timestamp": "2026-01-02T03:04:05.678Z", "event": {...}}`; drop or keep the audio, it is not read. A list of events in one
file is read as well.

The events themselves have no clock but the caller's audio, so without timestamps only the caller's turns have times. With
timestamps every time is the moment an event was logged: a caller's turn starts when the start of speech was reported.
A turn that was cut off keeps its whole transcript, since the source does not say which words were played; where nothing was
played its words are `planned_text`. What it does not record: how the call ended; whether a function went wrong.
"""

from __future__ import annotations

from typing import Any

from hotato.importers import _handoffs as handoffs
from hotato.importers._clock import MS, in_time, instant, number_ns, origin_ns, since
from hotato.importers._importer import Content, Imported, Options
from hotato.importers._notes import Lost, told
from hotato.importers._pairing import Answer, Calls
from hotato.importers._payload import answer, identifier, joined, some
from hotato.importers._realtime import Event, Item, Logged, Said, logged, sign
from hotato.importers._roles import Turns

RANK = 150
ROLES = {"assistant": "agent", "user": "caller"}
CAPTURES = {"tool_call": True, "arguments": True, "result": True, "http_exchange": False, "termination": False}
_ITEMS = (
    "conversation.item.created",
    "conversation.item.added",
    "conversation.item.done",
    "conversation.item.retrieved",
)
_TEXTS = (
    "response.output_audio_transcript.done",
    "response.audio_transcript.done",
    "response.output_text.done",
    "response.text.done",
)
_PIECES = (
    "response.output_audio_transcript.delta",
    "response.audio_transcript.delta",
    "response.output_text.delta",
    "response.text.delta",
)

_SPOKEN = ("text", "audio", "input_text", "input_audio", "output_text", "output_audio")
_SILENT = ("reasoning", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response")


def matches(content: Content) -> str:
    """Return why the content is a Realtime log; empty where it is not."""
    return sign(content)


def read(content: Content, options: Options) -> Imported:
    """Return the transcript and the trace of a session."""
    lost = Lost()
    events = logged(content, lost)
    return _Session(events, options, lost).imported()


class _Session:
    """Reads the events of one session."""

    def __init__(self, events: list[Logged], options: Options, lost: Lost) -> None:
        self._events, self._lost = events, lost
        self._turns = Turns(ROLES, options, lost)
        self._calls = Calls(lost, same_id_is_same_call=True)
        self._said: dict[str, Said] = {}
        self._answers: dict[str, list[Said]] = {}
        self._names: dict[str, str] = {}
        self._done: dict[str, int] = {}
        self._cut: set[str] = set()
        self._unread: set[tuple[str, int]] = set()
        self._call_id: str | None = None
        self._walled = any(event.at is not None for event in events)
        times = [event.at for event in events]
        self._origin = origin_ns(options, None if self._walled else 0, times, Lost())
        # the server tells every item that a client creates; where it does, the client's own event is a repetition
        self._served = any(event.event.type in _ITEMS for event in events)

    def imported(self) -> Imported:
        """Return what the events say."""
        for event in self._events:
            self._take(event.event, event.at)
        for said in self._said.values():
            self._turn(said)
        self._lost["content_not_text"] += len(self._unread)
        self._lost["times_missing"] += not self._walled and bool(self._said)
        for asked in self._calls.asked:
            asked.at = self._done.get(asked.id or "", asked.at)
        handoffs.add_named(self._calls, self._origin, self._lost)
        spans = in_time(self._calls.spans(self._origin))
        return Imported(
            format="openai_realtime",
            transcript=in_time(self._turns.turns),
            spans=spans,
            call_id=self._call_id,
            captures=handoffs.recorded(CAPTURES, self._lost),
            notes=[*told(self._lost), *self._turns.notes()],
        )

    def _take(self, event: Event, at: int | None) -> None:
        kind = event.type
        if kind in _ITEMS or kind in ("response.output_item.added", "response.output_item.done"):
            self._item(event.item, at, is_final=not kind.endswith(".added") or kind in _ITEMS)
        elif kind == "conversation.item.create":
            if not self._served or (event.item is not None and event.item.type != "message"):
                self._item(event.item, at, is_final=True)
        elif kind in ("response.done", "response.created"):
            self._response(event, at)
        elif kind in _TEXTS or kind in _PIECES:
            self._agent_text(event, at)
        elif kind.startswith("response.function_call_arguments."):
            self._arguments(event, at)
        elif kind.startswith(("input_audio_buffer.", "output_audio_buffer.", "conversation.item.input_audio_")):
            self._audio(event, at)
        elif kind in ("conversation.item.truncated", "conversation.item.truncate"):
            self._truncated(event, at)
        elif kind.startswith("response.mcp_call"):
            self._mcp(event, at)
        elif kind == "error":
            self._error(event.error, at)
        elif kind in ("session.created", "session.updated") and event.session is not None:
            self._call_id = self._call_id or some(event.session.id)

    def _of(self, item_id: str | None) -> Said:
        key = item_id or f"\0{len(self._said)}"
        return self._said.setdefault(key, Said(id=key))

    def _belongs(self, said: Said, response: str | None) -> None:
        if response is not None and said.response is None:
            said.response = response
            self._answers.setdefault(response, []).append(said)

    def _item(self, item: Item | None, at: int | None, *, is_final: bool) -> None:
        if item is None:
            return
        if item.type == "function_call":
            given = item.arguments if is_final or item.arguments else None
            # a call that is only begun stands with an empty text, which is no statement about its arguments
            given = None if given == "" and item.status in ("in_progress", "incomplete") else given
            asked = self._calls.call(identifier(item.call_id) or item.id, item.name, given, at=at)
            if item.id and asked.id:
                self._names[item.id] = asked.id
        elif item.type == "function_call_output":
            call_id = identifier(item.call_id)
            found = answer(item.output, self._lost)
            self._calls.result(Answer(id=call_id, at=at, result=found, has_result=item.output is not None))
        elif item.type == "mcp_call":
            asked = self._calls.call(item.id, item.name, item.arguments or None, at=at)
            if asked.answer is None and (item.output is not None or item.error is not None):
                asked.answer = Answer(
                    at=at,
                    result=answer(item.output, self._lost),
                    has_result=item.output is not None,
                    error=_fault(item.error),
                )
        elif item.type == "message":
            said = self._of(item.id)
            said.role = item.role or said.role
            for index, part in enumerate(item.content or ()):
                text = part.transcript if part.transcript is not None else part.text
                if text:
                    said.texts.setdefault(index, text)
                elif part.type not in _SPOKEN:
                    self._unread.add((said.id, index))
            if item.status == "incomplete" and said.role == "assistant":
                said.is_cut = True
        elif item.type not in _SILENT:
            self._lost["entries_unknown"] += 1

    def _response(self, event: Event, at: int | None) -> None:
        response = event.response
        self._lost["entries_empty"] += event.type == "response.done" and (response is None or response.output is None)
        if response is None:
            return
        for item in response.output or ():
            self._item(item, at if item.type != "message" else None, is_final=True)
            if item.id and item.type == "message":
                self._belongs(self._of(item.id), response.id)
        details = response.status_details
        if response.status == "failed":
            self._error(details.error if details is not None else None, at)

    def _agent_text(self, event: Event, at: int | None) -> None:
        said = self._of(event.item_id)
        said.role = said.role or "assistant"
        self._belongs(said, event.response_id)
        index = event.content_index or 0
        if said.start is None:
            said.start = at
        if event.type in _TEXTS:
            text = event.transcript if event.transcript is not None else event.text
            if text is not None:
                said.texts[index] = text
        elif event.delta is not None:
            said.pieces[index] = said.pieces.get(index, "") + event.delta

    def _arguments(self, event: Event, at: int | None) -> None:
        if not event.type.endswith(".done"):
            return
        call_id = identifier(event.call_id) or self._names.get(event.item_id or "") or event.item_id
        self._calls.call(call_id, event.name, event.arguments, at=at)
        if at is not None and call_id is not None:
            self._done.setdefault(call_id, at)

    def _audio(self, event: Event, at: int | None) -> None:
        kind = event.type.rpartition(".")[2]
        if event.type.startswith("conversation."):
            self._transcribed(event, kind, at)
        elif event.type.startswith("output_"):
            for said in self._answers.get(event.response_id or "", ()):
                said.start = at if kind == "started" else said.start
                said.end = at if kind in ("stopped", "cleared") else said.end
        elif kind in ("speech_started", "speech_stopped"):
            said = self._of(event.item_id)
            said.role = said.role or "user"
            ms = event.audio_start_ms if kind == "speech_started" else event.audio_end_ms
            moment = at if self._walled else number_ns(ms, MS)
            if kind == "speech_started":
                said.start = moment
            else:
                said.end = moment
        elif kind == "dtmf_event_received":
            pressed = handoffs.dtmf(event.event, at, self._origin, "caller", lost=self._lost)
            self._calls.also(pressed)

    def _transcribed(self, event: Event, kind: str, at: int | None) -> None:
        said = self._of(event.item_id)
        said.role = said.role or "user"
        index = event.content_index or 0
        if kind == "completed":
            said.texts[index] = event.transcript or ""
        elif kind == "failed":
            self._lost["transcription_failed"] += 1
            self._error(event.error, at)
        elif kind in ("delta", "segment"):
            self._lost["partials_dropped"] += 1

    def _truncated(self, event: Event, at: int | None) -> None:
        said = self._of(event.item_id)
        said.role = said.role or "assistant"
        said.is_cut = True
        if event.audio_end_ms is not None:
            said.played_ms = event.audio_end_ms
        if said.id not in self._cut:
            self._cut.add(said.id)
            self._calls.also({"type": "interruption", **instant(at, self._origin), "by": "caller"})

    def _mcp(self, event: Event, at: int | None) -> None:
        kind = event.type.rpartition(".")[2]
        if event.type == "response.mcp_call_arguments.done":
            self._calls.call(event.item_id, None, event.arguments, at=at)
        elif kind == "failed":
            asked = self._calls.call(event.item_id, None, None, at=at)
            asked.answer = asked.answer or Answer(at=at, has_result=False, error=True)

    def _error(self, error: Any, at: int | None) -> None:
        found = error if type(error) is dict else {"message": error}
        name = identifier(found.get("code")) or some(found.get("type"))
        span = {"type": "error", **instant(at, self._origin), "name": name, "message": some(found.get("message"))}
        self._calls.also({key: value for key, value in span.items() if value is not None})

    def _turn(self, said: Said) -> None:
        if said.role is None or said.role == "system":
            self._lost["not_speech"] += said.role == "system"
            return
        texts = [said.texts.get(i) or said.pieces.get(i, "") for i in sorted({*said.texts, *said.pieces})]
        text = joined(texts)
        if said.role == "assistant":
            self._lost["text_from_pieces"] += bool(set(said.pieces) - set(said.texts))
        elif not text.strip():
            return  # heard and never transcribed; a failure is noted where it is told
        played = number_ns(said.played_ms, MS)
        if said.is_cut and said.start is not None and played is not None:
            said.end = said.start + played
        unheard = said.is_cut and said.played_ms == 0
        self._lost["spoken_part_unknown"] += said.is_cut and not unheard and said.role == "assistant"
        start, end = since(said.start, self._origin), since(said.end, self._origin)
        spoken, planned = ("", text) if unheard else (text, None)
        self._turns.add(said.role, spoken, start, end, interrupted=said.is_cut, planned=planned)


def _fault(error: Any) -> str | bool | None:
    if error is None:
        return None
    return (some(error.get("message")) if type(error) is dict else some(error)) or True
