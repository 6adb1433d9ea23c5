"""Ask about the results of a batch run in SQL.

For example:
  hotato batch query --results results "select status, count(*) from results group by status"
  hotato batch query --results new --base old "select count(*) from results r join base b using (call_id, assertion_id)"
  hotato batch query --results results "select call_id from results where code = 'never_called'" --format json

The table `results` has the columns of results.parquet; with --base there is a second one, `base`. DuckDB answers, and a
query can read these tables alone: no file, no network.

Exit codes: 0 answered, 2 refused (no results, or a query that DuckDB refuses), 3 internal error.
"""

from __future__ import annotations

from argparse import Namespace

from hotato.cli import _batch
from hotato.cli._parser import Parser


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.operand("SQL", "the query", required=True)
    _batch.declare_results(parser)
    parser.formats()


def main(args: Namespace) -> int:
    """Answer a query."""
    _batch.needs("hotato batch query")
    from hotato.batch import _query

    return _batch.show_table(args.format, _query.ask(args.results, args.sql, args.base or ""))
