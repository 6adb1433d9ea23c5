"""Numbers of a fixed count of digits with a check digit, which stand by themselves in a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hotato.match.pii._stretch import Stretch
from hotato.match.spoken import Run

_INSIDE = frozenset(" -./,sdw|(")
_EDGE = frozenset("s,'|:(w")


def standing(stretch: Stretch, size: int, is_right: Callable[[str], bool]) -> Iterator[tuple[Run, int, int, str]]:
    """Yield run, first and last number and the digits of each place where so many right digits stand alone.

    On at least one side, on both where all is written, such a number ends at a comma, a pause or the end of its run.
    """
    for run in stretch.runs:
        if len(run.digits) < size:
            continue
        after, gaps = 0, run.gaps
        for at in range(len(run.numbers)):
            opens = at == 0 or gaps[at - 1] in _EDGE
            end = run.reach(at, size) if at >= after and (opens or run.said) else None
            if end is None or not _INSIDE.issuperset(gaps[at:end]):
                continue
            closes = end == len(gaps) or gaps[end] in _EDGE
            if not (opens and closes) and not (run.is_said(at, end) and (opens or closes)):
                continue
            digits = run.digits[run.offsets[at] : run.offsets[at] + size]
            if is_right(digits):
                yield run, at, end, digits
                after = end + 1


def sizes(run: Run, at: int, end: int) -> list[int]:
    """Return how many digits each number has."""
    return [len(number.digits) for number in run.numbers[at : end + 1]]
