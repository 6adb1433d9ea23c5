"""Logs of events: one a line, a list, or under `events`, alone or wrapped with the moment when each was logged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from hotato.importers._clock import MS, S, iso_ns, number_ns
from hotato.importers._importer import Content, Path
from hotato.importers._notes import Lost
from hotato.importers._speech import shaped

MOST_LOOKED_AT = 50
_WRAPPERS = ("event", "payload", "data", "message")
_MOMENTS = (("timestamp", None), ("time", None), ("ts", None), ("timestamp_ms", MS), ("ts_ms", MS), ("timestamp_s", S))

IsEvent = Callable[[Any], bool]
T = TypeVar("T")


def lines_of(content: Content) -> list[int]:
    """Return the line of each value; 0 for a document, whose line says nothing of the place inside it."""
    if content.shape == "document":
        return [0]
    return [*content.lines, *[0] * len(content.values)]


def logged_values(content: Content) -> list[tuple[Path, int, Any]]:
    """Return the values of a log with the way to each and its line."""
    value = content.value
    if type(value) is dict and type(value.get("events")) is list:
        return [(("events", i), 0, one) for i, one in enumerate(value["events"])]
    if type(value) is list:
        return [((i,), 0, one) for i, one in enumerate(value)]
    lines = lines_of(content)
    alone = content.shape == "document"
    return [(() if alone else (i,), lines[i], one) for i, one in enumerate(content.values)]


def unwrapped(value: Any, is_event: IsEvent) -> tuple[Path, Any] | None:
    """Return an event and the way to it inside a logged value; None where there is none."""
    if is_event(value):
        return (), value
    if type(value) is dict:
        for name in _WRAPPERS:
            if is_event(value.get(name)):
                return (name,), value[name]
    return None


def events_among(values: list[tuple[Path, int, Any]], is_event: IsEvent) -> list[dict[str, Any]]:
    """Return the events among the first values of a log; none where most values are something else."""
    looked = values[:MOST_LOOKED_AT]
    found = [pair[1] for _, _, one in looked if (pair := unwrapped(one, is_event)) is not None]
    return found if len(found) * 2 >= len(looked) else []


def logged_at(value: Any, way: Path, lost: Lost) -> int | None:
    """Return when a value was logged, in nanoseconds since 1970; None where no wrapper around its event says so.

    A number is read only where its name tells the unit: seconds and milliseconds are not told apart by size.
    """
    for name, unit in _MOMENTS if way else ():
        moment = value.get(name)
        if moment is None:
            continue
        found = iso_ns(moment) if unit is None else number_ns(moment, unit)
        lost["time_unreadable"] += found is None
        return found
    return None


def logged(content: Content, is_event: IsEvent, shape: type[T], lost: Lost) -> list[tuple[T, int | None]]:
    """Return the events of a log in the shape given, each with when it was logged; what is none is noted.

    Raise Damage with the way to the first event that is not of the shape.
    """
    found: list[tuple[T, int | None]] = []
    for path, line, value in logged_values(content):
        event = unwrapped(value, is_event)
        if event is None:
            lost["entries_unknown"] += 1
            continue
        at = logged_at(value, event[0], lost)
        found.append((shaped(event[1], shape, (*path, *event[0]), line), at))
    return found
