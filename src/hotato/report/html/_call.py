"""The call as it went: what was said and done in one column, in the order of time."""

from __future__ import annotations

from typing import Any, NamedTuple

from hotato.report._view import View
from hotato.report.html import _shown
from hotato.report.html._links import Link, Links, backlinks


class Entry(NamedTuple):
    """A turn or a span of the call. `tone` is the worst status that rests on it, empty where nothing does."""

    anchor: str
    is_turn: bool
    number: str
    lane: str
    who: str
    at: str
    until: str
    text: str
    hidden: int
    facts: list[tuple[str, str]]
    muted: bool
    tone: str
    back: list[Link]
    more: int


def entries(view: View, links: Links) -> list[Entry]:
    """Return turns and spans in the order of time; one without a time stays behind what it follows in its source."""
    keyed: list[tuple[float, Entry]] = []
    last = float("-inf")
    for turn in view.transcript or ():
        last = turn["start"] if turn["start"] is not None else last
        keyed.append((last, _turn(view, links, turn)))
    last = float("inf")  # spans without any time follow what was said
    for span in view.spans or ():
        last = span["start"] if span["start"] is not None else last
        keyed.append((last, _span(view, links, span)))
    return [entry for _, entry in sorted(keyed, key=lambda pair: pair[0])]


def _turn(view: View, links: Links, turn: dict[str, Any]) -> Entry:
    anchor = f"t-{turn['turn']}"
    text, hidden = _shown.cut(turn["text"])
    back, more = backlinks(view, links, anchor)
    return Entry(
        anchor=anchor,
        is_turn=True,
        number=str(turn["turn"]),
        lane=lane_of_role(turn["role"]),
        who=turn["role"],
        at=_shown.clock(turn["start"]),
        until=_shown.clock(turn["end"]),
        text=text,
        hidden=hidden,
        facts=[],
        muted=turn["turn"] in view.muted,
        tone=back[0].tone if back else "",
        back=back,
        more=more,
    )


def _span(view: View, links: Links, span: dict[str, Any]) -> Entry:
    back, more = backlinks(view, links, span["id"])
    return Entry(
        anchor=span["id"],
        is_turn=False,
        number=span["id"],
        lane=lane_of_type(span["type"]),
        who=span["type"],
        at=_shown.clock(span["start"]),
        until=_shown.clock(span["end"]),
        text=span["name"] or "",
        hidden=0,
        facts=[(_shown.words(str(key)), _shown.written(value)) for key, value in span["data"].items()],
        muted=False,
        tone=back[0].tone if back else "",
        back=back,
        more=more,
    )


def lane_of_role(role: str) -> str:
    """Return the lane of a party."""
    return role if role in ("caller", "agent") else "others"


_LANES = {"tool_call": "tools", "http_exchange": "http", "dtmf": "dtmf", "handoff": "handoffs", "state_read": "state"}


def lane_of_type(name: str) -> str:
    """Return the lane of a type of span."""
    return _LANES.get(name, "events")
