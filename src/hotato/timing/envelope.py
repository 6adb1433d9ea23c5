"""Events become an envelope, `envelope.v1`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from hotato.model import given
from hotato.timing.claims import FIXES, LIMITS, SCHEMA_VERSION, TOOL
from hotato.timing.config import Config

if TYPE_CHECKING:
    from hotato.timing.scored import Scored

Event = Mapping[str, Any]


def single(scored: Scored, config: Config, *, stack: str | None = None) -> dict[str, Any]:
    """Return the envelope of one recording."""
    return envelope("single", [scored.event], config, stack=stack)


def envelope(
    mode: str, events: Sequence[Event], config: Config, *, stack: str | None = None, suite: str | None = None
) -> dict[str, Any]:
    """Return the envelope of events, plain JSON.

    `exit_code` is 1 where a scorable event failed, else 2 where one has no verdict, or there is none, else 0. `stack` is
    what the user says the agent runs on. Raise UsageError where that is no text.
    """
    if stack is not None:
        given.typed(str, stack, "stack", "text")
    judged = [event for event in events if event["scorable"]]
    failed = [event for event in judged if not event["verdict"]["passed"]]
    left = len(events) - len(judged)
    summary: dict[str, Any] = {
        "events": len(events),
        "passed": len(judged) - len(failed),
        "failed": len(failed),
        "regression": bool(failed),
    }
    if left:
        summary["not_scorable"] = left
    found: dict[str, Any] = {
        "tool": TOOL,
        "schema_version": SCHEMA_VERSION,
        "mode": mode,
        "stack": stack,
        "offline": True,
        "engine": {"name": "energy", "version": "1", "config": msgspec.structs.asdict(config)},
        "limits": list(LIMITS),
        "summary": summary,
        "events": list(events),
        "fix_map": _fix_map(failed),
        "funnel": _funnel(events, judged, failed),
        "exit_code": 1 if failed else 2 if left or not events else 0,
    }
    if suite is not None:
        found["suite"] = suite
    return found


def _fix_map(failed: Sequence[Event]) -> dict[str, Any]:
    """Return what failures ask for, in a fixed order, each with the events that ask for it."""
    return {
        code: {"title": title, "advice": advice, "events": asking}
        for code, (title, advice) in FIXES.items()
        if (asking := [event["event_id"] for event in failed if event["fix"]["code"] == code])
    }


def _funnel(events: Sequence[Event], judged: Sequence[Event], failed: Sequence[Event]) -> dict[str, int]:
    """Return how many events are left at each step from a recording to a pass."""
    talking = [event for event in judged if event["measurements"]["agent_talking_at_onset"]]
    return {
        "recordings": len(events),
        "scorable": len(judged),
        "agent_talking_at_onset": len(talking),
        "passed": len(judged) - len(failed),
    }
