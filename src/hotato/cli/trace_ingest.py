"""Write the trace that OpenTelemetry, Jaeger, Zipkin, Langfuse or a flat file recorded as voice_trace.jsonl.

For example:
  hotato trace ingest --otel traces.json --out voice_trace.jsonl
  hotato trace ingest --otel export.jsonl.gz --out voice_trace.jsonl --stack livekit --git-sha 3f2c1d9
  hotato trace ingest --otel collector.jsonl --out traces --split-by gen_ai.conversation.id

Read are OTLP as JSON or protobuf in the wrappings of its tools, Jaeger, Zipkin, what a console exporter prints, Langfuse
exports, and flat lines as `hotato trace export` writes them; gzip of any. The format is told from the content. A damaged
file is refused, and nothing is written.

The ids of call and agent, partial transcripts and messages are left out unless --include-identifiers and --include-text
are given. Arguments and results of tools stay: checks read them. Of a file that holds several calls --call-id chooses one,
or --split-by writes each to a numbered file in the folder --out; then the file is OTLP, may be larger than memory, and is
read a line at a time.

Exit codes: 0 written, 2 refused, 3 internal error.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hotato.cli._calls import in_terms_of, many, vouched
from hotato.cli._out import emit
from hotato.cli._parser import CommandError, Parser

if TYPE_CHECKING:
    from hotato.importers._importer import Imported

_PROG = "hotato trace ingest"
_META = ("stack", "call_id", "agent_id", "git_sha", "config_hash")


def configure(parser: Parser) -> None:
    """Declare flags."""
    value = parser.value
    value("--otel", "FILE", "the file of telemetry; - is standard input", completes="file", required=True)
    value("--out", "FILE", "the trace to write, which must not exist yet", completes="file", required=True)
    value("--otel-format", "NAME", "its format, where that cannot be told from the content", completes="format")
    value("--stack", "NAME", "what the agent is built with")
    value("--call-id", "ID", "the id of the call; of a file that holds several, which one")
    value("--agent-id", "ID", "the id of the agent")
    value("--git-sha", "SHA", "which version of the agent it was")
    value("--config-hash", "HASH", "which configuration of the agent it was")
    parser.switch("--include-identifiers", "keep the ids of call and agent")
    parser.switch("--include-text", "keep partial transcripts and messages")
    parser.switch("--capture-complete", "the source records every kind of event, whatever it is known for")
    parser.switch("--mask", "mask personal data in all that is written, as hotato redact does")
    value("--split-by", "ATTR", "write one trace for each value of this attribute; --out is a folder then")
    parser.switch("--force", "overwrite what is there already")
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Ingest one file."""
    from hotato.context.files import write_text
    from hotato.importers._ingest import records, to_jsonl
    from hotato.model.codec import encode
    from hotato.plan.text import safe

    _check(args)
    if args.split_by is not None:
        return _split(args)
    imported = _read(args)
    if args.capture_complete:
        vouched(imported)
    made = records(imported, **_told(args))
    if args.mask:
        from hotato.cli._masking import masked_records

        made = masked_records(made)
    write_text(args.out, to_jsonl(made), overwrite=bool(args.force))
    report = _report(args.out, made, imported)
    if args.format == "json":
        emit(encode({"ok": True, **report}, indent=2) + "\n")
    else:
        emit(safe(_line(report)) + "\n")
    return 0


def _check(args: Namespace) -> None:
    if args.out == "-":
        raise CommandError(_PROG, "--out", "names a file; it holds the trace, and standard output the report")
    if os.path.exists(args.out) and os.path.exists(args.otel) and os.path.samefile(args.out, args.otel):
        raise CommandError(_PROG, "--out", "names the same file as --otel")
    if args.split_by is not None:
        if args.otel == "-":
            raise CommandError(_PROG, "--otel", "standard input can be read once, and --split-by reads the file twice")
        for name, said in (
            ("call_id", "names one call, and --split-by writes several"),
            ("otel_format", "means nothing with --split-by, which reads OTLP"),
        ):
            if getattr(args, name) is not None:
                raise CommandError(_PROG, f"--{name.replace('_', '-')}", said)


def _told(args: Namespace) -> dict[str, Any]:
    """Return what the flags say of the deployment, and what is to be kept."""
    kept = {"include_identifiers": bool(args.include_identifiers), "include_text": bool(args.include_text)}
    return {name: getattr(args, name) for name in _META} | kept


def _read(args: Namespace) -> Imported:
    """Return what the file holds. Raise EvidenceError; a file that is no telemetry is told what reads it."""
    from hotato import importers
    from hotato.context.files import read_bytes
    from hotato.errors import EvidenceError, Problem
    from hotato.importers import Options
    from hotato.importers._ingest import FORMATS

    raw = read_bytes(args.otel, error=EvidenceError)
    only = None if args.otel_format else FORMATS
    with in_terms_of("--otel-format"):
        try:
            return importers.read_raw(args.otel, raw, args.otel_format, Options(), only)
        except EvidenceError as error:
            problem = error.problems[0]
            if args.call_id is not None and "--call-id" in problem.message:  # several calls: the id chooses one
                return importers.read_raw(args.otel, raw, args.otel_format, Options(call_id=args.call_id), only)
            name = importers.format_of(args.otel, raw) if problem.code == "format_unknown" else ""
            if not name or args.otel_format:
                raise
            said = f"{name}, not telemetry; hotato call import FILE --out DIR reads it"
            raise EvidenceError(Problem(code="format_unknown", file=args.otel, message=said)) from None


def _report(path: str, made: list[dict[str, Any]], imported: Imported) -> dict[str, Any]:
    source = made[0]["source"]
    return {
        "file": path,
        "format": imported.format,
        "spans_read": source.get("input_span_count", len(made) - 1),
        "spans_written": len(made) - 1,
        "captures": source["captures"],
        "notes": source["notes"],
    }


def _line(report: Mapping[str, Any]) -> str:
    notes = ", ".join(f"{note['code']} ({note['count']})" for note in report["notes"])
    read, written = many(report["spans_read"], "span"), report["spans_written"]
    said = f"wrote {report['file']}: {report['format']}, {read} read, {written} written"
    return f"{said}; notes: {notes}" if notes else said


def _split(args: Namespace) -> int:
    """Write each call of the file to a trace of its own."""
    from hotato.cli._split import split
    from hotato.model.codec import encode
    from hotato.plan.text import safe

    report = split(args, _told(args))
    if args.format == "json":
        emit(encode({"ok": True, **report}, indent=2) + "\n")
        return 0
    read, written = (sum(one[name] for one in report["files"]) for name in ("spans_read", "spans_written"))
    notes = ", ".join(f"{code} ({count})" for code, count in report["notes"].items())
    said = f"wrote {args.out}: {many(report['calls'], 'call')}, {many(read, 'span')} read, {written} written"
    emit(safe(f"{said}; notes: {notes}" if notes else said) + "\n")
    return 0
