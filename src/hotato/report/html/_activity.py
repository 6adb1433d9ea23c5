"""A scored recording to scale: who is active when, both at once shaded, onset and yield marked, and its frames one by one."""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from hotato.report._lanes import Lanes, Side
from hotato.report.html import _shown
from hotato.report.html._timeline import Tick, step

POINTS = 1200  # at most, of the line of a side's levels
LOWEST = -9000  # hundredths of dBFS at the foot of the picture of levels
WIDTH, HEIGHT = 1000, 100  # of that picture
MARGIN = 4.0


class Stretch(NamedTuple):
    """Something on a lane, in percent of the width."""

    x: str
    width: str
    title: str


class Moment(NamedTuple):
    """A line across the lanes."""

    x: str
    name: str
    label: str


class Lane(NamedTuple):
    """One side: its activity, the line of its levels, its threshold in the same picture, and what the inspector reads."""

    name: str
    runs: list[Stretch]
    line: str
    threshold: str
    data: str
    held: str
    trimmed: str
    limit: int


class Row(NamedTuple):
    """A frame as the table shows it."""

    name: str
    at: str
    cells: list[str]


class Activity(NamedTuple):
    """All that the section shows."""

    length: str
    sign: str
    facts: list[tuple[str, str]]
    said: list[str]
    ticks: list[Tick]
    lanes: list[Lane]
    both: list[Stretch]
    moments: list[Moment]
    near: list[Moment]
    rows: list[Row]
    hop: str
    first: int
    last: int
    start: int
    shown: str


def draw(lanes: Lanes | None) -> Activity | None:
    """Return the section of a scored recording; None where none was scored."""
    if lanes is None:
        return None
    event, length = lanes.event, lanes.count * lanes.hop
    moments = list(_moments(event))
    last = lanes.first + len(lanes.sides[0].levels) - 1
    frames = {name: _frame(seconds, lanes, last) for name, seconds in moments}
    span = max(1, last - lanes.first)
    return Activity(
        length=_shown.clock(length),
        sign=_sign(event),
        facts=list(_facts(event)),
        said=_said(event),
        ticks=_ticks(length),
        lanes=[_lane(side, lanes, length, last) for side in lanes.sides],
        both=[_stretch(run, lanes.hop, length, "both") for run in lanes.both],
        moments=[Moment(_pc(seconds / length), name, _label(name, seconds)) for name, seconds in moments],
        near=[Moment(_pc((frame - lanes.first) / span), name, name) for name, frame in frames.items()],
        rows=[_row(name, frame, lanes) for name, frame in frames.items()],
        hop=f"{lanes.hop:g}",
        first=lanes.first,
        last=last,
        start=next(iter(frames.values()), lanes.first),
        shown=f"{_shown.clock(lanes.first * lanes.hop)} to {_shown.clock((last + 1) * lanes.hop)}",
    )


def _sign(event: Any) -> str:
    return "INCONCLUSIVE" if not event["scorable"] else "PASS" if event["verdict"]["passed"] else "FAIL"


def _facts(event: Any) -> Iterator[tuple[str, str]]:
    yield "expected", "the agent yields" if event["expected_yield"] else "the agent holds"
    yield "caller from", _seconds(event["measurements"]["caller_onset_sec"])
    if not event["scorable"]:
        return
    verdict, latency = event["verdict"], event["signals"]["latency"]
    yield "agent quiet after", _seconds(verdict["seconds_to_yield"])
    yield "both talk for", _seconds(verdict["talk_over_sec"])
    yield "agent answers after", _seconds(latency["response_gap_sec"])


def _said(event: Any) -> list[str]:
    said = [event["not_scorable_reason"]] if not event["scorable"] else list(event["verdict"]["reasons"])
    return [*said, *event["measurements"]["notes"]]


def _moments(event: Any) -> Iterator[tuple[str, float]]:
    measured = event["measurements"]
    if measured["caller_onset_sec"] is not None:
        yield "onset", measured["caller_onset_sec"]
    if event["scorable"] and event["signals"]["barge_in"]["yield_sec"] is not None:
        yield "yield", event["signals"]["barge_in"]["yield_sec"]
    if measured["window_end_sec"] is not None:
        yield "window ends", measured["window_end_sec"]


def _label(name: str, seconds: float) -> str:
    return f"{name} {seconds:.2f} s"


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f} s"


def _frame(seconds: float, lanes: Lanes, last: int) -> int:
    return min(max(round(seconds / lanes.hop), lanes.first), last)


def _lane(side: Side, lanes: Lanes, length: float, last: int) -> Lane:
    return Lane(
        name=side.name,
        runs=[_stretch(run, lanes.hop, length, side.name) for run in side.trimmed],
        line=" ".join(f"{x:g},{y:g}" for x, y in _line(side.levels)),
        threshold=f"{_height(side.threshold):g}",
        data=base64.b64encode(struct.pack(f"<{len(side.levels)}h", *side.levels)).decode("ascii"),
        held=_listed(side.held, lanes.first, last),
        trimmed=_listed(side.trimmed, lanes.first, last),
        limit=side.threshold,
    )


def _line(levels: Sequence[int]) -> Iterator[tuple[float, float]]:
    """Yield the line of a side's levels; where there are more frames than points, each point is the loudest of its own."""
    count = len(levels)
    points = min(count, POINTS)
    for place in range(points):
        first, after = place * count // points, (place + 1) * count // points
        yield round(first / max(1, count - 1) * WIDTH, 1), round(_height(max(levels[first : max(after, first + 1)])), 1)


def _height(level: int) -> float:
    """Return how far below the top of the picture a level lies; what is beyond the picture lies at its edge."""
    return min(1.0, max(0.0, level / LOWEST)) * HEIGHT


def _listed(runs: Iterable[tuple[int, int]], first: int, last: int) -> str:
    return " ".join(f"{begin}-{after}" for begin, after in runs if after > first and begin <= last)


def _row(name: str, frame: int, lanes: Lanes) -> Row:
    cells: list[str] = []
    for side in lanes.sides:
        level = side.levels[frame - lanes.first]
        cells.append(f"{level / 100:.2f}")
        cells += [
            "yes" if is_on else "no"
            for is_on in (level >= side.threshold, _in(side.held, frame), _in(side.trimmed, frame))
        ]
    return Row(name, f"{frame * lanes.hop:.2f}", cells)


def _in(runs: Iterable[tuple[int, int]], frame: int) -> bool:
    return any(begin <= frame < after for begin, after in runs)


def _stretch(run: tuple[int, int], hop: float, length: float, name: str) -> Stretch:
    start, end = run[0] * hop, run[1] * hop
    return Stretch(_pc(start / length), _pc((end - start) / length), f"{name}, {start:.2f} to {end:.2f} s")


def _pc(share: float) -> str:
    return f"{share * 100:.3f}".rstrip("0").rstrip(".") + "%"


def _ticks(length: float) -> list[Tick]:
    every = step(length, 9)
    ticks = []
    for number in range(int(length / every) + 1):
        share = number * every / length
        label = "" if share * 100 > 100 - MARGIN else _shown.clock(number * every).removesuffix(".0")
        ticks.append(Tick(_pc(share), label, minor=False))
    return ticks
