"""US social security numbers: nine digits, 3-2-4, of an area, a group and a serial that are issued."""

from __future__ import annotations

from collections.abc import Iterator

from hotato.match.pii._found import Found
from hotato.match.pii._stretch import Stretch
from hotato.match.spoken import Run

CODES = {
    "grouped": "3-2-4 with dashes",
    "labelled": "nine digits that the words around them call a social security number",
}
CUES = {"ssn": "ssn", "ssns": "ssn", "social": "ssn", "socials": "ssn", "sosh": "ssn", "soc": "ssn"}
_DASH = ("-", "d")
_INSIDE = frozenset(" -./,sdw|")
_EDGE = frozenset("s,'|:(")


def detect(stretch: Stretch) -> Iterator[Found]:
    """Yield every social security number of a stretch."""
    for run in stretch.runs:
        if len(run.digits) >= 9:
            yield from _in_run(stretch, run)


def is_issued(digits: str) -> bool:
    """Say whether nine digits could have been issued."""
    return digits[:3] not in ("000", "666") and digits[0] != "9" and digits[3:5] != "00" and digits[5:] != "0000"


def _in_run(stretch: Stretch, run: Run) -> Iterator[Found]:
    gaps, said = run.gaps, run.said
    at = 0
    for place, number in enumerate(run.numbers):
        opens = place == 0 or gaps[place - 1] in _EDGE
        if place < at or not (opens or said or len(number.digits) == 3):
            continue
        chain, at = _dashed(run, place)
        if chain:
            yield from chain
            continue
        end = run.reach(place, 9)
        code = "" if end is None else _code(stretch, run, place, end)
        if end is not None and code:
            digits = run.digits[run.offsets[place] : run.offsets[place] + 9]
            yield Found(code, number.start, run.numbers[end].end, digits, run.is_said(place, end))
            at = end + 1


def _code(stretch: Stretch, run: Run, at: int, end: int) -> str:
    """Return how nine digits are recognised, by how they stand and what they are called; empty where they are not."""
    gaps = run.gaps
    opens = at == 0 or gaps[at - 1] in _EDGE
    closes = end == len(gaps) or gaps[end] in _EDGE
    aloud = run.said and "d" in gaps[at:end] and _is_said_in_groups(run, at)
    said = aloud or ((opens or closes) and run.is_said(at, end))
    if not said and not (opens and closes) and [len(n.digits) for n in run.numbers[at : end + 1]] != [3, 2, 4]:
        return ""
    start = run.offsets[at]
    if not is_issued(run.digits[start : start + 9]) or any(gap not in _INSIDE for gap in gaps[at:end]):
        return ""
    if aloud:
        return "grouped"
    return "labelled" if stretch.label(run.numbers[at].start, run.numbers[end].end) == "ssn" else ""


def _is_said_in_groups(run: Run, at: int) -> bool:
    """Say whether separators said aloud stand behind the third and the fifth of nine digits, and nowhere near."""
    area, group, end = run.reach(at, 3), run.reach(at, 5), run.reach(at, 9)
    if area is None or group is None or end is None:
        return False
    around = range(max(0, at - 1), min(end + 1, len(run.gaps)))
    return [place for place in around if run.gaps[place] == "d"] == [area, group]


def _dashed(run: Run, at: int) -> tuple[list[Found], int]:
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
        if is_issued(digits):
            end = serial.end if size == 4 else serial.start + 4
            found.append(Found("grouped", area.start + skip, end, digits, said))
        place, skip = place + 2, 4
        if size == 4:
            return found, place + 1
    return found, place + 1 if found else at


def _is_dash(gaps: tuple[str, ...], place: int) -> bool:
    return place < len(gaps) and gaps[place] in _DASH
