"""Asking about the results of runs, with DuckDB: nothing is read but what was asked for, and nothing is written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from hotato.batch._folder import ENVELOPES, RESULTS
from hotato.document.guess import Guesser
from hotato.errors import Problem, UsageError

TOP = """
select assertion_id, any_value(kind) as kind,
  count(*) filter (status = 'PASS') as pass, count(*) filter (status = 'FAIL') as fail,
  count(*) filter (status = 'INCONCLUSIVE') as inconclusive,
  round(fail / nullif(pass + fail, 0), 6) as failure_rate
from results where status <> 'ERROR' group by assertion_id
order by failure_rate desc nulls last, fail desc, assertion_id
"""
TOP_SINCE = """
with now as ({top}), moved as (
  select r.assertion_id,
    count(*) filter (r.status = 'FAIL' and before.failed is distinct from true) as newly_failing,
    count(*) filter (r.status <> 'FAIL' and before.failed) as no_longer_failing
  from results r left join (
    select call_id, assertion_id, bool_or(status = 'FAIL') as failed from base group by call_id, assertion_id
  ) before on r.call_id = before.call_id and r.assertion_id = before.assertion_id
  where r.status <> 'ERROR' group by r.assertion_id)
select now.assertion_id, kind, pass, fail, inconclusive, failure_rate, newly_failing, no_longer_failing
from now join moved using (assertion_id)
order by newly_failing desc, failure_rate desc nulls last, assertion_id
"""
SAMPLE = """
select "call", call_id, list(assertion_id order by assertion_id) filter (assertion_id <> '') as assertions,
  list(distinct code order by code) as codes
from results where status = $status and ($id = '' or assertion_id = $id)
group by "call", call_id order by md5($seed || '/' || "call"::varchar), "call" limit $count
"""


IDS = "select distinct assertion_id from results where assertion_id <> '' order by assertion_id"
_ONE = "a query is one SELECT statement over results, and base where --base is given; nothing is written or changed"


class Table:
    """The answer to a query: names of columns, and rows as plain values."""

    def __init__(self, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        self.names, self.rows = list(names), [list(row) for row in rows]

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as mappings. Raise UsageError where two columns have one name."""
        twice = [name for place, name in enumerate(self.names) if name in self.names[:place]]
        if twice:
            said = f"two columns are named {twice[0]}, and one would be lost: name one with as"
            raise UsageError(Problem(code="query", file="query", message=said))
        return [dict(zip(self.names, row, strict=True)) for row in self.rows]


def ask(folder: str, query: str, base: str = "", most: int = 0, **given: Any) -> Table:
    """Return the answer to a query over `results`, and `base` where another run is given. Raise UsageError.

    A query reads the tables and nothing else: no file, no network. `most` rows are returned at most, 0 for all.
    """
    import duckdb

    tables = {name: _table(place) for name, place in (("results", folder), ("base", base)) if place}
    connection = duckdb.connect(":memory:")
    try:
        for name, table in tables.items():
            connection.register(name, table)
        for setting in (
            "python_enable_replacements = false",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            connection.execute(f"set {setting}")
        statements = connection.extract_statements(query)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise UsageError(Problem(code="query", file="query", message=_ONE))
        found = connection.execute(statements[0], given or None)
        names = [column[0] for column in found.description]
        return Table(names, found.fetchmany(most) if most else found.fetchall())
    except duckdb.Error as cause:
        said = str(cause).strip().partition("\n")[0]
        raise UsageError(Problem(code="query", file="query", message=said)) from None
    finally:
        connection.close()


def known(folder: str, id: str) -> None:  # noqa: A002
    """Raise UsageError, with the nearest one, for an id that no result has."""
    ids = [str(row[0]) for row in ask(folder, IDS).rows]
    if id not in ids:
        said = f"no result is of an assertion with the id '{id[:128]}'"
        raise UsageError(Problem(code="value", file="--id", message=said, guess=Guesser().nearest(id, ids)))


def _table(place: str) -> Any:
    """Return the results of a run as Arrow reads them: by their path as it is, whatever signs are in it."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    path = results_of(place)
    try:
        return ds.dataset(path, format="parquet")
    except (pa.ArrowException, OSError, ValueError):
        said = "is no Parquet that can be read"
        raise UsageError(Problem(code="parquet", file=path, message=said)) from None


def results_of(folder: str) -> str:
    """Return the results of a run, or the Parquet file itself. Raise UsageError where there are none."""
    path = os.path.join(folder, RESULTS) if os.path.isdir(folder) else folder
    if not os.path.isfile(path):
        said = "no results are there; a run has them when it is finished"
        raise UsageError(Problem(code="file_missing", file=path, message=said))
    return path


def envelopes_of(folder: str, wanted: set[int]) -> Iterator[bytes]:
    """Yield the line of each call that is wanted, by its position, from a run's envelopes. Raise UsageError.

    Envelopes are in the order of the calls, without those that could not be judged.
    """
    from hotato.batch._streams import opened, unpacked

    path = os.path.join(folder, ENVELOPES)
    if not os.path.isfile(path):
        said = "the run has no envelopes; hotato batch run --envelopes writes them"
        raise UsageError(Problem(code="file_missing", file=path, message=said))
    errors = {row[0] for row in ask(folder, "select \"call\" from results where status = 'ERROR'").rows}
    call, left = 0, len(wanted - errors)
    with opened(path) as stream:
        for line in unpacked(stream, "zstd"):
            while call in errors:
                call += 1
            if call in wanted and line.endswith(b"\n"):
                left -= 1
                yield line
            call += 1
    if left:
        said = f"is broken off or damaged: {left} of the calls wanted are not in it"
        raise UsageError(Problem(code="zstd", file=path, message=said))
