"""Measure how far a judge agrees with people who labeled the same calls.

For example:
  hotato rubric calibrate --labeled labeled/ --judge-model qwen3:8b --out calibration.json
  hotato rubric calibrate --labeled labeled/ --judge-replay answers.json --out calibration.json

The folder holds rubrics.yaml and a folder a call, each with labels.json ({"stays-polite": "PASS"}) and
transcript.json, voice_trace.jsonl or both. Written are the counts, agreement, accuracy where the judge decided, and
Cohen's kappa, the last two with an interval at 95 %; and every pair that they follow from. What was said on the calls
is not in it.

Exit codes: 0 measured, 2 refused (a file, a flag, a label), 3 internal error.
"""

from __future__ import annotations

import os
from argparse import Namespace

from hotato.cli import _judge
from hotato.cli._out import finish
from hotato.cli._parser import CommandError, Parser

_PROG = "hotato rubric calibrate"


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.value("--labeled", "FOLDER", "the labeled calls", completes="folder", required=True)
    _judge.declare(parser)
    parser.value("--out", "FILE", "write the calibration, as JSON, to this file", completes="file", required=True)
    parser.switch("--force", "overwrite files that are there")
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Measure, and tell."""
    _judge.check(args, _PROG)
    _check(args)
    from hotato.context.files import write_texts
    from hotato.model.codec import encode
    from hotato.rubric.calibration import calibrate, load_labeled, render_text

    _judge.check_written((args.out, args.judge_record), force=bool(args.force))
    rubrics, calls = load_labeled(args.labeled)
    judges = _judge.judges(args, _PROG)
    found = calibrate(rubrics, calls, judges, cache=_judge.cache(args), fresh=bool(args.no_cache))
    encoded = encode(found, indent=2) + "\n"
    texts = {} if args.judge_record is None else {args.judge_record: judges.recording()}
    write_texts({**texts, args.out: encoded}, overwrite=bool(args.force))
    return finish(encoded if args.format == "json" else render_text(found), 0)


def _check(args: Namespace) -> None:
    """Refuse to write to standard output, to one file twice, and over the answers that are read. Raise CommandError."""
    from hotato.cli._reports import apart

    if args.out == "-":
        raise CommandError(_PROG, "--out", "names a file; --format json writes to standard output")
    apart(_PROG, [("--out", args.out)], [("--judge-replay", args.judge_replay), ("--judge-record", args.judge_record)])
    inside = os.scandir(args.labeled) if os.path.isdir(args.labeled) else ()
    read = [entry.path for entry in inside if entry.is_dir() or entry.name == "rubrics.yaml"]
    written = (("--out", args.out), ("--judge-record", args.judge_record))
    apart(_PROG, written, [("--labeled", path) for path in sorted(read)])
