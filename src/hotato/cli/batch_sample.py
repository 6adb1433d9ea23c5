"""Pull calls of a batch run for review: some that failed, say, the same ones every time.

For example:
  hotato batch sample --results results --status FAIL --n 20
  hotato batch sample --results results --status FAIL --id refund-issued --n 20 --out review.jsonl
  hotato batch sample --results results --status ERROR --seed 2

Calls are chosen by a hash of the seed and their position, so that a sample is fair and comes out the same again. --out
writes their envelopes as JSON Lines, which `hotato assert diff` reads; the run must have been made with --envelopes.

Exit codes: 0 sampled, 2 refused, 3 internal error.
"""

from __future__ import annotations

from argparse import Namespace

from hotato.cli import _batch
from hotato.cli._parser import CommandError, Parser

_PROG = "hotato batch sample"
_COUNT = 20


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.value("--results", "FOLDER", "the folder of a finished run", completes="folder", required=True)
    said = "a call of the sample has at least one such result; FAIL by default"
    parser.value("--status", "STATUS", said, choices=("PASS", "FAIL", "INCONCLUSIVE", "ERROR"), default="FAIL")
    parser.value("--id", "ID", "this assertion's results alone")
    parser.value("--n", "N", f"how many calls; {_COUNT} by default")
    parser.value("--seed", "SEED", "another seed gives another sample; 0 by default")
    parser.value("--out", "FILE", "write the envelopes of the calls to this file", completes="file")
    parser.switch("--force", "overwrite the file if it is there")
    parser.formats()


def main(args: Namespace) -> int:
    """Sample calls."""
    _batch.needs(_PROG)
    if args.out == "-":
        raise CommandError(_PROG, "--out", "names a file; --format json writes to standard output")
    if args.force and args.out is None:
        raise CommandError(_PROG, "--force", "means nothing without --out")
    if args.out is not None and args.status == "ERROR":
        raise CommandError(_PROG, "--out", "means nothing for calls that were not judged and have no envelope")
    if args.id is not None and args.status == "ERROR":
        raise CommandError(
            _PROG, "--id", "means nothing for calls that were not judged: their rows are of no assertion"
        )
    from hotato.batch import _query

    if args.id is not None:
        _query.known(args.results, args.id)
    count = _batch.whole(args.n, "--n", _PROG, least=1) or _COUNT
    given = {"status": args.status, "id": args.id or "", "seed": args.seed or "0", "count": count}
    found = _query.ask(args.results, _query.SAMPLE, **given)
    if args.out is not None:
        from hotato.context.files import write_text

        lines = _query.envelopes_of(args.results, {int(row[0]) for row in found.rows})
        write_text(args.out, "".join(line.decode("ascii") for line in lines), overwrite=bool(args.force))
    return _batch.show_table(args.format, found)
