"""Results as columns: what is kept of each, and the counts of a batch beside them."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from hotato.model.verdict import FAIL, INCONCLUSIVE, PASS
from hotato.plan.compile import Plan
from hotato.plan.lean import Findings
from hotato.plan.summary import exit_code

ERROR = "ERROR"
NUMBERS = ("measured_ms", "measured_sec", "measured", "observed", "met")
SCHEMA = pa.schema(
    [
        ("call_id", pa.string()),
        ("assertion_id", pa.string()),
        ("kind", pa.string()),
        ("status", pa.string()),
        ("code", pa.string()),
        ("exercised", pa.int64()),
        ("vacuous", pa.bool_()),
        ("skipped", pa.bool_()),
        ("evidence", pa.list_(pa.string())),
        *((name, pa.float64()) for name in NUMBERS),
    ]
)
STATUSES = pa.schema([SCHEMA.field(place) for place in range(SCHEMA.get_field_index("evidence"))])
MOST_CALLS = 500  # calls that the index lists
MOST_SLOW = 20
MOST_NAMED = 6  # failing assertions named beside a call
_FLAT = frozenset(("turn", "before_turn", "after_turn"))
_LISTED = frozenset(("pairs", "events", "claims", "hits", "matched_rules"))
_SEEN = _FLAT | _LISTED | {"turns", "span_ids"}
_NUMBERED = frozenset(NUMBERS)


class Worst(msgspec.Struct, frozen=True, array_like=True, order=True):
    """A call, ordered by what fails most; `place` is its position in the batch."""

    failed: int
    inconclusive: int
    place: int
    passed: int
    call_id: str
    exit_code: int
    names: list[str]


class Slow(msgspec.Struct, frozen=True, array_like=True, order=True):
    """A measurement, the slowest first."""

    ms: float
    place: int
    call_id: str
    id: str
    status: str


class Tally(msgspec.Struct, array_like=True):
    """The counts of a batch. `checks` has pass, fail, inconclusive, vacuous and skipped of each assertion of the plan.

    `failed` counts calls with a FAIL, `exits` calls by exit code, `errors` calls that could not be judged, by code. The
    first numbers of `worst` and `slow` are negative, so that their order is the order of the list.
    """

    checks: list[list[int]]
    calls: int = 0
    failed: int = 0
    exits: list[int] = msgspec.field(default_factory=lambda: [0, 0, 0])
    errors: dict[str, int] = {}
    worst: list[Worst] = []
    slow: list[Slow] = []


class Ledger:
    """Takes what was found of calls, one by one, and gives their rows and counts."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._ids = [node.id for node in plan.nodes]
        self._kinds = [node.stamp["kind"] for node in plan.nodes]
        self._calls: list[str] = []
        self._sizes: list[int] = []
        self._at_error: list[int] = []
        self._status: list[str] = []
        self._code: list[str] = []
        self._exercised: list[int | None] = []
        self._flagged: dict[str, list[int]] = {"vacuous": [], "skipped": []}
        self._measured: dict[str, dict[int, float]] = {name: {} for name in NUMBERS}
        self._evidence: list[str] = []
        self._ends: list[int] = [0]
        self._tally = Tally([[0, 0, 0, 0, 0] for _ in plan.nodes])

    def judged(self, call_id: str, found: Findings) -> None:
        """Take what was found of one call."""
        row, ends, evidence = len(self._status), self._ends, self._evidence
        for fields in found.fields:
            if fields:
                keys = fields.keys()
                if not _SEEN.isdisjoint(keys):
                    evidence += _evidence(fields)
                if not _NUMBERED.isdisjoint(keys):
                    self._numbers(call_id, found, len(ends) - 1 - row, fields)
            ends.append(len(evidence))
        ends += [len(evidence)] * (len(found.statuses) - len(found.fields))
        self._status += found.statuses
        self._code += found.codes
        self._exercised += found.exercised
        for name, places in (("vacuous", found.vacuous), ("skipped", found.skipped)):
            if places:
                self._flagged[name] += [row + place for place in places]
                for place in places:
                    self._tally.checks[place][3 if name == "vacuous" else 4] += 1
        self._called(call_id, found)

    def error(self, call_id: str, code: str) -> None:
        """Take a call that could not be judged."""
        self._at_error.append(len(self._status))
        self._calls.append(call_id)
        self._sizes.append(1)
        self._status.append(ERROR)
        self._code.append(code)
        self._exercised.append(None)
        self._ends.append(len(self._evidence))
        self._tally.calls += 1
        self._tally.errors = {**self._tally.errors, code: self._tally.errors.get(code, 0) + 1}

    def tally(self) -> Tally:
        """Return the counts of all calls that were taken, with no more calls and measurements than the index lists."""
        tally, size = self._tally, len(self._ids)
        statuses = self._status
        if self._at_error:
            wrong = set(self._at_error)
            statuses = [status for row, status in enumerate(statuses) if row not in wrong]
        for place, counts in enumerate(tally.checks):
            column = statuses[place::size]
            counts[:3] = column.count(PASS), column.count(FAIL), column.count(INCONCLUSIVE)
        tally.worst = heapq.nsmallest(MOST_CALLS, tally.worst)
        tally.slow = heapq.nsmallest(MOST_SLOW, tally.slow)
        return tally

    def rows(self) -> pa.RecordBatch:
        """Return all rows, in the order in which the calls were taken."""
        rests = pa.ListArray.from_arrays(pa.array(self._ends, pa.int32()), pa.array(self._evidence, pa.string()))
        numbers = [_sparse(found, len(self._status)) for found in self._measured.values()]
        return pa.RecordBatch.from_arrays([*self.statuses().columns, rests, *numbers], schema=SCHEMA)

    def statuses(self) -> pa.RecordBatch:
        """Return all rows without what they rest on and what was measured."""
        count = len(self._status)
        columns = [
            pa.array(self._calls, pa.string()).take(self._repeated()),
            self._of_plan(self._ids),
            self._of_plan(self._kinds),
            _words(self._status),
            _words(self._code),
            pa.array(self._exercised, pa.int64()),
            *(_flags(places, count) for places in self._flagged.values()),
        ]
        return pa.RecordBatch.from_arrays(columns, schema=STATUSES)

    def _called(self, call_id: str, found: Findings) -> None:
        place, tally, statuses = len(self._calls), self._tally, found.statuses
        self._calls.append(call_id)
        self._sizes.append(len(statuses))
        failed, open_ = statuses.count(FAIL), statuses.count(INCONCLUSIVE)
        tally.calls += 1
        tally.failed += failed > 0
        code = exit_code(failed, open_, self._plan.inconclusive_policy)
        tally.exits[code] += 1
        key = (-failed, -open_, place)
        if len(tally.worst) >= 2 * MOST_CALLS:
            tally.worst = heapq.nsmallest(MOST_CALLS, tally.worst)
        if len(tally.worst) < MOST_CALLS or failed or open_:
            names = [self._ids[at] for at, status in enumerate(statuses) if status == FAIL] if failed else []
            tally.worst = tally.worst or []
            tally.worst.append(Worst(*key, len(statuses) - failed - open_, call_id, code, names[:MOST_NAMED]))

    def _numbers(self, call_id: str, found: Findings, place: int, fields: Mapping[str, Any]) -> None:
        row = len(self._status) + place
        for name in NUMBERS:
            value = fields.get(name)
            if type(value) is int or type(value) is float:
                self._measured[name][row] = float(value)
                if name == "measured_ms":
                    self._slow(Slow(-float(value), len(self._calls), call_id, self._ids[place], found.statuses[place]))

    def _slow(self, slow: Slow) -> None:
        kept = self._tally.slow = self._tally.slow or []
        if len(kept) >= 10 * MOST_SLOW:
            kept[:] = heapq.nsmallest(MOST_SLOW, kept)
        kept.append(slow)

    def _repeated(self) -> pa.Array:
        """Return for each row the position of its call."""
        ends = pa.array([*accumulate(self._sizes, initial=0)], pa.int32())
        return pc.list_parent_indices(pa.ListArray.from_arrays(ends, pa.nulls(len(self._status))))

    def _of_plan(self, values: list[str]) -> pa.Array:
        """Return a column that repeats a value of each assertion for every call, and is empty for one that was not judged."""
        whole, empty = pa.array(values, pa.string()), pa.array([""], pa.string())
        parts, size, row = [], len(values), 0
        for at in [*self._at_error, len(self._status)]:
            parts += [whole] * ((at - row) // size if size else 0)
            if at < len(self._status):
                parts.append(empty)
            row = at + 1
        return pa.concat_arrays(parts) if parts else pa.array([], pa.string())


def _words(values: list[str]) -> pa.Array:
    """Return a column of few distinct words. It is made by way of their numbers, which is faster than word by word."""
    known = {word: number for number, word in enumerate(dict.fromkeys(values))}
    numbers = pa.array([known[word] for word in values], pa.int32())
    return pa.array([*known], pa.string()).take(numbers)


def _flags(places: list[int], count: int) -> pa.Array:
    flags = [False] * count
    for place in places:
        flags[place] = True
    return pa.array(flags, pa.bool_())


def _sparse(found: Mapping[int, float], count: int) -> pa.Array:
    """Return a column of numbers of which most are null."""
    if not found:
        return pa.nulls(count, pa.float64())
    values: list[float | None] = [None] * count
    for place, value in found.items():
        values[place] = value
    return pa.array(values, pa.float64())


def merged(tallies: Sequence[Tally]) -> Tally:
    """Return the counts of batches together; they are given in the order of the input."""
    whole = Tally([[0, 0, 0, 0, 0] for _ in tallies[0].checks] if tallies else [])
    for one in tallies:
        add(whole, one)
    return whole


def add(whole: Tally, one: Tally) -> None:
    """Add the counts of the next batch to those of all before it."""
    for mine, others in zip(whole.checks, one.checks, strict=True):
        for place, count in enumerate(others):
            mine[place] += count
    for place, count in enumerate(one.exits):
        whole.exits[place] += count
    moved = [msgspec.structs.replace(w, place=w.place + whole.calls) for w in one.worst]
    whole.worst = heapq.nsmallest(MOST_CALLS, [*whole.worst, *moved])
    late = [msgspec.structs.replace(s, place=s.place + whole.calls) for s in one.slow]
    whole.slow = heapq.nsmallest(MOST_SLOW, [*whole.slow, *late])
    whole.calls += one.calls
    whole.failed += one.failed
    errors = dict(whole.errors)
    for code, count in one.errors.items():
        errors[code] = errors.get(code, 0) + count
    whole.errors = errors


def _evidence(result: Mapping[str, Any]) -> list[str]:
    """Return what a result rests on: `s_4` for a span, `t_3` for a turn, both by their position in the input."""
    names = _SEEN & result.keys()
    if len(names) == 1:  # the usual one: one place is told
        (name,) = names
        told = result[name]
        if name in _FLAT:
            return [] if told is None else [f"t_{told}"]
        if name == "span_ids" and len(told) < 2:
            return list(told)
    spans, turns = set(result.get("span_ids", ())), set(result.get("turns", ()))
    turns.update(result[name] for name in _FLAT & names)
    for name in _LISTED & names:
        for item in result[name]:
            spans.add(item.get("span_id"))
            turns.add(item.get("turn"))
            for end in ("from", "to"):
                if (one := item.get(end)) is not None:
                    spans.add(one.get("span_id"))
                    turns.add(one.get("turn"))
    spans.discard(None)
    turns.discard(None)
    return [*sorted(spans, key=_place), *(f"t_{turn}" for turn in sorted(turns))]


def _place(span: str) -> int:
    return int(span[2:])
