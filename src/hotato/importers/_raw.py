"""A span as telemetry has it, before anything is read into it: what OTLP, Jaeger, Zipkin and the others have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from hotato.importers._notes import Lost

MOST_LEVELS = 256
CLIENT, SERVER, UNSET, OK, ERROR = 3, 2, 0, 1, 2
KINDS = {"INTERNAL": 1, "SERVER": 2, "CLIENT": 3, "PRODUCER": 4, "CONSUMER": 5}


class Event(msgspec.Struct, gc=False):
    """Something that happened at one moment of a span, in nanoseconds; None where the moment is not told."""

    at: int | None
    name: str
    attrs: dict[str, Any]


class Raw(msgspec.Struct):
    """One span. `start` and `end` are nanoseconds, None where they are not told or the span never ended.

    `trace`, `id` and `parent` are hex, empty where there is none. `code` is OpenTelemetry's: 0 unset, 1 ok, 2 error.
    """

    trace: str
    id: str
    parent: str
    name: str
    kind: int
    start: int | None
    end: int | None
    attrs: dict[str, Any]
    events: list[Event]
    code: int = 0
    message: str = ""
    scope: str = ""
    resource: Mapping[str, Any] = {}

    def first(self, names: Iterable[str]) -> Any:
        """Return the first of the attributes that is there and not null."""
        get = self.attrs.get
        for name in names:
            value = get(name)
            if value is not None:
                return value
        return None


class Log(msgspec.Struct):
    """One log record that belongs to the telemetry of a call; `span` is empty where it belongs to no span."""

    trace: str
    span: str
    name: str
    at: int | None
    attrs: dict[str, Any]
    body: Any = None
    scope: str = ""
    resource: Mapping[str, Any] = {}


class Batch(msgspec.Struct):
    """What a file of telemetry holds; `count` is how many spans it has, repeats counted."""

    spans: list[Raw] = msgspec.field(default_factory=list)
    logs: list[Log] = msgspec.field(default_factory=list)
    lost: Lost = msgspec.field(default_factory=Lost)
    count: int = 0


def is_true(value: Any) -> bool:
    """Say whether a flag is set; some tools write flags as text."""
    return value is True or (type(value) is str and value.strip().lower() == "true")


def distinct(spans: list[Raw], lost: Lost) -> list[Raw]:
    """Return spans without repeats: a batch that was sent twice, or a span that was written before and after its end.

    Of two records of one span the one that ended and says more is kept, whatever their order. A client and a server may
    share one id, so the kind counts as well.
    """
    kept: dict[tuple[str, str, int, str], Raw] = {}
    alone: list[Raw] = []
    for span in spans:
        if not span.id:
            alone.append(span)
            continue
        key = (span.trace, span.id, span.kind, span.name)
        other = kept.setdefault(key, span)
        if other is not span:
            lost["span_repeated"] += 1
            if _weight(span) > _weight(other):
                kept[key] = span
    return [*kept.values(), *alone]


def _weight(span: Raw) -> tuple[Any, ...]:
    ended = span.end is not None
    return ended, span.end or 0, len(span.attrs), len(span.events), span.code, span.start or 0, repr(span.attrs)


class Tree:
    """Who is whose parent. A parent may be missing from the file, and a circle of parents ends where it closes."""

    def __init__(self, spans: list[Raw]) -> None:
        self._by_id: dict[tuple[str, str], Raw] = {}
        for span in spans:
            if span.id:
                other = self._by_id.setdefault((span.trace, span.id), span)
                if other.kind == SERVER and span.kind != SERVER:  # of a shared id the client's counts
                    self._by_id[span.trace, span.id] = span
        self._depths: dict[int, int] = {}

    def parent(self, span: Raw) -> Raw | None:
        """Return the span's parent; None where it has none or the file has not."""
        found = self._by_id.get((span.trace, span.parent)) if span.parent else None
        return None if found is span else found

    def above(self, span: Raw) -> list[Raw]:
        """Return the span's parents, the nearest first, at most MOST_LEVELS of them."""
        found: list[Raw] = []
        seen = {id(span)}
        above = self.parent(span)
        while above is not None and id(above) not in seen and len(found) < MOST_LEVELS:
            seen.add(id(above))
            found.append(above)
            above = self.parent(above)
        return found

    def depth(self, span: Raw) -> int:
        """Return how many parents a span has, 0 for one without."""
        depth = self._depths.get(id(span))
        if depth is None:
            depth = self._depths[id(span)] = len(self.above(span))
        return depth
