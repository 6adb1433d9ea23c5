"""Reports that a command writes: which are asked for, what they are made from, and writing all of them or none."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hotato.cli._parser import CommandError, Parser

if TYPE_CHECKING:
    from hotato.model.call import Call
    from hotato.report._sound import Sound
    from hotato.report._view import Place, View

FORMATS = ("html", "md", "text", "json", "junit", "sarif", "github", "tap")
PRINTED = ("github", "junit", "md", "sarif", "tap")  # what --format takes beside text and json


def declare(parser: Parser) -> None:
    """Declare the flags of reports."""
    said = f"also write a report, such as junit=out.xml; may be repeated ({', '.join(FORMATS)})"
    parser.value("--report", "FORMAT=PATH", said, many=True)
    parser.switch("--force", "overwrite reports that are there already")
    parser.value("--audio", "FILE", "the call's recording, a WAV file, for the HTML report to play", completes="file")
    parser.value("--rubric", "ENVELOPE", "a rubric.v1 envelope, to show apart in reports", completes="file")
    parser.value("--base", "ENVELOPE", "the envelope of an earlier run, to show what changed since", completes="file")


def wanted(args: Any, prog: str, inputs: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return format and path of each report asked for. Raise CommandError; `inputs` are the files read, flag -> path."""
    found: list[tuple[str, str]] = []
    for pair in args.report or ():
        name, is_pair, path = pair.partition("=")
        if not is_pair or not path:
            raise CommandError(prog, "--report", "needs FORMAT=PATH, such as junit=out.xml")
        if name not in FORMATS:
            from hotato.document.guess import Guesser

            said = f"'{name}' is not among {', '.join(FORMATS)}"
            raise CommandError(prog, "--report", said, Guesser().nearest(name, FORMATS))
        found.append((name, path))
    paths = [path for _, path in found] + ([args.out] if getattr(args, "out", None) is not None else [])
    if getattr(args, "audio", None) is not None:
        if "html" not in (name for name, _ in found):
            raise CommandError(prog, "--audio", "means nothing without --report html=FILE")
        inputs = {**inputs, "--audio": args.audio}
    if getattr(args, "rubric", None) is not None and not found:
        raise CommandError(prog, "--rubric", "means nothing without --report FORMAT=PATH")
    if "-" in paths:
        raise CommandError(prog, "--report", "names a file; --format writes to standard output")
    for place, path in enumerate(paths):
        if any(is_same(path, other) for other in paths[:place]):
            raise CommandError(prog, "--report", f"two texts cannot be written to the same file '{path}'")
        for flag, read in inputs.items():
            if is_same(path, read):
                raise CommandError(prog, "--report", f"names the same file as {flag}")
    return found


def is_same(one: str, other: str) -> bool:
    """Say whether two paths name the same file, also where it is not there yet."""
    if os.path.exists(one) and os.path.exists(other):
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


def apart(prog: str, written: Iterable[tuple[str, str | None]], read: Iterable[tuple[str, str | None]]) -> None:
    """Refuse to write over a file that is read, or into a folder that is: pairs of flag and path. Raise CommandError."""
    from hotato.context.confined import is_within

    given = [(flag, path) for flag, path in read if path not in (None, "-")]
    for flag, path in written:
        for other, source in given:
            if path is None or source is None:
                continue
            if is_same(path, source):
                raise CommandError(prog, flag, f"names the same file as {other}")
            if os.path.isdir(source) and is_within(os.path.realpath(path), os.path.realpath(source)):
                raise CommandError(prog, flag, f"lies in the folder of {other}, which is read")


def write(texts: Sequence[tuple[str, str]], *, force: bool, beside: Mapping[str, str] | None = None) -> None:
    """Write every path and text, all or none. Raise UsageError, also where a report exists and `force` is not given.

    `beside` are other files, written with the reports and over what is there.
    """
    from hotato.context.files import write_texts
    from hotato.errors import Problem, UsageError

    problems = []
    for path, _ in texts:
        folder = os.path.dirname(path) or "."
        if not os.path.isdir(folder):
            problems.append(Problem(code="file_unwritable", file=path, message="its folder does not exist"))
        elif os.path.exists(path) and not os.path.isfile(path):
            problems.append(Problem(code="file_kind", file=path, message="not a regular file"))
        elif os.path.lexists(path) and not force:
            problems.append(Problem(code="file_exists", file=path, message="exists already; --force overwrites it"))
    if problems:
        raise UsageError(problems)
    write_texts({**dict(texts), **(beside or {})})


def envelope_file(path: str) -> Any:
    """Return what a file with an envelope holds, not yet checked. Raise UsageError."""
    from hotato.context.files import read_text
    from hotato.errors import Problem, UsageError
    from hotato.model import codec

    try:
        return codec.decode(read_text(path))
    except codec.JsonError as error:
        said = f"not JSON: {error.message}"
        raise UsageError(
            Problem(code=error.code, file=path, line=error.line, column=error.column, message=said)
        ) from None


def view_of_run(args: Any, envelope: Mapping[str, Any], call: Call) -> View:
    """Return what reports of a run show. Raise UsageError where --base names no envelope."""
    from hotato.report import _places
    from hotato.report._lanes import lanes_of
    from hotato.report._view import checked, rubric_checked, view

    said, done = args.transcript or args.call, args.trace or args.call
    turns, spans = call.transcript, call.spans
    document = args.assertions if args.assertions != "-" else None
    return view(
        assertions=envelope,
        transcript=turns,
        spans=spans,
        base=None if args.base is None else checked(envelope_file(args.base), args.base),
        rubric=None if args.rubric is None else rubric_checked(envelope_file(args.rubric), args.rubric),
        places=None if document is None else _places.document_file(document),
        turns_at=None if turns is None else places(said, len(turns), _places.in_transcript),
        spans_at=None if spans is None else places(done, len(spans), _places.in_trace),
        audio=None if args.audio is None else recording(args.audio),
        lanes=None if getattr(args, "scored", None) is None else lanes_of(args.scored),
    )


def recording(path: str) -> Sound:
    """Return the recording of a WAV file. Raise UsageError."""
    from hotato.report._sound import read

    return read(path)


def places(path: str | None, count: int, find: Callable[[str, str, int], list[Place]]) -> list[Place] | None:
    """Return the places of what a file holds; None where it was standard input, the file alone where lines are unknown."""
    from hotato.context.files import read_text
    from hotato.errors import UsageError
    from hotato.report._places import whole

    if path is None or path == "-":
        return None
    try:
        return find(read_text(path), path, count)
    except UsageError:
        return whole(path, count)


def rendered(view: View, formats: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return path and text of each report."""
    from hotato.report import render

    return [(path, render(name, view)) for name, path in formats]
