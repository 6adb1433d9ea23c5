"""Write the call that another system recorded as hotato's own files.

For example:
  hotato call import end-of-call-report.json --out call
  hotato call import meeting.vtt --out call --map-role Anna=agent --map-role Ben=caller
  hotato call import messages.json --out call --format anthropic --force

DIR gets transcript.json and voice_trace.jsonl, as far as the format carries them, and import-report.json: what was found,
what the source does not record, and what was lost or inferred. A damaged file is refused, and nothing is written.
`hotato assert run --call FILE` judges the same call without writing it.

The ids of the call and of the agent are left out of the trace unless --include-identifiers is given, partial transcripts
and messages unless --include-text is.

Exit codes: 0 written, 2 refused, 3 internal error.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hotato.cli._calls import FILES, declare, many, note_lines, options, read, vouched
from hotato.cli._out import emit
from hotato.cli._parser import CommandError, Parser

if TYPE_CHECKING:
    from hotato.importers._importer import Imported

_PROG = "hotato call import"
_REPORT = "import-report.json"


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.operand("FILE", "what another system wrote; - is standard input", completes="file", required=True)
    parser.value("--out", "DIR", "the folder to write to, made where it is missing", completes="folder", required=True)
    declare(parser, "--format")
    parser.switch("--include-identifiers", "keep the ids of call and agent in the trace")
    parser.switch("--include-text", "keep partial transcripts and messages in the trace")
    parser.switch("--capture-complete", "the source records every kind of event, whatever it is known for")
    parser.switch("--mask", "mask personal data in all that is written, as hotato redact does")
    parser.switch("--force", "overwrite files that are there already")
    parser.limits()


def main(args: Namespace) -> int:
    """Import one call."""
    from hotato.context.files import read_bytes
    from hotato.context.folders import put_texts
    from hotato.errors import EvidenceError
    from hotato.plan.text import safe

    told = options(args, _PROG)
    imported = read(args.file, read_bytes(args.file, error=EvidenceError), args.format, told, "--format")
    if args.capture_complete:
        vouched(imported)
    texts, report = _texts(imported, args)
    _check(args, texts)
    put_texts(args.out, texts)
    emit("".join(f"{safe(line)}\n" for line in _summary(args.out, report, texts)))
    return 0


def _texts(imported: Imported, args: Namespace) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the text of each file to be written, and the report. Raise EvidenceError where they could not be read back."""
    from hotato.importers._call import call_of
    from hotato.importers._ingest import records, to_jsonl
    from hotato.model.codec import encode

    call = call_of(imported, file=args.file)
    texts: dict[str, str] = {}
    transcript, made = imported.transcript, None
    if imported.spans is not None:
        identifiers, text = bool(args.include_identifiers), bool(args.include_text)
        made = records(imported, include_identifiers=identifiers, include_text=text)
    evidence: Any = call.audit
    if args.mask:
        from hotato.cli._masking import mask, mask_value

        transcript, made, _ = mask(transcript, made)
        evidence = mask_value(evidence)
    if transcript is not None:
        texts["transcript.json"] = encode(transcript, indent=2) + "\n"
    if made is not None:
        texts["voice_trace.jsonl"] = to_jsonl(made)
    report = {"format": imported.format, "evidence": evidence, "written": [*texts, _REPORT]}
    texts[_REPORT] = encode(report, indent=2) + "\n"
    return texts, report


def _check(args: Namespace, texts: Mapping[str, str]) -> None:
    """Refuse to overwrite unless asked, and to leave a file of another call beside those of this one."""
    from hotato.errors import Problem, UsageError

    problems = []
    for name in (*FILES, _REPORT):
        path = os.path.join(args.out, name)
        if not os.path.lexists(path):
            continue
        if args.file != "-" and os.path.exists(path) and os.path.samefile(path, args.file):
            raise CommandError(_PROG, "--out", f"would write over the file that is read: {path}")
        if name not in texts:
            said = "is of another call, and this one has none; remove it or choose another folder"
            problems.append(Problem(code="file_exists", file=path, message=said))
        elif not args.force:
            problems.append(Problem(code="file_exists", file=path, message="exists already; --force overwrites it"))
    if problems:
        raise UsageError(problems)


def _summary(folder: str, report: Mapping[str, Any], texts: Mapping[str, str]) -> list[str]:
    evidence = report["evidence"]
    found = []
    if "transcript" in evidence:
        found.append(many(evidence["transcript"]["turns"], "turn"))
    if "trace" in evidence:
        trace = evidence["trace"]
        found.append(f"{many(trace['spans'], 'span')}, {many(trace.get('calls', 0), 'tool call')}")
    lines = [f"{report['format']}: {'; '.join(found)}"]
    lines += [f"  {line}" for block in evidence.values() for line in note_lines(block)]
    lines += [f"wrote {os.path.join(folder, name)}" for name in texts]
    return lines
