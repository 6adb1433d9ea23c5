"""Write a first assertions document from calls that went well.

For example:
  hotato assert init --from-trace voice_trace.jsonl
  hotato assert init --from-trace voice_trace.jsonl --out assertions.yaml
  hotato assert init --good good-calls --bad bad-calls --out assertions.yaml
  hotato assert init --good good-calls --partial --format json

From one trace the document says what it shows: each tool called, their order, that none went wrong, at most twice the time
each took, and handoffs. From a folder of good calls it says what all of them show: which tools are called and in which
order, the shape of their arguments, how long they take, what the agent always says, and what the agent claims only when it
was done. What fails most of the bad calls comes first, and comments tell which. --partial adds what only some of the good
calls show. A folder holds a file for each call, of any format that is read, or a folder as `hotato call import` writes it.

Read it, delete what is chance, and add what calls cannot show. With --format json it is JSON.

Exit codes: 0 written, 2 refused (a file, a flag, or calls that have nothing in common), 3 internal error.
"""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from hotato.cli._calls import many
from hotato.cli._out import emit
from hotato.cli._parser import CommandError, Parser

_PROG = "hotato assert init"


def configure(parser: Parser) -> None:
    """Declare flags."""
    said = "a hotato.voice_trace.v1 file; - is standard input"
    parser.value("--from-trace", "FILE", said, completes="file")
    parser.value("--good", "DIR", "a folder of calls that went well", completes="folder")
    parser.value("--bad", "DIR", "a folder of calls that did not, to rank by", completes="folder")
    parser.switch("--partial", "also propose what only some of the good calls show, two at least")
    said = "who a speaker of the calls is, such as SPEAKER_00=agent; may be repeated"
    parser.value("--map-role", "LABEL=ROLE", said, many=True)
    parser.value("--out", "FILE", "write to this file, which must not exist yet", completes="file")
    parser.switch("--force", "overwrite the file if it exists")
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Infer a document and write it."""
    from hotato.model.codec import encode

    _check(args)
    doc, text, told = _of_trace(args) if args.good is None else _of_calls(args)
    if args.format == "json":
        text = encode(told, indent=2) + "\n"
    if args.out is None:
        emit(text)
        return 0
    from hotato.context.files import write_text
    from hotato.plan.text import safe

    if args.format == "json":
        text = encode(doc, indent=2) + "\n"
    write_text(args.out, text, overwrite=bool(args.force))
    count = len(doc["assertions"])
    if args.format == "json":
        emit(encode({"ok": True, "file": args.out, "assertions": count}, indent=2) + "\n")
    else:
        emit(safe(f"wrote {args.out}: {many(count, 'assertion')}") + "\n")
    return 0


def _check(args: Namespace) -> None:
    from hotato.cli._reports import apart

    read = [("--from-trace", args.from_trace), ("--good", args.good), ("--bad", args.bad)]
    apart(_PROG, [("--out", args.out)], read)
    if args.force and args.out is None:
        raise CommandError(_PROG, "--force", "means nothing without --out")
    if args.from_trace is None and args.good is None:
        raise CommandError(_PROG, "", "needs --from-trace FILE or --good DIR: what went well")
    if args.from_trace is not None and args.good is not None:
        raise CommandError(_PROG, "--good", "goes without --from-trace: the document is made of one or the other")
    for name in ("bad", "partial", "map_role"):
        if getattr(args, name) is not None and args.good is None:
            raise CommandError(_PROG, f"--{name.replace('_', '-')}", "means nothing without --good")


def _of_trace(args: Namespace) -> tuple[dict[str, Any], str, Any]:
    """Return the document of one trace, its text, and what is told as JSON."""
    from hotato import assert_ as A

    doc = A.build_init_stub(A.build_context(trace_path=args.from_trace))
    return doc, A.render_assertions_yaml(doc), doc


def _of_calls(args: Namespace) -> tuple[dict[str, Any], str, Any]:
    """Return the document of folders of calls, its text, and what is told as JSON."""
    from hotato.cli._folder import calls
    from hotato.probe.propose import propose
    from hotato.probe.propose_text import to_json, to_text

    good, of_good = calls(args.good, "--good", args.map_role, _PROG)
    bad, of_bad = calls(args.bad, "--bad", args.map_role, _PROG) if args.bad is not None else ([], [])
    found = propose(of_good, of_bad, partial=bool(args.partial))
    return found.document, to_text(found, good, bad), to_json(found, good, bad)
