"""Asking about the results of runs, with DuckDB: nothing is read but what was asked for, and nothing is written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from hotato.batch._folder import ENVELOPES, RESULTS
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
    count(*) filter (r.status = 'FAIL' and b.status is distinct from 'FAIL') as newly_failing,
    count(*) filter (r.status <> 'FAIL' and b.status = 'FAIL') as no_longer_failing
  from results r left join base b on r.call_id = b.call_id and r.assertion_id = b.assertion_id
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


class Table:
    """The answer to a query: names of columns, and rows as plain values."""

    def __init__(self, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        self.names, self.rows = list(names), [list(row) for row in rows]

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as mappings."""
        return [dict(zip(self.names, row, strict=True)) for row in self.rows]


def ask(folder: str, query: str, base: str = "", most: int = 0, **given: Any) -> Table:
    """Return the answer to a query over `results`, and `base` where another run is given. Raise UsageError.

    A query reads the tables and nothing else: no file, no network. `most` rows are returned at most, 0 for all.
    """
    import duckdb

    connection = duckdb.connect(":memory:")
    try:
        for name, place in (("results", folder), ("base", base)):
            if place:
                path = os.path.abspath(results_of(place)).replace("'", "''")
                connection.execute(f"create view {name} as select * from read_parquet('{path}')")  # noqa: S608
        paths = [os.path.abspath(results_of(place)) for place in (folder, base) if place]
        connection.execute("set allowed_paths = " + str(paths))
        connection.execute("set enable_external_access = false")
        connection.execute("set lock_configuration = true")
        found = connection.execute(query, given or None)
        names = [column[0] for column in found.description]
        return Table(names, found.fetchmany(most) if most else found.fetchall())
    except duckdb.Error as cause:
        said = str(cause).strip().partition("\n")[0]
        raise UsageError(Problem(code="query", file="query", message=said)) from None
    finally:
        connection.close()


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
    call = 0
    with opened(path) as stream:
        for line in unpacked(stream, "zstd"):
            while call in errors:
                call += 1
            if call in wanted:
                yield line
            call += 1
