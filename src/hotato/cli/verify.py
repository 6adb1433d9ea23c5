"""Compare recordings of the same scenarios before and after a change: fixed, regressed or same.

For example:
  hotato verify --before recordings-v1 --after recordings-v2
  hotato verify --before recordings-v1 --after recordings-v2 --scenarios scenarios --format json

Each folder holds a recording <id>.wav of every scenario; without --scenarios these are those of the suite barge-in. A
recording that failed before and fails still is the same, and fails the comparison. Needs the extra audio:
pip install 'hotato[audio]'.

Exit codes: 0 every recording of after passes, 1 one of them fails, 2 refused (a file, a flag, or a recording of either set
that allows no verdict), 3 internal error.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import Any

from hotato.cli import _timing
from hotato.cli._out import finish
from hotato.cli._parser import CommandError, Parser

_PROG = "hotato verify"
_WORDS = {"fixed": "FIXED", "regressed": "REGRESSED", "same": "SAME", "no_verdict": "NO VERDICT"}


def configure(parser: Parser) -> None:
    """Declare flags."""
    value = parser.value
    value("--before", "FOLDER", "the recordings made before the change", completes="folder", required=True)
    value("--after", "FOLDER", "the recordings made after it", completes="folder", required=True)
    value("--scenarios", "FOLDER", "your own scenarios, files <id>.json, instead of barge-in's", completes="folder")
    value("--suffix", "TEXT", "how the recordings' names end after the id; by default .wav, .flac or .ogg")
    _timing.declare_scoring(parser)
    value("--out", "FILE", "also write the comparison, as JSON, to this file", completes="file")
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Score both sets, compare, and print."""
    _timing.check_outputs(args, ("before", "after", "scenarios"), ("out",), _PROG)
    if os.path.realpath(args.before) == os.path.realpath(args.after):
        raise CommandError(_PROG, "--after", "names the same folder as --before")
    from hotato.model.codec import encode
    from hotato.timing.compare import compare

    found = compare(
        args.before,
        args.after,
        scenarios_dir=args.scenarios,
        suffix=args.suffix,
        echo_gate=bool(args.echo_gate),
        channels=_timing.channels(args, _PROG),
        config=_timing.config(args, _PROG),
    )
    encoded = encode(found, indent=2) + "\n"
    if args.out is not None:
        from hotato.context.files import write_text

        write_text(args.out, encoded)
    return finish(encoded if args.format == "json" else _shown(found), int(found["exit_code"]))


def _shown(found: Mapping[str, Any]) -> str:
    from hotato.plan.text import safe

    return "".join(f"{safe(line)}\n" for line in _lines(found))


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    for row in found["scenarios"]:
        before, after = row["before"], row["after"]
        yield f"{_WORDS[row['outcome']]:<10}  {row['scenario_id']}: {_side(before)} before, {_side(after)} after"
        yield from (f"            before: {reason}" for reason in before["reasons"])
        yield from (f"            after: {reason}" for reason in after["reasons"])
    summary = found["summary"]
    counts = [f"{summary[name]} {word.lower()}" for name, word in _WORDS.items() if summary[name]]
    failing = summary["failing_after"]
    yield f"{summary['scenarios']} scenarios: {', '.join(counts)}" + (f"; {failing} failing after" if failing else "")


def _side(side: Mapping[str, Any]) -> str:
    return {"PASS": "passed", "FAIL": "failed"}.get(side["status"], "no verdict")
