"""Write a first assertions document from the trace of a call that went well.

For example:
  hotato assert init --from-trace voice_trace.jsonl
  hotato assert init --from-trace voice_trace.jsonl --out assertions.yaml

The document says what the trace shows: each tool called, their order, that none went wrong, at most twice the time each
took, and handoffs. Read it, delete what is chance, and add what the trace cannot show. With --format json it is JSON.
"""

from __future__ import annotations

from argparse import Namespace

from hotato.cli._out import emit
from hotato.cli._parser import CommandError, Parser


def configure(parser: Parser) -> None:
    """Declare flags."""
    said = "a hotato.voice_trace.v1 file; - is standard input"
    parser.value("--from-trace", "FILE", said, completes="file", required=True)
    parser.value("--out", "FILE", "write to this file, which must not exist yet", completes="file")
    parser.switch("--force", "overwrite the file if it exists")
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Infer a document and write it."""
    from hotato import assert_ as A
    from hotato.model.codec import encode

    if args.force and args.out is None:
        raise CommandError("hotato assert init", "--force", "means nothing without --out")
    doc = A.build_init_stub(A.build_context(trace_path=args.from_trace))
    text = encode(doc, indent=2) + "\n" if args.format == "json" else A.render_assertions_yaml(doc)
    if args.out is None:
        emit(text)
        return 0
    from hotato.context.files import write_text
    from hotato.plan.text import safe

    write_text(args.out, text, overwrite=bool(args.force))
    count = len(doc["assertions"])
    if args.format == "json":
        emit(encode({"ok": True, "file": args.out, "assertions": count}, indent=2) + "\n")
    else:
        emit(safe(f"wrote {args.out}: {count} assertion{'' if count == 1 else 's'}") + "\n")
    return 0
