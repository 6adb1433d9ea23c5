"""Write a call without personal data, for sharing: its transcript and its trace.

For example:
  hotato redact --transcript transcript.json --out shared/transcript.json
  hotato redact --transcript transcript.json --trace voice_trace.jsonl --out shared
  hotato redact --call end-of-call-report.json --out shared --field customer.name
  hotato redact --trace voice_trace.jsonl --out trace.jsonl --opaque --format json

Whatever a detector of personal data finds is replaced by [REDACTED], wherever it stands: in what was said, planned or
keyed in, in lists of words, roles, ids and names, in keys and values of arguments and results, addresses, bodies and
errors; passwords and keys as well. Order, times and everything else stay, so that checks which do not look at the data have
the same verdict. Names of people and what no detector knows stay too, unless --field names where they are.

--out is a folder for a call or for two files, else a file. How often each detector found something is told on standard
error, and with --format json on standard output with the places in the text that was read; --opaque leaves the places
out and makes one of several masks in a row, so that nothing tells how long something was.

Exit codes: 0 written, 2 refused, 3 internal error.
"""

from __future__ import annotations

import os
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from hotato.cli._calls import FILES, declare, options
from hotato.cli._out import complain, emit
from hotato.cli._parser import CommandError, Parser

if TYPE_CHECKING:
    from hotato.cli._masking import Masked

_PROG = "hotato redact"
_INPUTS = ("call", "transcript", "trace")


def configure(parser: Parser) -> None:
    """Declare flags."""
    value = parser.value
    value("--transcript", "FILE", "what was said, as hotato reads it; - is standard input", completes="file")
    value("--trace", "FILE", "what was done: hotato.voice_trace.v1; - is standard input", completes="file")
    value("--call", "FILE", "a call that another system wrote, which is imported first", completes="file")
    declare(parser, "--call-format")
    said = "the file to write, or the folder for transcript.json and voice_trace.jsonl"
    value("--out", "PATH", said, completes="file", required=True)
    value("--field", "NAME", "mask this field as well, such as customer.name; may be repeated", many=True)
    parser.switch("--opaque", "do not let the masks tell how long something was")
    parser.switch("--force", "overwrite files that are there already")
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Redact one call."""
    from hotato.cli._masking import mask
    from hotato.model.codec import encode
    from hotato.plan.text import safe

    _check(args)
    transcript, records = _read(args)
    opaque = bool(args.opaque)
    transcript, records, told = mask(transcript, records, fields=args.field or (), opaque=opaque)
    texts = dict.fromkeys(name for name, value in zip(FILES, (transcript, records), strict=True) if value is not None)
    written = _write(args, {name: _encoded(name, transcript, records) for name in texts})
    if args.format == "json":
        emit(encode({"ok": True, "files": written, **report(told, opaque=opaque)}, indent=2) + "\n")
        return 0
    emit("".join(f"{safe(f'wrote {name}')}\n" for name in written))
    complain("".join(f"{safe(line)}\n" for line in summary(told, args.field or ())))
    return 0


def report(told: Masked, *, opaque: bool) -> dict[str, Any]:
    """Return what was masked: counts by detector and, unless opaque, the places in what was said, as it was read."""
    names = ("source", "turn", "start", "end", "detector")
    places = [dict(zip(names, place, strict=True)) for place in sorted(told.places)]
    return {"masked": dict(sorted(told.counts.items())), **({} if opaque else {"places": places})}


def summary(told: Masked, fields: Any) -> list[str]:
    """Return what was masked, a line a detector."""
    counts = told.counts
    lines = [f"masked {name}: {count}" for name, count in sorted(counts.items())] or ["masked: nothing"]
    if fields and not counts["field"]:
        lines.append(f"--field {', '.join(fields)}: no such field, or nothing in it")
    return lines


def _check(args: Namespace) -> None:
    given = [name for name in _INPUTS if getattr(args, name) is not None]
    if not given:
        raise CommandError(_PROG, "", "needs --transcript FILE, --trace FILE or --call FILE: what is to be masked")
    if "call" in given and len(given) > 1:
        raise CommandError(_PROG, f"--{given[1]}", "the file of --call holds the whole call; give one or the other")
    if args.call is None:
        for name in ("call_format", "call_id", "map_role", "origin"):
            if getattr(args, name) is not None:
                raise CommandError(_PROG, f"--{name.replace('_', '-')}", "means nothing without --call")
    if args.transcript == args.trace == "-":
        raise CommandError(_PROG, "--trace", "standard input can be read once, and --transcript reads it")
    if args.out == "-":
        raise CommandError(_PROG, "--out", "names a file or a folder; standard output holds the report")
    for field in args.field or ():
        if not all(part.strip() for part in field.split(".")):
            raise CommandError(_PROG, "--field", "needs a name, or names with points between, such as customer.name")


def _read(args: Namespace) -> tuple[Any, list[Any] | None]:
    """Return the values of a transcript and of a trace, checked as judging checks them. Raise UsageError."""
    from hotato.errors import UsageError

    if args.call is not None:
        from hotato.cli._calls import read
        from hotato.context.files import read_bytes
        from hotato.errors import EvidenceError
        from hotato.importers._ingest import records

        imported = read(
            args.call,
            read_bytes(args.call, error=EvidenceError),
            args.call_format,
            options(args, _PROG),
            "--call-format",
        )
        return imported.transcript, None if imported.spans is None else records(imported)
    refused: list[UsageError] = []
    found: list[Any] = []
    for path, reader in ((args.transcript, _transcript), (args.trace, _trace)):
        try:
            found.append(None if path is None else reader(path))
        except UsageError as error:
            refused.append(error)
    if refused:
        raise type(refused[0])(problem for error in refused for problem in error.problems)
    return found[0], found[1]


def _transcript(path: str) -> Any:
    from hotato.context.files import read_text
    from hotato.context.transcript import read_transcript
    from hotato.errors import EvidenceError
    from hotato.model.codec import decode

    text = read_text(path, error=EvidenceError)
    read_transcript(text, path)
    return decode(text)


def _trace(path: str) -> list[Any]:
    from hotato.context.files import read_text
    from hotato.context.trace import read_trace
    from hotato.errors import EvidenceError
    from hotato.model.codec import decode

    text = read_text(path, error=EvidenceError)
    read_trace(text, path)
    return [decode(line) for line in text.split("\n") if line and not line.isspace()]


def _encoded(name: str, transcript: Any, records: list[Any] | None) -> str:
    from hotato.importers._ingest import to_jsonl
    from hotato.model.codec import encode

    return encode(transcript, indent=2) + "\n" if name == FILES[0] else to_jsonl(records or ())


def _write(args: Namespace, texts: dict[str, str]) -> list[str]:
    """Write all files or none and return their names. Raise UsageError and CommandError."""
    from hotato.context.folders import put_texts
    from hotato.context.writing import write_texts

    is_folder = args.call is not None or len(texts) > 1 or os.path.isdir(args.out) or args.out.endswith(("/", os.sep))
    paths = {os.path.join(args.out, name) if is_folder else args.out: text for name, text in texts.items()}
    for path in paths:
        for name in _INPUTS:
            source = getattr(args, name)
            if source not in (None, "-") and os.path.exists(path) and os.path.samefile(path, source):
                raise CommandError(_PROG, "--out", f"would write over the file that is read: {path}")
    if not is_folder:
        write_texts(paths, overwrite=bool(args.force))
        return list(paths)
    _strangers(args.out, texts)
    put_texts(args.out, texts, overwrite=bool(args.force))
    return list(paths)


def _strangers(folder: str, texts: dict[str, str]) -> None:
    """Refuse to leave a file of another call, which is not masked, beside those of this one."""
    from hotato.errors import Problem, UsageError

    for name in FILES:
        path = os.path.join(folder, name)
        if name not in texts and os.path.lexists(path):
            said = "is not written by this command, and would stand beside what is; remove it or choose another folder"
            raise UsageError(Problem(code="file_exists", file=path, message=said))
