"""The shapes of LiveKit's session reports and chat contexts."""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.importers._clock import S, number_ns, since
from hotato.importers._importer import Path
from hotato.importers._speech import shaped

CR = "CR_"
Number = int | float
Id = str | int | None
_ACTIVE = {"agent_state_changed": "agent_audio_active", "user_state_changed": "caller_audio_active"}


class Metrics(msgspec.Struct, kw_only=True):
    """Measurements of a message: moments and durations in seconds."""

    started_speaking_at: Number | None = None
    stopped_speaking_at: Number | None = None
    e2e_latency: Number | None = None
    llm_node_ttft: Number | None = None
    tts_node_ttfb: Number | None = None


class Item(msgspec.Struct, kw_only=True):
    """An item of a chat context; `created_at` in seconds since 1970."""

    type: str
    id: str | None = None
    role: str | None = None
    content: Any = None
    interrupted: bool | None = None
    metrics: Metrics | None = None
    call_id: Id = None
    name: str | None = None
    arguments: Any = None
    output: Any = None
    is_error: bool | None = None
    old_agent_id: str | None = None
    new_agent_id: str | None = None
    created_at: Number | None = None


class Update(msgspec.Struct, kw_only=True):
    """News of a tool that runs."""

    type: str | None = None
    function_call: Item | None = None
    call_id: Id = None
    message: Any = None
    status: str | None = None


class Event(msgspec.Struct, kw_only=True):
    """An event of a session; `created_at` in seconds since 1970."""

    type: str
    created_at: Number | None = None
    item: Item | None = None
    old_state: str | None = None
    new_state: str | None = None
    transcript: str | None = None
    is_final: bool | None = None
    function_calls: list[Item] | None = None
    function_call_outputs: list[Item | None] | None = None
    update: Update | None = None
    reason: str | None = None
    error: Any = None


class History(msgspec.Struct, kw_only=True):
    """A chat context."""

    items: list[Item]


class Report(msgspec.Struct, kw_only=True):
    """A session report."""

    job_id: str | None = None
    agent_name: str | None = None
    chat_history: History | None = None
    events: list[Event] | None = None
    close_reason: str | None = None
    audio_recording_started_at: Number | None = None


def shaped_items(items: list[Any], path: Path) -> list[Item]:
    """Return the items of a chat context. Raise Damage with the way to what is no item."""
    return [shaped(item, Item, (*path, index)) for index, item in enumerate(items)]


def by(reason: str | None) -> str | None:
    """Return who ended a session, where the reason tells."""
    known = {
        "participant_disconnected": "caller",
        "task_completed": "agent",
        "error": "system",
        "job_shutdown": "system",
    }
    return known.get(reason or "")


def audible(events: list[Event], origin: int) -> list[dict[str, Any]]:
    """Return when the agent and the caller were heard, as their states tell; the last may have no end."""
    states = [(number_ns(e.created_at, S), e) for e in events if e.type in _ACTIVE]
    # a state is stamped when it holds and written when it is noticed, so the file is not in order
    states.sort(key=lambda pair: pair[0] or 0)
    made = []
    open_ones: dict[str, dict[str, Any]] = {}
    for at, event in states:
        kind = _ACTIVE[event.type]
        if event.new_state == "speaking" and kind not in open_ones:
            span: dict[str, Any] = {"type": kind}
            if at is not None:
                span["start_sec"] = since(at, origin)
            open_ones[kind] = span
            made.append(span)
        elif event.old_state == "speaking" and kind in open_ones:
            span = open_ones.pop(kind)
            if at is not None:
                span["end_sec"] = since(at, origin)
    return made
