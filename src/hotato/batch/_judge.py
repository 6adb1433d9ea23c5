"""Judging calls that come as rows: the unit that every engine runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
import pyarrow as pa

from hotato.batch._record import call_of, decoded, id_of, record_of, typed_or_not
from hotato.batch._rows import Ledger
from hotato.context.row import COLUMNS, EVIDENCE, SOURCE, meant
from hotato.context.typed import Typed
from hotato.errors import EvidenceError, InternalError, Problem, UsageError
from hotato.model import codec, given
from hotato.model.call import Call
from hotato.plan.compile import Plan
from hotato.plan.lean import findings, findings_of
from hotato.plan.run import judge as results_of
from hotato.plan.summary import envelope

INTERNAL = "internal"


class Item(msgspec.Struct):
    """A call on its way: the id it has where it gives none itself, and a line, a record, a call, or why there is none."""

    name: str
    line: bytes = b""
    record: Any = None
    call: Call | None = None
    fault: str = ""


def judge(
    plan: Plan, calls: pa.RecordBatch, *, capture_complete: bool = False, statuses_only: bool = False
) -> pa.RecordBatch:
    """Return the results of calls as rows of `SCHEMA`, one for each call and assertion, in the order of both.

    A row of `calls` has a `call_id`, and either `call`, the text of a JSON object as a line of input has it, or columns
    `transcript`, `spans`, `state` and `timing`: each JSON text, or nested as Arrow has it. A call that cannot be judged
    is one row with status ERROR, an empty assertion and a code. Nothing is raised for what a call holds.

    With `statuses_only` the rows are of `STATUSES`: they end before `evidence`, and what these columns hold is not collected.
    Raise UsageError for an argument of another type.
    """
    given.typed(Plan, plan, "plan", "a plan, as compile_assertions returns it")
    given.typed(pa.RecordBatch, calls, "calls", "a RecordBatch of Arrow")
    given.flag(capture_complete, "capture_complete")
    given.flag(statuses_only, "statuses_only")
    ledger = Ledger(plan)
    items = items_of(calls, "row")
    for _ in judged(plan, items, ledger, capture_complete=capture_complete, bare=statuses_only):
        pass
    return ledger.statuses() if statuses_only else ledger.rows()


def judged(
    plan: Plan,
    items: Iterable[Item],
    ledger: Ledger,
    *,
    capture_complete: bool = False,
    envelopes: bool = False,
    bare: bool = False,
) -> Iterator[bytes]:
    """Judge calls into a ledger; with `envelopes` yield the line of each, `{"call_id": ..., "envelope": ...}`."""
    for item in items:
        call_id = item.name
        try:
            if item.fault:
                ledger.error(call_id, item.fault)
                continue
            call: Call | Typed | None = item.call
            if call is None:
                if plan.plain:
                    record = decoded(item.line) if item.line else item.record
                else:
                    record = record_of(item.line) if item.line else typed_or_not(item.record)
                call_id = id_of(record, item.name)
                call = call_of(record, capture_complete=capture_complete)
            if envelopes or plan.plain:
                results = results_of(plan, call)
                found = findings_of(results)
            else:
                found = findings(plan, call, bare=bare)
        except UsageError as error:
            ledger.error(call_id, error.problems[0].code)
            continue
        except (InternalError, RecursionError):
            ledger.error(call_id, INTERNAL)
            continue
        ledger.judged(call_id, found)
        if envelopes:
            whole = envelope(results, plan.inconclusive_policy, call.audit)
            yield codec.encode({"call_id": call_id, "envelope": whole}).encode("ascii") + b"\n"


def items_of(calls: pa.RecordBatch, source: str, first: int = 0) -> Iterator[Item]:
    """Yield the calls of a batch of rows; one without an id is named after its source and its position there."""
    names = calls.schema.names
    columns = {name: calls.column(names.index(name)) for name in COLUMNS if name in names}
    absent = [name for name in EVIDENCE if name not in names]
    unclear = any(names.count(name) > 1 for name in columns) or any(meant(name) in absent for name in names)
    for place in range(calls.num_rows):
        otherwise = f"{source}@{first + place}"
        try:
            found = _cell(columns, "call_id", place)
            name = id_of({"call_id": found}, otherwise)
        except UsageError as error:
            yield Item(otherwise, fault=error.problems[0].code)
            continue
        if unclear:  # which of two columns is meant cannot be told, or one that is misspelt would be lost
            yield Item(name, fault="parquet")
            continue
        try:
            whole = _cell(columns, "call", place)
            if whole is not None:
                yield _of_whole(name, whole)
                continue
            record = {key: _value(_cell(columns, key, place)) for key in EVIDENCE if key in columns}
            record[SOURCE] = _of_source(_cell(columns, SOURCE, place))
        except UsageError as error:
            yield Item(name, fault=error.problems[0].code)
            continue
        yield Item(name, record={"call_id": found, **record})


def _cell(columns: Mapping[str, pa.Array], name: str, place: int) -> Any:
    """Return what a cell holds, None without the column. Raise EvidenceError for what has no value: a time past all years."""
    try:
        return columns[name][place].as_py() if name in columns else None
    except UnicodeDecodeError:
        raise EvidenceError(Problem(code="file_encoding", message="not UTF-8 text")) from None
    except (ValueError, OverflowError, pa.ArrowException):
        raise EvidenceError(Problem(code="parquet", message="a cell cannot be read")) from None


def _of_whole(name: str, whole: Any) -> Item:
    """Return the call of a cell that holds all of it: its text, or its parts nested."""
    if isinstance(whole, str):
        whole = whole.encode("utf-8", "surrogatepass")
    if isinstance(whole, bytes):
        return Item(name, line=whole) if whole else Item(name, fault="json_syntax")
    return Item(name, record=_present(whole)) if isinstance(whole, Mapping) else Item(name, fault="call")


def _value(value: Any) -> Any:
    """Return what a cell says: JSON text is decoded; of nested values what is null in a mapping is left out.

    Arrow gives every mapping of a column the same keys, and null where one has not.
    """
    if isinstance(value, str):
        return decoded(value.encode("utf-8", "surrogatepass"))
    if isinstance(value, bytes):
        return decoded(value)
    return _present(value)


def _of_source(value: Any) -> Any:
    """Return what a cell says of its source where it says more than a name."""
    return _value(value) if not isinstance(value, (str, bytes)) or value.lstrip()[:1] in ("{", b"{") else None


def _present(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _present(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        if value and all(isinstance(pair, tuple) and len(pair) == 2 for pair in value):  # a map of Arrow
            return {str(key): _present(inner) for key, inner in value if inner is not None}
        return [_present(inner) for inner in value]
    return value
