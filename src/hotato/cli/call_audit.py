"""Tell what the evidence of calls holds and what was lost from it, without judging anything.

For example:
  hotato call audit end-of-call-report.json
  hotato call audit transcript.json voice_trace.jsonl
  hotato call audit calls/*.json --format json

A FILE is a transcript, a trace, or a call in any format that `hotato call formats` lists. For each source are told: how
many turns or spans there are, turns and spans without times, calls without arguments or results, repeated ids, which kinds
of events the source records and which it does not, and everything that was lost or inferred on the way. `hotato assert
run --format json` has the same under `evidence`.

Exit codes: 0 every file was read, 2 a file was refused (the others are told all the same), 3 internal error.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hotato.cli._calls import declare, many, note_lines, options
from hotato.cli._out import finish
from hotato.cli._parser import CommandError, Parser

if TYPE_CHECKING:
    from hotato.importers._importer import Options

_PROG = "hotato call audit"
_FIELDS = ("code", "file", "line", "column", "path", "message", "guess")
_TOLD = ("format", "turns", "spans", "calls", "captures", "notes")


def configure(parser: Parser) -> None:
    """Declare flags."""
    said = "a call, a transcript or a trace; - is standard input"
    parser.operand("FILE", said, completes="file", required=True, many=True)
    declare(parser, "--call-format")
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Audit every file."""
    if args.file.count("-") > 1:
        raise CommandError(_PROG, "-", "standard input can be read once")
    told = options(args, _PROG)
    reports = [_audit(file, args.call_format, told) for file in args.file]
    bad = any("problems" in report for report in reports)
    code = 2 if bad else 0
    if args.format == "json":
        from hotato.model.codec import encode

        return finish(encode({"ok": not bad, "files": reports, "exit_code": code}, indent=2) + "\n", code)
    return finish(_text(reports), code)


def _audit(file: str, name: str | None, told: Options) -> dict[str, Any]:
    from hotato.cli._evidence import any_call
    from hotato.errors import EvidenceError

    try:
        return {"file": file, "evidence": dict(any_call(file, name, told).audit)}
    except EvidenceError as error:
        problems = [{field: getattr(one, field) for field in _FIELDS} for one in error.problems]
        return {"file": file, "problems": problems}


def _text(reports: list[dict[str, Any]]) -> str:
    from hotato.errors import Problem
    from hotato.plan.text import safe

    lines: list[str] = []
    for report in reports:
        lines += [str(Problem(**problem)) for problem in report.get("problems", ())]
        for source, block in report.get("evidence", {}).items():
            lines += [f"{report['file']}: {source} ({block['format']}): {_size(block)}"]
            lines += [f"  {line}" for line in _lines(block)]
    return "".join(f"{safe(line)}\n" for line in lines)


def _size(block: Mapping[str, Any]) -> str:
    if "turns" in block:
        return many(block["turns"], "turn")
    return f"{many(block['spans'], 'span')}, {many(block.get('calls', 0), 'tool call')}"


def _lines(block: Mapping[str, Any]) -> list[str]:
    lines = [f"{name.replace('_', ' ')}: {count}" for name, count in block.items() if name not in _TOLD]
    for said, recorded in (("recorded by the source", True), ("not recorded by the source", False)):
        kinds = [kind for kind, is_recorded in block.get("captures", {}).items() if is_recorded is recorded]
        lines += [f"{said}: {', '.join(kinds)}"] if kinds else []
    return lines + note_lines(block)
