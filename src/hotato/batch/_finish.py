"""From the journal to the files of a run. What is written is the same whatever ran in which order and how often it stopped."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from hotato.batch._folder import ENVELOPES, REPORT, RESULTS, SUMMARY
from hotato.batch._interval import interval
from hotato.batch._rows import SCHEMA, Tally, add
from hotato.batch._work import Outcome, unpacked
from hotato.context.writing import placed
from hotato.model import codec
from hotato.plan.compile import Plan
from hotato.plan.summary import exit_code
from hotato.runs.journal import Journal

FILE_SCHEMA = SCHEMA.insert(0, pa.field("call", pa.int64()))
_GROUP = 1 << 17  # rows of a row group
_BLOCK = 1 << 20  # bytes that are packed at once, so that the packed bytes do not hang on the pieces
_LEVEL = 3


def finish(journal: Journal, plan: Plan, about: Mapping[str, Any], pieces: Sequence[int]) -> dict[str, Any]:
    """Write results, envelopes, report and summary from what the journal has of all pieces, and return the summary.

    `about` is what the summary says of the run itself: `assertions`, `inputs`, and of `settings` the gates. Raise UsageError.
    """
    whole = Tally([[0, 0, 0, 0, 0] for _ in plan.nodes])
    settings = about["settings"]
    with (
        placed(os.path.join(journal.folder, RESULTS)) as stream,
        _packing(journal.folder, settings) as packer,
        pq.ParquetWriter(stream, FILE_SCHEMA, compression="zstd", version="2.6") as writer,
    ):
        grouped = _Groups(writer)
        for piece in pieces:
            outcome = unpacked(journal.outcome(piece))
            grouped.add(_numbered(outcome, whole.calls))
            packer.add(outcome.envelopes)
            add(whole, outcome.tally)
        grouped.end()
    made = summary(plan, whole, about)
    with placed(os.path.join(journal.folder, REPORT)) as stream:
        stream.write(_report(plan, whole, made).encode("utf-8"))
    with placed(os.path.join(journal.folder, SUMMARY)) as stream:
        stream.write(codec.encode(made, indent=2).encode("ascii") + b"\n")
    journal.finish()
    return made


def summary(plan: Plan, whole: Tally, about: Mapping[str, Any]) -> dict[str, Any]:
    """Return the summary of a run: its counts, its gates and its exit code."""
    settings = about["settings"]
    errors = sum(whole.errors.values())
    checks = [
        _check(node.id, node.stamp["kind"], counts) for node, counts in zip(plan.nodes, whole.checks, strict=True)
    ]
    gates = list(_gates(settings, checks, errors))
    gated = set(settings["min_pass_rate"])
    free = [check for check in checks if check["id"] not in gated]
    code = exit_code(
        sum(check["fail"] for check in free), sum(check["inconclusive"] for check in free), plan.inconclusive_policy
    )
    if not all(gate["kept"] for gate in gates if gate["gate"] == "min_pass_rate"):
        code = max(code, 1)
    if errors > settings["max_errors"] or errors == whole.calls:  # nothing was judged, or nothing at all was there
        code = 2
    if "internal" in whole.errors:
        code = 3
    totals = [sum(counts[place] for counts in whole.checks) for place in range(5)]
    return {
        "schema": "batch.v1",
        "hotato": about["hotato"],
        "assertions": about["assertions"],
        "inputs": about["inputs"],
        "calls": {
            "total": whole.calls,
            "judged": whole.calls - errors,
            "failed": whole.failed,
            "errors": errors,
            "by_exit_code": {str(place): count for place, count in enumerate(whole.exits)},
        },
        "errors": dict(sorted(whole.errors.items())),
        "results": dict(zip(("pass", "fail", "inconclusive", "vacuous", "skipped"), totals, strict=True)),
        "checks": checks,
        "gates": gates,
        "inconclusive_policy": plan.inconclusive_policy,
        "exit_code": code,
    }


def _check(id: str, kind: str, counts: Sequence[int]) -> dict[str, Any]:  # noqa: A002
    """Return the counts of an assertion. A pass that holds of nothing says nothing about the rate, and is no part of it."""
    names = ("pass", "fail", "inconclusive", "vacuous", "skipped")
    told = passed, of = counts[0] - counts[3], counts[0] - counts[3] + counts[1]
    low, high = interval(*told)
    rate = round(passed / of, 9) if of else None
    return {
        "id": id,
        "kind": kind,
        **dict(zip(names, counts, strict=True)),
        "pass_rate": rate,
        "interval": [round(low, 9), round(high, 9)],
    }


def _gates(settings: Mapping[str, Any], checks: Sequence[Mapping[str, Any]], errors: int) -> Iterator[dict[str, Any]]:
    most = settings["max_errors"]
    yield {"gate": "max_errors", "most": most, "found": errors, "kept": errors <= most}
    by_id = {check["id"]: check for check in checks}
    for name, least in sorted(settings["min_pass_rate"].items()):
        found = by_id[name]["interval"][0]
        yield {"gate": "min_pass_rate", "id": name, "least": least, "found": found, "kept": found >= least}


def _numbered(outcome: Outcome, first: int) -> pa.Table:
    """Return the rows of a piece, with the position of each call among all calls."""
    table = pa.ipc.open_stream(outcome.rows).read_all()
    sizes, errors = len(outcome.tally.checks), table.column("status").to_pylist() if outcome.tally.errors else ()
    places: list[int] = []
    call, row = first, 0
    while row < table.num_rows:
        size = 1 if errors and errors[row] == "ERROR" else sizes
        places += [call] * size
        call, row = call + 1, row + size
    return table.add_column(0, FILE_SCHEMA.field(0), pa.array(places, pa.int64()))


class _Groups:
    """Row groups of the same size, however many rows come at once."""

    def __init__(self, writer: pq.ParquetWriter) -> None:
        self._writer = writer
        self._waiting: list[pa.Table] = []
        self._count = 0

    def add(self, table: pa.Table) -> None:
        """Take rows, and write the groups that are full."""
        self._waiting.append(table)
        self._count += table.num_rows
        while self._count >= _GROUP:
            whole = pa.concat_tables(self._waiting)
            self._write(whole.slice(0, _GROUP))
            self._waiting, self._count = [whole.slice(_GROUP)], self._count - _GROUP

    def end(self) -> None:
        """Write what is left."""
        if self._count:
            self._write(pa.concat_tables(self._waiting))

    def _write(self, table: pa.Table) -> None:
        self._writer.write_table(table.combine_chunks(), row_group_size=_GROUP)


class _Packer:
    """Packs lines in blocks of one size; without a stream it drops them."""

    def __init__(self, stream: IO[bytes] | None) -> None:
        self._stream, self._waiting = stream, bytearray()
        if stream is not None:
            import zstandard

            self._packer = zstandard.ZstdCompressor(level=_LEVEL).compressobj()

    def add(self, lines: bytes) -> None:
        """Take lines."""
        if self._stream is None:
            return
        self._waiting += lines
        while len(self._waiting) >= _BLOCK:
            self._stream.write(self._packer.compress(bytes(self._waiting[:_BLOCK])))
            del self._waiting[:_BLOCK]

    def end(self) -> None:
        """Write what is left."""
        if self._stream is not None:
            self._stream.write(self._packer.compress(bytes(self._waiting)))
            self._stream.write(self._packer.flush())


class _packing:  # noqa: N801  # used as a function
    """The envelopes' file where one is wanted, nothing otherwise."""

    def __init__(self, folder: str, settings: Mapping[str, Any]) -> None:
        self._placed = placed(os.path.join(folder, ENVELOPES)) if settings["envelopes"] else None

    def __enter__(self) -> _Packer:
        self._packer = _Packer(self._placed.__enter__() if self._placed is not None else None)
        return self._packer

    def __exit__(self, *told: Any) -> None:
        if self._placed is not None:
            if told[0] is None:
                self._packer.end()
            self._placed.__exit__(*told)


def _report(plan: Plan, whole: Tally, made: Mapping[str, Any]) -> str:
    """Return the index of all calls as a page: every count, and the calls that fail most."""
    from hotato.report.html import _index, _page

    dimensions: dict[str, list[int]] = {}
    checks = []
    for node, counts in zip(plan.nodes, whole.checks, strict=True):
        dimension = node.stamp.get("dimension", "none")
        checks.append(_index.Check(node.id, node.stamp["kind"], dimension, counts[:3]))
        found = dimensions.setdefault(dimension, [0, 0, 0])
        for place in range(3):
            found[place] += counts[place]
    calls = made["calls"]
    title = f"{calls['total']} call{'s' * (calls['total'] != 1)}: {calls['failed']} failed"
    title += f", {calls['errors']} could not be read" if calls["errors"] else ""
    title += f"; exit code {made['exit_code']}"  # which missing evidence or a broken gate may decide alone
    judged = calls["judged"]
    index = _index.Index(
        calls=[_row(one) for one in whole.worst],
        totals=[made["results"][name] for name in ("pass", "fail", "inconclusive")],
        checks=sorted(checks, key=lambda one: (-one.counts[1], -one.counts[2], one.id, one.kind)),
        dimensions=sorted(
            (_index.Check(name, "", name, counts) for name, counts in dimensions.items()),
            key=lambda one: (one.id == "none", one.id),
        ),
        slow=[_index.Slow(one.call_id, "", one.id, _plain(-one.ms), one.status) for one in whole.slow],
        new=[],
        more_new=0,
        compared=0,
        more_calls=judged - len(whole.worst),
    )
    return _page.page("index.html", "index.js", title=title, index=index)


def _row(one: Any) -> Any:
    from hotato.report.html._index import CallRow

    counts = [one.passed, -one.failed, -one.inconclusive]
    return CallRow(one.call_id, "", counts, one.exit_code, one.names, -one.failed - len(one.names))


def _plain(ms: float) -> int | float:
    return int(ms) if ms.is_integer() else ms
