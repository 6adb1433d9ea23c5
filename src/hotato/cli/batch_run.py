"""Judge many calls, on all cores or on a cluster, and write their results as one table.

For example:
  hotato batch run --assertions assertions.yaml --calls calls.jsonl --out results
  hotato batch run --assertions assertions.yaml --calls exports/ --out results --workers 4
  hotato batch run --assertions assertions.yaml --calls 'day/*.parquet' --out results --envelopes
  hotato batch run --assertions assertions.yaml --calls s3://bucket/calls/ --out results --engine dask
  hotato batch run --pack pii-leak --calls calls.jsonl.zst --out results --min-pass-rate pii-leak.card=0.999

--calls is a file, a folder, a glob or a URL that fsspec reads: JSON Lines of {"call_id", "transcript", "spans", "state"}
(plain, gzip or zstd), Parquet with such columns, or files that hold a call each in any format that is imported. The folder
gets results.parquet (a row for each call and assertion), summary.json, report.html and, with --envelopes,
envelopes.jsonl.zst: the same bytes whatever the engine, the workers and the size of the pieces. A call that cannot be read
is a row with status ERROR. A run that is stopped goes on with hotato batch resume.

Exit codes: 0 nothing failed, 1 a check failed or a pass rate is not shown to be high enough, 2 refused (also more errors
than --max-errors, no call that was judged, or under refuse an INCONCLUSIVE), 3 internal error.
"""

from __future__ import annotations

import os
import re
from argparse import Namespace
from typing import Any

from hotato.cli import _batch
from hotato.cli._out import complain
from hotato.cli._parser import CommandError, Parser

_PROG = "hotato batch run"
_RATE = re.compile(r"[01]|[01]?\.[0-9]{1,12}")


def configure(parser: Parser) -> None:
    """Declare flags."""
    value = parser.value
    value("--assertions", "FILE", "the document, YAML or JSON", completes="document")
    said = "a bundled assertion pack to judge by as well; may be repeated"
    value("--pack", "NAME", said, completes="pack", many=True)
    value("--calls", "INPUT", "the calls; may be repeated", completes="file", required=True, many=True)
    value("--out", "FOLDER", "where the results go; made where it is not there", completes="folder", required=True)
    said = "what the input is, where that cannot be told from it: lines of calls, or files of a call each"
    value("--input", "KIND", said, choices=("lines", "call"))
    value("--call-format", "NAME", "the format of files that hold a call each", completes="format")
    parser.switch("--capture-complete", "the source records every kind of event, whatever it is known for")
    parser.switch("--envelopes", "also write the envelope of every call")
    parser.switch("--force", "start anew in a folder that holds a run; its files are removed")
    _batch.declare(parser)
    value("--batch-size", "SIZE", "about how much input a worker judges at once; 4MB by default")
    value("--max-errors", "N", "how many calls may be unreadable before the run is refused; 0 by default")
    said = "judge this assertion by its pass rate alone: the lower bound of its exact 95 % interval; may be repeated"
    value("--min-pass-rate", "ID=RATE", said, many=True)
    said = "what an INCONCLUSIVE does to the exit code; beats the document's own setting"
    value("--inconclusive-policy", "POLICY", said, choices=("report", "fail", "refuse"))
    parser.switch("--strict", "a PASS that holds of nothing is a FAIL")
    said = "read what one speaker says without a break as one utterance (on by default)"
    parser.switch("--join-segments", said, negative="--no-join-segments")
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Judge all calls."""
    if args.assertions is None and not args.pack:
        raise CommandError(_PROG, "", "needs --assertions FILE or --pack NAME: what is to be checked")
    if "" in args.calls:
        raise CommandError(_PROG, "--calls", "is empty: it names a file, a folder, a glob or a URL")
    if "-" in (args.assertions, *args.calls):
        raise CommandError(_PROG, "-", "a run that can be resumed reads files, not standard input")
    how = _batch.engine(args, _PROG)
    from hotato.batch import _run

    request, plan = _asked(args)
    if args.format == "text":
        from hotato.cli._warnings import hollow

        complain(hollow(*args.judged_by[:2]))
    progress = _batch.Progress()
    with _batch.stoppable(args.out, progress):
        made = _run.run(request, plan, args.out, how, progress, force=bool(args.force))
    return _batch.told(args, made, args.out, progress)


def _asked(args: Namespace) -> tuple[Any, Any]:
    """Return what the flags ask for, and the plan. Raise UsageError, CommandError."""
    from hotato.batch import _document, _run

    rates, size, most = _rates(args), _size(args.batch_size), _batch.whole(args.max_errors, "--max-errors", _PROG)
    text, file, packs = args.judged_by = _texts(args)
    judged, plan = _document.taken(
        text,
        file,
        packs,
        inconclusive_policy=args.inconclusive_policy,
        strict=args.strict,
        join_segments=args.join_segments,
    )
    if args.call_format is not None:
        from hotato import importers

        importers.get(args.call_format)
    request = _run.Request(
        calls=tuple(call if "://" in call else os.path.abspath(call) for call in args.calls),
        judged=judged,
        kind=args.input or "",
        call_format=args.call_format or "",
        capture_complete=bool(args.capture_complete),
        envelopes=bool(args.envelopes),
        batch_bytes=size,
        max_errors=most or 0,
        min_pass_rate=rates,
    )
    return request, plan


def _texts(args: Namespace) -> tuple[str, str, tuple[str, ...]]:
    """Return the document's text, its path, and the packs that are merged into it."""
    packs = tuple(args.pack or ())
    if args.assertions is not None:
        from hotato.context.files import MOST_CONFIG, read_text
        from hotato.errors import DocumentError

        file = os.path.abspath(args.assertions)
        return read_text(file, most=MOST_CONFIG, error=DocumentError), file, packs
    from hotato.cli._packs import pack_text

    return pack_text(packs[0]), "", packs[1:]


def _rates(args: Namespace) -> dict[str, float]:
    found: dict[str, float] = {}
    for pair in args.min_pass_rate or ():
        name, _, rate = pair.rpartition("=")
        if not name or not _RATE.fullmatch(rate):
            raise CommandError(_PROG, "--min-pass-rate", f"'{pair}' is not ID=RATE, such as pii-leak.card=0.999")
        if name in found:
            raise CommandError(_PROG, "--min-pass-rate", f"gives {name} twice")
        found[name] = float(rate)
    return found


def _size(text: str | None) -> int:
    from hotato.batch._run import BATCH_BYTES
    from hotato.model.limits import parsed

    if text is None:
        return BATCH_BYTES
    try:
        size = parsed(f"file_bytes={text}")[1]
    except ValueError:
        size = 0
    if size < 1:
        raise CommandError(_PROG, "--batch-size", f"'{text}' is no size, such as 4MB")
    return size
