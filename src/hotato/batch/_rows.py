"""Results as columns: what is kept of each, and the counts of a batch beside them."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import msgspec
import pyarrow as pa

from hotato.model.verdict import FAIL, INCONCLUSIVE, PASS
from hotato.plan.compile import Plan
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
MOST_CALLS = 500  # calls that the index lists
MOST_SLOW = 20
MOST_NAMED = 6  # failing assertions named beside a call
_FLAT = frozenset(("turn", "before_turn", "after_turn"))
_LISTED = frozenset(("pairs", "events", "claims", "hits", "matched_rules"))
_SEEN = _FLAT | _LISTED | {"turns", "span_ids"}


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
    """Takes the results of calls one by one, and gives their rows and counts."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._ids = [node.id for node in plan.nodes]
        self._kinds = [node.stamp["kind"] for node in plan.nodes]
        self._calls: list[tuple[str, int]] = []
        self._at_error: list[int] = []
        self._status: list[str] = []
        self._code: list[str] = []
        self._exercised: list[int | None] = []
        self._rare: dict[str, dict[int, Any]] = {name: {} for name in ("vacuous", "skipped", "evidence", *NUMBERS)}
        self.tally = Tally([[0, 0, 0, 0, 0] for _ in plan.nodes])

    def judged(self, call_id: str, results: Sequence[Mapping[str, Any]]) -> None:
        """Take the results of one call, in the order of the plan."""
        counts, rare, row = self.tally.checks, self._rare, len(self._status)
        totals = {PASS: 0, FAIL: 0, INCONCLUSIVE: 0}
        for result, count in zip(results, counts, strict=True):
            status = result["status"]
            self._status.append(status)
            self._code.append(result["code"])
            self._exercised.append(result.get("exercised"))
            totals[status] += 1
            count[_PLACES[status]] += 1
            if "vacuous" in result:
                rare["vacuous"][row] = True
                count[3] += 1
            if "skipped" in result:
                rare["skipped"][row] = True
                count[4] += 1
            keys = result.keys()
            if not _SEEN.isdisjoint(keys):
                rare["evidence"][row] = _evidence(result)
            for name in NUMBERS:
                if name in keys and type(result[name]) in (int, float):
                    rare[name][row] = float(result[name])
                    if name == "measured_ms":
                        self._measured(Slow(-float(result[name]), len(self._calls), call_id, result["id"], status))
            row += 1
        self._called(call_id, results, totals)

    def error(self, call_id: str, code: str) -> None:
        """Take a call that could not be judged."""
        self._at_error.append(len(self._calls))
        self._calls.append((call_id, 1))
        self._status.append(ERROR)
        self._code.append(code)
        self._exercised.append(None)
        self.tally.calls += 1
        self.tally.errors = {**self.tally.errors, code: self.tally.errors.get(code, 0) + 1}

    def rows(self) -> pa.RecordBatch:
        """Return all rows, in the order in which the calls were taken."""
        count = len(self._status)
        repeated = [size for _, size in self._calls]
        ids = pa.array([call_id for call_id, _ in self._calls], pa.string())
        places = pa.array([place for place, size in enumerate(repeated) for _ in range(size)], pa.int64())
        columns = [
            ids.take(places),
            self._of_plan(self._ids),
            self._of_plan(self._kinds),
            pa.array(self._status, pa.string()),
            pa.array(self._code, pa.string()),
            pa.array(self._exercised, pa.int64()),
            *(self._flags(name, count) for name in ("vacuous", "skipped")),
            self._lists(count),
            *(self._numbers(name, count) for name in NUMBERS),
        ]
        return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)

    def _called(self, call_id: str, results: Sequence[Mapping[str, Any]], totals: Mapping[str, int]) -> None:
        place = len(self._calls)
        self._calls.append((call_id, len(results)))
        tally, failed, open_ = self.tally, totals[FAIL], totals[INCONCLUSIVE]
        tally.calls += 1
        tally.failed += failed > 0
        code = exit_code(failed, open_, self._plan.inconclusive_policy)
        tally.exits[code] += 1
        key = (-failed, -open_, place)
        if len(tally.worst) >= 2 * MOST_CALLS:
            tally.worst = heapq.nsmallest(MOST_CALLS, tally.worst)
        if len(tally.worst) < MOST_CALLS or failed or open_:
            names = [result["id"] for result in results if result["status"] == FAIL][:MOST_NAMED] if failed else []
            tally.worst = tally.worst or []
            tally.worst.append(Worst(*key, totals[PASS], call_id, code, names))

    def _measured(self, slow: Slow) -> None:
        kept = self.tally.slow = self.tally.slow or []
        if len(kept) >= 10 * MOST_SLOW:
            kept[:] = heapq.nsmallest(MOST_SLOW, kept)
        kept.append(slow)

    def _of_plan(self, values: list[str]) -> pa.Array:
        """Return a column that repeats a value of each assertion for every call, and is empty for one that was not judged."""
        whole, empty = pa.array(values, pa.string()), pa.array([""], pa.string())
        wrong = set(self._at_error)
        parts = [empty if place in wrong else whole for place in range(len(self._calls))]
        return pa.concat_arrays(parts) if parts else pa.array([], pa.string())

    def _flags(self, name: str, count: int) -> pa.Array:
        found = self._rare[name]
        return pa.array([place in found for place in range(count)] if found else [False] * count, pa.bool_())

    def _numbers(self, name: str, count: int) -> pa.Array:
        found = self._rare[name]
        if not found:
            return pa.nulls(count, pa.float64())
        return pa.array([found.get(place) for place in range(count)], pa.float64())

    def _lists(self, count: int) -> pa.Array:
        found = self._rare["evidence"]
        ends = [0, *accumulate(len(found[place]) if place in found else 0 for place in range(count))]
        values = [one for ids in found.values() for one in ids]
        return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), pa.array(values, pa.string()))


_PLACES = {PASS: 0, FAIL: 1, INCONCLUSIVE: 2}


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
    spans, turns = set(result.get("span_ids", ())), set(result.get("turns", ()))
    turns.update(result[name] for name in _FLAT & result.keys())
    for name in _LISTED & result.keys():
        for item in result[name]:
            for one in (item, item.get("from"), item.get("to")):
                if one is not None:
                    spans.add(one.get("span_id"))
                    turns.add(one.get("turn"))
    spans.discard(None)
    turns.discard(None)
    return [*sorted(spans, key=lambda span: int(span[2:])), *(f"t_{turn}" for turn in sorted(turns))]
