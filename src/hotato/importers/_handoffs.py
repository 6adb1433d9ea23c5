"""Handoffs, key presses and endings as spans, and the tools whose call is one of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hotato.importers._clock import instant, window
from hotato.importers._notes import Lost
from hotato.importers._pairing import Asked, Calls, end_of

_TO = re.compile(r"(?:transfer|hand_?off|hand_?over)_to_(.+)", re.IGNORECASE)
_KEYS = frozenset("0123456789*#ABCD")
_PAUSE = re.compile(r"[wWpP,;\s-]")


def named_target(tool: str | None) -> str | None:
    """Return whom a tool such as `transfer_to_billing` hands over to; None for any other tool."""
    match = _TO.fullmatch(tool or "")
    return match[1] if match else None


def of_call(asked: Asked, to: str | None, origin: int, **extra: Any) -> dict[str, Any]:
    """Return the handoff that a tool call is, with the call's window, and its error where it went wrong."""
    answer = asked.answer
    unheard = Lost()  # the tool call itself tells what is odd about its times
    span: dict[str, Any] = {"type": "handoff", **window(asked.at, end_of(asked), origin, unheard)}
    if asked.inferred:
        span["time_inferred"] = True
    if to:
        span["to"] = to
    if asked.id is not None:
        span["tool_call_id"] = asked.id
    if answer is not None and answer.error not in (None, False):
        span["error"] = answer.error
    status = answer.extra.get("status") if answer is not None else None
    if status is not None:
        span["status"] = status
    return {**span, **{key: value for key, value in extra.items() if value is not None}}


def add_named(calls: Calls, origin: int, lost: Lost) -> None:
    """Record the handoffs that calls of tools such as `transfer_to_billing` are.

    The tool's name alone is an inference, and noted; an answer that names the assistant who took over settles it.
    """
    calls.pair()
    for asked in calls.asked:
        to = named_target(asked.name)
        told = asked.result.get("assistant")
        if to is not None:
            lost["handoff_inferred"] += type(told) is not str
            calls.also(of_call(asked, told if type(told) is str else to, origin), asked)


def keys(text: Any) -> str:
    """Return the keys of a text of nothing but keys, pauses and separators; empty for any other text."""
    found = _PAUSE.sub("", str(text)).upper() if type(text) in (str, int) else ""
    return found if _KEYS.issuperset(found) else ""


def dtmf(
    text: Any, at: int | None, origin: int, by: str | None = None, *, lost: Lost | None = None, **extra: Any
) -> dict[str, Any] | None:
    """Return the key press that a text of keys is; None where it holds none, which is noted where `lost` is given."""
    digits = keys(text)
    if not digits:
        if lost is not None:
            lost["keys_missing"] += 1
        return None
    span = {"type": "dtmf", **instant(at, origin), "digits": digits, "by": by, **extra}
    return {key: value for key, value in span.items() if value is not None}


def recorded(captures: Mapping[str, bool], lost: Lost) -> dict[str, bool]:
    """Return what a source records: not the keys that were pressed, where it tells of presses without them."""
    return {**captures, **({"dtmf": False} if lost["keys_missing"] else {})}


def termination(reason: Any, by: str | None, at: int | None, origin: int, **extra: Any) -> dict[str, Any] | None:
    """Return how the call ended; None where nothing is said of it."""
    told = reason if type(reason) is str and reason.strip() else None
    if told is None and by is None:
        return None
    span = {"type": "termination", **instant(at, origin), "reason": told, "by": by, **extra}
    return {key: value for key, value in span.items() if value is not None}
