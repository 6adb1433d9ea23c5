"""Show results that were judged before: a page, a comment, or what a CI system reads.

For example:
  hotato report --assertions envelope.json --out report.html
  hotato report --assertions envelope.json --transcript transcript.json --trace voice_trace.jsonl --out report.html
  hotato report --assertions envelope.json --base main.json --format md
  hotato report --assertions envelope.json --document assertions.yaml --format sarif --out results.sarif
  hotato assert run --assertions a.yaml --call call.json --format json | hotato report --assertions - --format tap

Nothing is judged and nothing is added up: an envelope that contradicts itself is refused. Where the document looked for
personal data, the transcript and the trace are shown with it masked.

Exit codes: 0 the report was made, whatever it says, 2 refused, 3 internal error.
"""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from hotato.cli import _reports
from hotato.cli._out import emit
from hotato.cli._parser import CommandError, Parser

if TYPE_CHECKING:
    from hotato.report._view import View

_PROG = "hotato report"
_INPUTS = ("assertions", "transcript", "trace", "document", "rubric", "base", "audio")


def configure(parser: Parser) -> None:
    """Declare flags."""
    value = parser.value
    said = "the envelope of a run, as hotato assert run --format json prints it; for any one file - is standard input"
    value("--assertions", "ENVELOPE", said, completes="file", required=True)
    value("--transcript", "FILE", "what was said on the call", completes="file")
    value("--trace", "FILE", "what was done on the call: hotato.voice_trace.v1", completes="file")
    value("--document", "FILE", "the assertions document, to tell lines in it", completes="document")
    value("--rubric", "ENVELOPE", "a rubric.v1 envelope, to show apart", completes="file")
    value("--base", "ENVELOPE", "the envelope of an earlier run, to show what changed since", completes="file")
    value("--audio", "FILE", "the call's recording, a WAV file, for the HTML report to play", completes="file")
    value("--title", "TEXT", "a heading")
    said = f"{', '.join(_reports.FORMATS)}; by default as the name of --out ends, else text"
    value("--format", "FORMAT", said, choices=_reports.FORMATS)
    value("--out", "FILE", "write the report to this file, not to standard output", completes="file")
    parser.switch("--force", "overwrite the report if it is there already")
    parser.limits()


def main(args: Namespace) -> int:
    """Make one report."""
    given = _check(args)
    from hotato.report import format_of, render

    name = args.format or ("text" if args.out is None else format_of(args.out))
    text = render(name, _view(args, given))
    if args.out is None:
        emit(text)
    else:
        _reports.write([(args.out, text)], force=bool(args.force))
    return 0


def _check(args: Namespace) -> dict[str, str]:
    """Return the files that are read, by flag. Raise CommandError where they are read twice or written over."""
    given = {f"--{name}": getattr(args, name) for name in _INPUTS if getattr(args, name) is not None}
    piped = [flag for flag, path in given.items() if path == "-"]
    if len(piped) > 1:
        raise CommandError(_PROG, piped[1], f"standard input can be read once, and {piped[0]} reads it")
    if args.force and args.out is None:
        raise CommandError(_PROG, "--force", "means nothing without --out")
    if args.out is not None:
        if args.out == "-":
            raise CommandError(_PROG, "--out", "names a file; without it the report goes to standard output")
        for flag, path in given.items():
            if _reports.is_same(args.out, path):
                raise CommandError(_PROG, "--out", f"names the same file as {flag}")
    return given


def _view(args: Namespace, given: dict[str, str]) -> View:
    """Return what the report shows. Raise UsageError with all that is wrong in any of the files."""
    from hotato.cli import _evidence
    from hotato.errors import UsageError
    from hotato.report import _places
    from hotato.report._view import checked, rubric_checked, view

    readers: dict[str, Any] = {
        "--assertions": lambda path: checked(_reports.envelope_file(path), path),
        "--transcript": lambda path: _evidence.transcript(path).transcript,
        "--trace": lambda path: _evidence.trace(path).spans,
        "--document": _places.document_file,
        "--rubric": lambda path: rubric_checked(_reports.envelope_file(path), path),
        "--base": lambda path: checked(_reports.envelope_file(path), path),
        "--audio": _reports.recording,
    }
    found: dict[str, Any] = dict.fromkeys(readers)
    refused: list[UsageError] = []
    for flag, path in given.items():
        try:
            found[flag] = readers[flag](path)
        except UsageError as error:
            refused.append(error)
    if refused:
        raise type(refused[0])(problem for error in refused for problem in error.problems)
    turns, spans = found["--transcript"], found["--trace"]
    return view(
        assertions=found["--assertions"],
        transcript=turns,
        spans=spans,
        rubric=found["--rubric"],
        base=found["--base"],
        audio=found["--audio"],
        title=args.title,
        places=found["--document"],
        turns_at=None if turns is None else _reports.places(args.transcript, len(turns), _places.in_transcript),
        spans_at=None if spans is None else _reports.places(args.trace, len(spans), _places.in_trace),
    )
