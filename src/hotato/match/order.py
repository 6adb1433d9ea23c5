"""The order of time, which is not the order of a file: exporters write what ended first, first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar


class _Timed(Protocol):
    @property
    def start(self) -> float | None: ...


T = TypeVar("T", bound=_Timed)


def in_order(items: Sequence[T]) -> list[T]:
    """Return turns or spans by start time, ties by position; one without a time keeps its place in the list."""
    starts = [item.start for item in items]
    timed = [start for start in starts if start is not None]
    if timed == sorted(timed):
        return list(items)
    by_time = iter(sorted((item for item in items if item.start is not None), key=_start))
    return [item if item.start is None else next(by_time) for item in items]


def _start(item: _Timed) -> float:
    return item.start if item.start is not None else 0.0
