"""Show how far a batch run has come.

For example:
  hotato batch status results
  hotato batch status results --format json

A run is running, stopped or finished. Of a finished one the summary is shown.

Exit codes: 0 whatever the state, 2 refused (no run has begun there, or its journal was changed), 3 internal error.
"""

from __future__ import annotations

from argparse import Namespace

from hotato.cli import _batch
from hotato.cli._out import finish
from hotato.cli._parser import Parser


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.operand("FOLDER", "the folder of the run", completes="folder", required=True)
    parser.formats()


def main(args: Namespace) -> int:
    """Show the state of a run."""
    _batch.needs("hotato batch status")
    from hotato.batch import _run, _status

    found = _status.status(args.folder)
    made = _run.summary_of(args.folder) if found["state"] == "finished" else None
    if args.format == "json":
        from hotato.model.codec import encode

        return finish(encode({"ok": True, **found, "summary": made, "exit_code": 0}, indent=2) + "\n", 0)
    from hotato.plan.text import safe

    pieces = f"{found['pieces_done']} of {found['pieces']} pieces"
    lines = [f"{found['state']}: {pieces}, {found['calls']} calls, {found['failed']} failed, {found['errors']} errors"]
    if found["state"] == "stopped":
        lines.append(f"hotato batch resume {args.folder} goes on")
    if made is not None:
        lines += ["", *_batch.lines_of(made)]
    return finish("".join(f"{safe(line)}\n" for line in lines), 0)
