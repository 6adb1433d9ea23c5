"""Nine digits, 3-2-4, as the United States number people: written with dashes, or called what they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from hotato.match.pii._found import Found
from hotato.match.pii._stretch import Stretch
from hotato.match.spoken import Run

_DASH = ("-", "d")
_INSIDE = frozenset(" -./,sdw|")
_EDGE = frozenset("s,'|:(")


class Nine(msgspec.Struct, frozen=True, eq=False):
    """The name of a detector, and which nine digits can be one of its numbers."""

    name: str
    is_issued: Callable[[str], bool]

    def detect(self, stretch: Stretch) -> Iterator[Found]:
        """Yield every such number of a stretch."""
        for run in stretch.runs:
            if len(run.digits) >= 9:
                yield from self._in_run(stretch, run)

    def _in_run(self, stretch: Stretch, run: Run) -> Iterator[Found]:
        gaps, said = run.gaps, run.said
        at = 0
        for place, number in enumerate(run.numbers):
            opens = place == 0 or gaps[place - 1] in _EDGE
            if place < at or not (opens or said or len(number.digits) == 3):
                continue
            chain, at = self._dashed(run, place)
            if chain:
                yield from chain
                continue
            end = run.reach(place, 9)
            code = "" if end is None else self._code(stretch, run, place, end)
            if end is not None and code:
                digits = run.digits[run.offsets[place] : run.offsets[place] + 9]
                yield Found(code, number.start, run.numbers[end].end, digits, run.is_said(place, end))
                at = end + 1

    def _code(self, stretch: Stretch, run: Run, at: int, end: int) -> str:
        """Return how nine digits are recognised, by how they stand and what they are called; empty where they are not."""
        gaps = run.gaps
        edge = _EDGE | {"w"} if end == at else _EDGE  # "219099999 and ..."
        opens = at == 0 or gaps[at - 1] in edge
        closes = end == len(gaps) or gaps[end] in edge
        aloud = run.said and "d" in gaps[at:end] and _is_said_in_groups(run, at)
        said = aloud or ((opens or closes) and run.is_said(at, end))
        if not said and not (opens and closes) and [len(n.digits) for n in run.numbers[at : end + 1]] != [3, 2, 4]:
            return ""
        start = run.offsets[at]
        if not self.is_issued(run.digits[start : start + 9]) or any(gap not in _INSIDE for gap in gaps[at:end]):
            return ""
        if aloud:
            return "grouped"
        return "labelled" if stretch.is_called(run.numbers[at].start, run.numbers[end].end, self.name) else ""

    def _dashed(self, run: Run, at: int) -> tuple[list[Found], int]:
        """Return the numbers written 3-2-4 with dashes from here on, also with nothing between them, and what follows."""
        numbers, gaps = run.numbers, run.gaps
        found: list[Found] = []
        place, skip = at, 0
        if len(numbers[at].digits) != 3 or not _is_dash(gaps, at) or (at and gaps[at - 1] in _DASH):
            return [], at
        while place + 2 < len(numbers) and _is_dash(gaps, place) and gaps[place] == gaps[place + 1]:
            area, group, serial = numbers[place : place + 3]
            size = len(serial.digits)
            said = area.said or group.said or serial.said
            if len(group.digits) != 2 or size not in (4, 7) or (size == 7 and said):
                break
            digits = area.digits[skip:] + group.digits + serial.digits[:4]
            if size == 4 and place + 2 < len(gaps) and gaps[place + 2] == "-":
                break
            if self.is_issued(digits):
                end = serial.end if size == 4 else serial.start + 4
                found.append(Found("grouped", area.start + skip, end, digits, said))
            place, skip = place + 2, 4
            if size == 4:
                return found, place + 1
        return found, place + 1 if found else at


def _is_said_in_groups(run: Run, at: int) -> bool:
    """Say whether separators said aloud stand behind the third and the fifth of nine digits, and nowhere near."""
    area, group, end = run.reach(at, 3), run.reach(at, 5), run.reach(at, 9)
    if area is None or group is None or end is None:
        return False
    around = range(max(0, at - 1), min(end + 1, len(run.gaps)))
    return [place for place in around if run.gaps[place] == "d"] == [area, group]


def _is_dash(gaps: tuple[str, ...], place: int) -> bool:
    return place < len(gaps) and gaps[place] in _DASH
