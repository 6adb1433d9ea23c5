"""Which recorded call an expectation most likely meant, so that a failure can show what differs.

Where several expectations want calls of the same tool, each call explains at most one of them: the pairing with the
least total difference is chosen (the assignment problem; Kuhn 1955, Munkres 1957, in the shortest augmenting path
form of Jonker and Volgenant 1987), not the nearest call one expectation after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from hotato.match.values import Difference, Expected, type_name
from hotato.model import codec
from hotato.model.given import kind_of

MOST_PAIRS = 10_000
MOST_CANDIDATES = 500
MOST_DIFFERENCES = 20
MOST_TEXT = 200
MOST_DATA = 2000
_COSTLY = 1 << 40


class Want(msgspec.Struct, frozen=True, eq=False):
    """One expectation. Those with the same `group` compete; `candidates()` gives (span position, recorded value)."""

    group: tuple[str, ...]
    expected: Expected
    candidates: Callable[[], Sequence[tuple[int, Any]]]


def closest(wants: Sequence[Want]) -> list[tuple[int, list[Difference]] | None]:
    """Return for each want of one group the position of the closest span and what differs there, None without spans."""
    spans: dict[int, Any] = {}
    rows: list[dict[int, list[Difference]]] = []
    found = [want.candidates()[:MOST_CANDIDATES] for want in wants]
    for want, candidates in zip(wants, found, strict=True):
        row = {}
        for position, value in candidates:
            spans[position] = None
            row[position] = want.expected.differences(value)
        rows.append(row)
    order = list(spans)
    nearest = [_nearest(row) for row in rows]
    if len(wants) > 1 and len(wants) * len(order) <= MOST_PAIRS and order:
        costs = [[_cost(row[p]) if p in row else _COSTLY for p in order] for row in rows]
        for index, column in enumerate(assign(costs)):
            if column is not None and order[column] in rows[index]:
                nearest[index] = order[column]
    return [None if p is None else (p, row[p]) for p, row in zip(nearest, rows, strict=True)]


def _nearest(row: dict[int, list[Difference]]) -> int | None:
    return min(row, key=lambda p: _cost(row[p])) if row else None


def _cost(differences: list[Difference]) -> int:
    return sum(d.cost for d in differences)


def assign(costs: Sequence[Sequence[int]]) -> list[int | None]:
    """Return for each row its column in the pairing of least total cost; None where there are more rows than columns."""
    rows, columns = len(costs), len(costs[0]) if costs else 0
    if rows > columns:
        flipped = assign([[row[c] for row in costs] for c in range(columns)])
        back: list[int | None] = [None] * rows
        for column, row in enumerate(flipped):
            if row is not None:
                back[row] = column
        return back
    high = 1 << 60
    u, v = [0] * (rows + 1), [0] * (columns + 1)
    owner = [0] * (columns + 1)
    for row in range(1, rows + 1):
        owner[0], column = row, 0
        least, way, done = [high] * (columns + 1), [0] * (columns + 1), [False] * (columns + 1)
        while owner[column]:
            done[column] = True
            current, step, ahead = owner[column], high, 0
            for other in range(1, columns + 1):
                if done[other]:
                    continue
                cost = costs[current - 1][other - 1] - u[current] - v[other]
                if cost < least[other]:
                    least[other], way[other] = cost, column
                if least[other] < step:
                    step, ahead = least[other], other
            for other in range(columns + 1):
                if done[other]:
                    u[owner[other]] += step
                    v[other] -= step
                else:
                    least[other] -= step
            column = ahead
        while column:
            owner[column], column = owner[way[column]], way[column]
    found: list[int | None] = [None] * rows
    for column in range(1, columns + 1):
        if owner[column]:
            found[owner[column] - 1] = column - 1
    return found


def shown(differences: Sequence[Difference]) -> dict[str, Any]:
    """Return differences as an envelope shows them: so many at most, long values shortened."""
    out: dict[str, Any] = {"differences": [_short(d.shown()) for d in differences[:MOST_DIFFERENCES]]}
    if len(differences) > MOST_DIFFERENCES:
        out["more"] = len(differences) - MOST_DIFFERENCES
    return out


def _short(difference: dict[str, Any]) -> dict[str, Any]:
    for name in [name for name in ("expected", "observed") if name in difference]:
        value: Any = difference[name]
        if type(value) is str:
            difference[name] = value if len(value) <= MOST_TEXT else value[:MOST_TEXT] + "..."
        elif type(value) is not int and not codec.is_json(value):  # a span in hand may hold any object
            difference[name] = f"({kind_of(value)}, of which JSON has no form)"
        elif isinstance(value, (dict, list, tuple)) and len(codec.encode(value)) > MOST_DATA:
            difference[name] = f"({type_name(value)} of {len(value)}, too large to show)"
        elif type(value) is not int:  # so that what masks it knows every type in it
            difference[name] = codec.plain(value)
    return difference
