"""Go on with a batch run that was stopped.

For example:
  hotato batch resume results
  hotato batch resume results --workers 8 --engine dask

What the run reads is compared with what it read before: a changed input or document is refused, with both hashes. Pieces
that are done are not judged again, and the files are the same as if the run had not been stopped.

Exit codes: as of hotato batch run.
"""

from __future__ import annotations

from argparse import Namespace

from hotato.cli import _batch
from hotato.cli._parser import Parser


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.operand("FOLDER", "the folder of the run", completes="folder", required=True)
    _batch.declare(parser)
    parser.formats()


def main(args: Namespace) -> int:
    """Go on with a run."""
    how = _batch.engine(args, "hotato batch resume")
    from hotato.batch import _run

    progress = _batch.Progress()
    with _batch.stoppable(args.folder, progress):
        made = _run.resume(args.folder, how, progress)
    return _batch.told(args, made, args.folder, progress)
