"""ElevenLabs' OpenTelemetry export: what its spans tell of speech and of the end of a call."""

from __future__ import annotations

from typing import Any

from hotato.importers._clock import S
from hotato.importers._out import Out
from hotato.importers._payload import some
from hotato.importers._raw import Raw
from hotato.importers._roles import Turns

PREFIX = "elevenlabs."
_TEXTS = {"elevenlabs.user.text": "caller", "elevenlabs.agent.text": "agent"}


def turns(spans: list[Raw], origin: int, made: Turns) -> None:
    """Add the turns of a call: by their number, then by time."""
    said: list[tuple[Any, ...]] = []
    for span in spans:
        for name, label in _TEXTS.items():
            text = some(span.attrs.get(name))
            if text is not None and span.start is not None:
                index = span.attrs.get("elevenlabs.turn.index")
                said.append((span.start, index if type(index) is int else 0, label, text, span.end))
    for start, _, label, text, end in sorted(said, key=lambda turn: turn[:4]):
        made.add(label, text, (start - origin) / S, None if end is None else (end - origin) / S)


def outs(spans: list[Raw]) -> list[Out]:
    """Return how the call ended."""
    made = []
    for span in spans:
        reason = some(span.attrs.get("elevenlabs.termination_reason"))
        if reason is not None:
            made.append(Out(type="termination", data={"reason": reason}, start=span.end, raw=span, is_instant=True))
    return made
