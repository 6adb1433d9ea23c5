"""The events of an OpenAI Realtime log, taken out of whatever a logger wrapped around them."""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.importers._events import events_among, logged_at, logged_values, unwrapped
from hotato.importers._importer import Content, Damage, Path
from hotato.importers._notes import Lost
from hotato.importers._speech import shaped

PREFIXES = (
    "response.", "conversation.", "input_audio_buffer.", "output_audio_buffer.", "session.", "transcription_session.",
    "rate_limits.", "mcp_list_tools.",
)  # fmt: skip
_AUDIO = ("response.output_audio.delta", "response.audio.delta", "input_audio_buffer.append")
Number = int | float


class Part(msgspec.Struct, kw_only=True):
    """A part of a message."""

    type: str | None = None
    text: str | None = None
    transcript: str | None = None


class Item(msgspec.Struct, kw_only=True):
    """An item of the conversation."""

    id: str | None = None
    type: str | None = None
    role: str | None = None
    status: str | None = None
    content: list[Part] | None = None
    call_id: str | int | None = None
    name: str | None = None
    arguments: Any = None
    output: Any = None
    error: Any = None


class Details(msgspec.Struct, kw_only=True):
    """Why a response has its status."""

    error: Any = None


class Response(msgspec.Struct, kw_only=True):
    """An answer of the model."""

    id: str | None = None
    status: str | None = None
    status_details: Details | None = None
    output: list[Item] | None = None


class Session(msgspec.Struct, kw_only=True):
    """The session."""

    id: str | None = None


class Event(msgspec.Struct, kw_only=True):
    """An event of either side; audio positions in milliseconds."""

    type: str
    item_id: str | None = None
    response_id: str | None = None
    content_index: int | None = None
    call_id: str | int | None = None
    name: str | None = None
    arguments: Any = None
    transcript: str | None = None
    text: str | None = None
    delta: str | None = None
    audio_start_ms: Number | None = None
    audio_end_ms: Number | None = None
    item: Item | None = None
    response: Response | None = None
    session: Session | None = None
    event: str | int | None = None
    error: Any = None


class Logged(msgspec.Struct):
    """An event and when it was logged, in nanoseconds since 1970; None where the log does not say."""

    event: Event
    at: int | None


class Said(msgspec.Struct, kw_only=True):
    """What is known of a message so far; moments in nanoseconds, `played_ms` how much of it was heard."""

    id: str
    role: str | None = None
    texts: dict[int, str] = msgspec.field(default_factory=dict)
    pieces: dict[int, str] = msgspec.field(default_factory=dict)
    start: int | None = None
    end: int | None = None
    response: str | None = None
    is_cut: bool = False
    played_ms: Number | None = None


def _is_event(value: Any) -> bool:
    kind = value.get("type") if type(value) is dict else None
    return type(kind) is str and (kind.startswith(PREFIXES) or (kind == "error" and type(value.get("error")) is dict))


def _values(content: Content) -> list[tuple[Path, int, Any]]:
    value = content.value
    if type(value) is dict and value and "events" not in value and unwrapped(value, _is_event) is None:
        return [((name,), 0, one) for name, one in value.items()]  # as the API's own examples are kept
    return logged_values(content)


def sign(content: Content) -> str:
    """Return why content is a Realtime log; empty where it is not."""
    found = events_among(_values(content), _is_event)
    kind = next((event["type"] for event in found if event["type"] != "error"), "")
    return f"events such as {kind}" if kind else ""


def logged(content: Content, lost: Lost) -> list[Logged]:
    """Return the events in the order of the log. Raise Damage where an event is broken or there is none."""
    made = []
    for path, line, value in _values(content):
        found = unwrapped(value, _is_event)
        if found is None:
            lost["entries_unknown"] += 1
        elif found[1]["type"] in _AUDIO:
            lost["audio_dropped"] += 1
        else:
            event = shaped(found[1], Event, (*path, *found[0]), line)
            made.append(Logged(event, logged_at(value, found[0], lost)))
    if not made:
        raise Damage((), "holds no event of a Realtime session")
    return made
