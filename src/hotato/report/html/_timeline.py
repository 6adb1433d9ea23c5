"""The call to scale: one lane for each party and each sort of event, under one ruler.

Places along the ruler are percentages, so that the picture fits any width; places across are pixels.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from hotato.report._view import View
from hotato.report.html import _shown
from hotato.report.html._call import lane_of_role, lane_of_type
from hotato.report.html._links import RANK, Links

LANES = ("caller", "agent", "others", "tools", "http", "dtmf", "handoffs", "events", "state")
TITLES = {"http": "HTTP", "dtmf": "DTMF", "state": "state reads"}
ROWS = 3  # at most, of one lane, for what happens at the same time
RULER, ROW, GAP = 22, 16, 8
AFTER = 90.0  # percent of the width that the call takes where the system of record was read after it
READS = frozenset({"state", "state_change"})  # what reads the system of record, which was read at no time of the call
MARGIN = 4.0  # percent before the end of the ruler in which a label has no room
LETTER = 0.62  # percent of the width that a letter of a name takes on a screen


class Bar(NamedTuple):
    """Something on a lane: `x`, `width` and `end` in percent, `y` in pixels. `name` is written after it if there is room."""

    anchor: str
    lane: str
    x: str
    width: str
    end: str
    y: int
    title: str
    name: str
    tone: str


class Mark(NamedTuple):
    """Evidence: the worst status of what rests on a turn or span, above it; `href` is the first such result."""

    anchor: str
    href: str
    x: str
    y: int
    tone: str
    title: str


class Lane(NamedTuple):
    """A lane: its name, where its label stands and where it begins and ends, in pixels."""

    key: str
    title: str
    y: int
    top: int
    height: int
    bars: list[Bar]


class Tick(NamedTuple):
    """A line of the ruler."""

    x: str
    label: str
    minor: bool


class Timeline(NamedTuple):
    """The picture. `missing` counts what has no time and is therefore not in it; `after` is where the call ends.

    `scale` is the second at which it begins and the percent of its width that a second takes.
    """

    height: int
    ticks: list[Tick]
    lanes: list[Lane]
    marks: list[Mark]
    after: str
    missing: int
    length: str
    scale: tuple[float, float]


class _Item(NamedTuple):
    anchor: str
    lane: str
    start: float
    end: float
    title: str
    name: str


def draw(view: View, links: Links) -> Timeline | None:
    """Return the timeline of a call; None where nothing of it has a time."""
    items, missing = _items(view)
    if not items:
        return None
    first = min(0.0, *(item.start for item in items))
    last = max(item.end for item in items)
    reads = _reads(view)
    span = (last - first) or 1.0
    width = AFTER if reads else 100.0
    scale = _Scale(first, span, width)
    lanes, bottom = _lanes(view, links, items, scale, reads)
    bars = {bar.anchor: bar for lane in lanes for bar in lane.bars if lane.key != "state" or bar.anchor in links.back}
    return Timeline(
        height=bottom,
        ticks=_ticks(first, last, scale),
        lanes=lanes,
        marks=_marks(view, links, bars),
        after=_pc(width) if reads else "",
        missing=missing,
        length=_shown.clock(last - first),
        scale=(first, width / span),
    )


class _Scale(NamedTuple):
    first: float
    span: float
    width: float

    def at(self, seconds: float) -> float:
        return (seconds / self.span - self.first / self.span) * self.width


def _pc(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".") + "%"


def _items(view: View) -> tuple[list[_Item], int]:
    items: list[_Item] = []
    missing = 0
    for turn in view.transcript or ():
        if turn["start"] is None:
            missing += 1
            continue
        title = f"turn {turn['turn']}, {turn['role']}, {_shown.clock(turn['start'])}"
        end = turn["start"] if turn["end"] is None else max(turn["start"], turn["end"])
        items.append(_Item(f"t-{turn['turn']}", lane_of_role(turn["role"]), turn["start"], end, title, ""))
    for span in view.spans or ():
        start = span["start"] if span["start"] is not None else span["end"]
        if start is None:
            missing += 1
            continue
        name = span["name"] or (span["type"] if lane_of_type(span["type"]) == "events" else "")
        title = f"{span['id']}, {span['type']} {span['name'] or ''}".rstrip() + f", {_shown.clock(start)}"
        end = start if span["end"] is None else max(start, span["end"])
        items.append(_Item(span["id"], lane_of_type(span["type"]), start, end, title, name[:40]))
    return items, missing


def _reads(view: View) -> list[int]:
    results = view.envelope["results"] if view.envelope else []
    return [place for place, result in enumerate(results) if result["kind"] in READS]


def _lanes(view: View, links: Links, items: list[_Item], scale: _Scale, reads: list[int]) -> tuple[list[Lane], int]:
    results = view.envelope["results"] if view.envelope else []
    top = RULER + ROW + GAP  # the marks of evidence stand between the ruler and the first lane
    lanes: list[Lane] = []
    for key in LANES:
        here = sorted((item for item in items if item.lane == key), key=lambda item: item.start)
        if not here and not (key == "state" and reads):
            continue
        rows, ends = _rows(here, scale)
        bars = []
        for item, (row, named) in zip(here, rows, strict=True):
            x, end = scale.at(item.start), scale.at(item.end)
            worst = links.back.get(item.anchor)
            tone = results[worst[0]]["status"] if worst else ""
            y = top + row * ROW
            name = item.name if named else ""
            bars.append(Bar(item.anchor, key, _pc(x), _pc(end - x), _pc(end), y, item.title, name, tone))
        if key == "state":
            bars += [
                _read(results[place], links.anchors[place], (number + 0.5) / len(reads), top)
                for number, place in enumerate(reads)
            ]
        height = max(1, ends) * ROW
        lanes.append(Lane(key, TITLES.get(key, key), top + ROW // 2 + 2, top, height, bars))
        top += height + GAP
    return lanes, top


def _read(result: dict[str, Any], anchor: str, share: float, top: int) -> Bar:
    """Return a read of the system of record, which stands behind the end of the call, so far along what is left."""
    x = _pc(AFTER + (100 - AFTER) * share)
    title = f"{result['kind']} read after the call: {result['id']}"
    return Bar(anchor, "state", x, "0%", x, top, title, "", result["status"])


def _rows(items: list[_Item], scale: _Scale) -> tuple[list[tuple[int, bool]], int]:
    """Return the row of each item and whether its name has room there, and how many rows there are.

    Items that run at the same time take different rows while there are any.
    """
    ends: list[float] = []
    placed: list[tuple[int, bool]] = []
    for item in items:
        start, end = scale.at(item.start), scale.at(item.end)
        wide = end + (len(item.name) + 2) * LETTER
        row = next((row for row, taken in enumerate(ends) if taken <= start), len(ends))
        if row == ROWS:
            row = min(range(ROWS), key=lambda taken: ends[taken])
            placed.append((row, False))
            ends[row] = max(ends[row], end)
            continue
        fits = bool(item.name) and wide <= 100
        if row == len(ends):
            ends.append(0.0)
        ends[row] = wide if fits else end
        placed.append((row, fits))
    return placed, len(ends)


def _marks(view: View, links: Links, bars: dict[str, Bar]) -> list[Mark]:
    results = view.envelope["results"] if view.envelope else []
    marks = []
    for anchor, places in links.back.items():
        if anchor not in bars:
            continue
        worst = results[places[0]]
        others = f" and {len(places) - 1} more" if len(places) > 1 else ""
        title = f"{worst['status']}: {worst['id']}{others}, at {bars[anchor].title}"
        marks.append(Mark(anchor, links.anchors[places[0]], bars[anchor].x, RULER + ROW // 2, worst["status"], title))
    # what failed is drawn last, over the rest; then in the order of time
    return sorted(marks, key=lambda mark: (-RANK[mark.tone], float(mark.x[:-1])))


_STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200)


def step(length: float, most: int) -> float:
    """Return the seconds between two lines of a ruler with at most so many of them."""
    for step in _STEPS:
        if length / step <= most:
            return step
    return 3600 * 10.0 ** math.ceil(math.log10(length / most / 3600))


def _ticks(first: float, last: float, scale: _Scale) -> list[Tick]:
    major, minor = step(last - first, 9), step(last - first, 45)
    ticks = []
    for number in range(math.ceil(first / minor), math.floor(last / minor) + 1):
        seconds = number * minor
        rest = abs(seconds / major - round(seconds / major)) > 1e-9
        x = scale.at(seconds)
        label = "" if x > scale.width - MARGIN else _shown.clock(seconds).removesuffix(".0")
        ticks.append(Tick(_pc(x), label, rest))
    return ticks
