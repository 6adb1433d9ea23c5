"""Write a trace as flat lines that other tools and `hotato trace ingest` read, without loss.

For example:
  hotato trace export --trace voice_trace.jsonl
  hotato trace export --trace voice_trace.jsonl --format otel --out spans.jsonl

The lines are the bridge format: a meta line, then one flat object a span, `{type, name, start_sec, end_sec | time_sec,
...}`, seconds from the start of the call. `hotato trace ingest --otel spans.jsonl` makes the same trace of them again.
"""

from __future__ import annotations

import os
from argparse import Namespace

from hotato.cli._out import emit
from hotato.cli._parser import CommandError, Parser

_PROG = "hotato trace export"


def configure(parser: Parser) -> None:
    """Declare flags."""
    said = "a hotato.voice_trace.v1 file; - is standard input"
    parser.value("--trace", "FILE", said, completes="file", required=True)
    parser.value("--format", "FORMAT", "otel, the bridge format (default)", choices=("otel",), default="otel")
    parser.value("--out", "FILE", "write to this file, which must not exist yet", completes="file")
    parser.switch("--force", "overwrite the file if it exists")
    parser.limits()


def main(args: Namespace) -> int:
    """Export one trace."""
    from hotato.context.files import read_text, write_text
    from hotato.context.trace import read_trace
    from hotato.errors import EvidenceError
    from hotato.importers._export import export_otel_bridge
    from hotato.model.codec import decode
    from hotato.plan.text import safe

    if args.force and args.out is None:
        raise CommandError(_PROG, "--force", "means nothing without --out")
    if args.out == "-":
        raise CommandError(_PROG, "--out", "names a file; without it standard output is written to")
    text = read_text(args.trace, error=EvidenceError)
    spans, _ = read_trace(text, args.trace)
    first = decode(text.lstrip().partition("\n")[0])
    meta = first if first.get("_meta") is True else None
    exported = export_otel_bridge(spans, meta)
    if args.out is None:
        emit(exported)
        return 0
    if os.path.exists(args.out) and os.path.exists(args.trace) and os.path.samefile(args.out, args.trace):
        raise CommandError(_PROG, "--out", "names the same file as --trace")
    write_text(args.out, exported, overwrite=bool(args.force))
    emit(safe(f"wrote {args.out}: {len(spans)} span{'' if len(spans) == 1 else 's'}") + "\n")
    return 0
