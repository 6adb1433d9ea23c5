"""List the assertions of a batch run by how often they fail.

For example:
  hotato batch top --results results
  hotato batch top --results today --base yesterday
  hotato batch top --results results --n 5 --format json

The failure rate is that of the calls on which an assertion passed or failed. With --base, calls of the same id are
compared, and what newly fails comes first: calls that fail and did not, or were not there.

Exit codes: 0 listed, 2 refused, 3 internal error.
"""

from __future__ import annotations

from argparse import Namespace

from hotato.cli import _batch
from hotato.cli._parser import Parser

_PROG = "hotato batch top"
_COUNT = 20


def configure(parser: Parser) -> None:
    """Declare flags."""
    _batch.declare_results(parser)
    parser.value("--n", "N", f"how many assertions to list; {_COUNT} by default")
    parser.formats()


def main(args: Namespace) -> int:
    """List assertions."""
    _batch.needs(_PROG)
    from hotato.batch import _query

    count = _batch.whole(args.n, "--n", _PROG, least=1) or _COUNT
    query = _query.TOP_SINCE.format(top=_query.TOP) if args.base else _query.TOP
    return _batch.show_table(args.format, _query.ask(args.results, query, args.base or "", count))
