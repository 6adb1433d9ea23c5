"""Judge a call against typed assertions.

For example:
  hotato assert run --assertions assertions.yaml --transcript transcript.json
  hotato assert run --assertions assertions.yaml --trace voice_trace.jsonl --state state.json
  hotato assert run --assertions assertions.yaml --call end-of-call-report.json
  hotato assert run --assertions assertions.yaml --transcript whisperx.json --map-role SPEAKER_00=agent
  hotato assert run --assertions assertions.yaml --transcript transcript.json --inconclusive-policy refuse
  hotato assert run --pack pii-leak --pack required-disclosure --transcript transcript.json
  hotato assert run --assertions assertions.yaml --call call.json --report junit=out.xml --report html=out.html
  hotato assert run --assertions assertions.yaml --transcript transcript.json --watch
  cat transcript.json | hotato assert run --assertions assertions.yaml --transcript - --format json

Evidence that is not given is never guessed: a check that needs it is INCONCLUSIVE. Whether that fails the run is up to
the policy: report (default) leaves the exit code alone, fail counts it as a failure (1), refuse withholds the verdict (2).
A file that another system wrote is read by what it holds, whatever its name; `hotato call formats` lists what is known.

Exit codes: 0 nothing failed, 1 a check failed, 2 refused (a file, a flag, or under refuse an INCONCLUSIVE),
3 internal error.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from hotato.cli import _reports
from hotato.cli._calls import declare, note_lines, options
from hotato.cli._out import complain, finish
from hotato.cli._parser import CommandError, Parser

if TYPE_CHECKING:
    from hotato.model.call import Call
    from hotato.report._view import View

_T = TypeVar("_T")
_PROG = "hotato assert run"
_INPUTS = ("assertions", "call", "transcript", "trace", "state", "stereo")
_OF_A_CALL = ("call_format", "call_id")
_OF_SPEECH = ("map_role", "origin")
_OF_SOUND = ("expect", "onset")
_ACTED_ON = ("role_map_unused", "roles_unknown")  # what was judged may not be what the user meant


def configure(parser: Parser) -> None:
    """Declare flags."""
    value = parser.value
    value(
        "--assertions", "FILE", "the document, YAML or JSON; for any one file - is standard input", completes="document"
    )
    value(
        "--pack", "NAME", "a bundled assertion pack to judge by as well; may be repeated", completes="pack", many=True
    )
    said = "what was said and done, as a vendor, a framework or OpenTelemetry wrote it"
    value("--call", "FILE", said, completes="file")
    declare(parser, "--call-format")
    said = "what was said: a JSON list of {role, text, start, end}, or what speech-to-text wrote"
    value("--transcript", "FILE", said, completes="file")
    value("--trace", "FILE", "what was done: hotato.voice_trace.v1, one JSON object a line", completes="file")
    parser.switch("--capture-complete", "the trace's source records every kind of event, whatever it is known for")
    value("--state", "FILE", "the system of record: {resource: [rows]}, or a state config", completes="file")
    parser.switch("--include-evidence", "put each record that was read into the envelope, as state_evidence")
    said = "a recording with caller and agent on a channel each, scored as hotato run does; the scores are the timing"
    value("--stereo", "FILE", said, completes="file")
    value(
        "--expect",
        "LABEL",
        "what the agent is to do when the caller begins: yield (default), or hold",
        choices=("yield", "hold"),
    )
    value("--onset", "SECONDS", "where the caller begins; by default it is found in the recording")
    policies = ("report", "fail", "refuse")
    said = "what an INCONCLUSIVE does to the exit code; beats the document's own setting"
    value("--inconclusive-policy", "POLICY", said, choices=policies)
    parser.switch("--strict", "a PASS that holds of nothing is a FAIL")
    said = "read what one speaker says without a break as one utterance (on by default)"
    parser.switch("--join-segments", said, negative="--no-join-segments")
    parser.limits()
    parser.formats(*_reports.PRINTED)
    parser.value(
        "--out", "FILE", "also write the envelope, as JSON, to this file: all of it or nothing", completes="file"
    )
    _reports.declare(parser)
    parser.switch("--watch", "judge again whenever one of the files changes, until interrupted")


def main(args: Namespace) -> int:
    """Judge one call, or judge it again and again."""
    reports = _check(args)
    if args.watch:
        from hotato.cli._watch import watch

        paths = [*_inputs(args).values(), *([args.base] if args.base else [])]
        return watch(_PROG, paths, lambda is_first: _once(args, reports, force=bool(args.force) or not is_first))
    return _once(args, reports, force=bool(args.force))


def _once(args: Namespace, reports: Sequence[tuple[str, str]], *, force: bool) -> int:
    """Judge the call, write what is to be written, print, and return the exit code."""
    envelope, call = _judged(args)
    code: int = envelope["exit_code"]
    view = None
    if reports or args.base is not None or args.format in _reports.PRINTED:
        view = _reports.view_of_run(args, envelope, call)
    texts = [] if view is None else _reports.rendered(view, reports)
    printed = _printed(args, envelope, view)
    if texts:
        _reports.write(texts, force=force)
    if args.out is not None:
        from hotato.context.files import write_text
        from hotato.model.codec import encode

        write_text(args.out, encode(envelope, indent=2) + "\n")
    if args.format == "text":
        from hotato.plan.text import safe

        for name, block in envelope.get("evidence", {}).items():
            lines = [line for line in note_lines(block) if line.startswith(_ACTED_ON)]
            complain("".join(f"{safe(f'{name}: {line}')}\n" for line in lines))
    return finish(printed, code)


def _printed(args: Namespace, envelope: dict[str, Any], view: View | None) -> str:
    """Return what goes to standard output."""
    if args.format == "json":
        from hotato.model.codec import encode

        return encode(envelope, indent=2) + "\n"
    if args.format != "text" and view is not None:
        from hotato.report import render

        return render(args.format, view)
    from hotato.cli._show import shown

    return shown(envelope, view)


def _judged(args: Namespace) -> tuple[dict[str, Any], Call]:
    """Return the envelope, and the call that was judged. Raise UsageError with all that is wrong in any of the files."""
    from hotato import assert_ as A
    from hotato.errors import UsageError

    refused: list[UsageError] = []

    def attempt(work: Callable[[], _T]) -> _T | None:
        try:
            return work()
        except UsageError as error:
            refused.append(error)
            return None

    plan = attempt(lambda: _plan(args))
    parts = [attempt(read) for read in _readers(args)]
    state = attempt(lambda: None if args.state is None else _state(args.state))
    timing = attempt(lambda: None if args.stereo is None else _timing(args))
    if refused or plan is None:
        raise type(refused[0])(problem for error in refused for problem in error.problems)
    from hotato.cli._evidence import together

    call = A.build_context(state_adapter=state, timing=timing)
    twice = together(call, parts)
    if twice:
        raise CommandError(_PROG, f"--{twice}", f"the file of --call holds a {twice} as well; give one of them")
    envelope = A.judge_call(plan, call)
    if args.include_evidence:
        envelope["state_evidence"] = _state_evidence(plan, call)
    return envelope, call


def _state_evidence(plan: Any, call: Call) -> list[dict[str, Any]]:
    """Return what was read of the system of record, with personal data masked where the document looks for it."""
    kept = {"closest": call.state_evidence}
    if any(node.veils for node in plan.nodes):
        from hotato.plan.explain import veil

        veil([kept], call.transcript or ())
    return kept["closest"]


def _readers(args: Namespace) -> list[Callable[[], Call]]:
    """Return what reads each of the files with evidence, in the order of --call, --transcript, --trace."""
    from hotato.cli import _evidence as evidence

    complete = bool(args.capture_complete)
    told = options(args, _PROG) if args.call is not None or args.map_role or args.origin else None
    readers: list[Callable[[], Call]] = []
    if args.call is not None and told is not None:
        readers.append(lambda: evidence.call(args.call, args.call_format, told, capture_complete=complete))
    if args.transcript is not None:
        # beside a call the transcript fills what the call has not: who speaks there may be said, its clock is the call's
        of_speech = told if told is None or args.call is None else type(told)(roles=told.roles)
        readers.append(lambda: evidence.transcript(args.transcript, of_speech))
    if args.trace is not None:
        readers.append(lambda: evidence.trace(args.trace, capture_complete=complete))
    return readers


def _plan(args: Namespace) -> Any:
    from hotato import assert_ as A

    packs: Sequence[str] = args.pack or ()
    if args.assertions is not None:
        from hotato.context.files import MOST_CONFIG, read_text
        from hotato.errors import DocumentError

        text, file = read_text(args.assertions, most=MOST_CONFIG, error=DocumentError), args.assertions
    else:
        from hotato.cli._packs import pack_text

        text, file, packs = pack_text(packs[0]), f"{packs[0]}.yaml", packs[1:]
    return A.compile_assertions(
        text,
        packs=packs,
        file=file,
        inconclusive_policy=args.inconclusive_policy,
        strict=args.strict,
        join_segments=args.join_segments,
        verify_bundle=_verify_bundle,
    )


def _verify_bundle(path: str) -> tuple[int, int, int]:
    from hotato.core import verify_bundle

    return verify_bundle(path)


def _timing(args: Namespace) -> dict[str, Any]:
    """Return the envelope of the recording, scored."""
    from hotato.cli._timing import number
    from hotato.timing import run_single

    onset = number(args.onset, "--onset", _PROG)
    return run_single(stereo=args.stereo, expect=args.expect or "yield", onset_sec=onset)


def _state(path: str) -> Any:
    from hotato.state.load import load_state_adapter

    return load_state_adapter(path)


def _inputs(args: Namespace) -> dict[str, str]:
    """Return the files that are judged and judged by: name of the flag -> path."""
    return {name: getattr(args, name) for name in _INPUTS if getattr(args, name) is not None}


def _check(args: Namespace) -> list[tuple[str, str]]:
    """Refuse command lines that read standard input twice, judge by nothing, or write over what they read.

    Return format and path of each report asked for.
    """
    prog = _PROG
    if args.assertions is None and not args.pack:
        raise CommandError(prog, "", "needs --assertions FILE or --pack NAME: what is to be checked")
    given = _inputs(args)
    piped = [f"--{name}" for name, path in given.items() if path == "-"]
    if args.base == "-":
        piped.append("--base")
    if len(piped) > 1:
        raise CommandError(prog, piped[1], f"standard input can be read once, and {piped[0]} reads it")
    if args.watch and piped:
        raise CommandError(prog, "--watch", f"means nothing of standard input, which {piped[0]} reads")
    _check_meaning(args)
    if args.out == "-":
        raise CommandError(prog, "--out", "names a file; --format json writes to standard output")
    if args.out is not None and os.path.exists(args.out):
        for name, path in {**given, **({"base": args.base} if args.base else {})}.items():
            if os.path.exists(path) and os.path.samefile(path, args.out):
                raise CommandError(prog, "--out", f"names the same file as --{name}")
    if args.include_evidence and args.state is None:
        raise CommandError(prog, "--include-evidence", "means nothing without --state")
    if args.force and not args.report:
        raise CommandError(prog, "--force", "means nothing without --report")
    named = {f"--{name}": path for name, path in given.items()}
    return _reports.wanted(args, prog, {**named, **({"--base": args.base} if args.base else {})})


def _check_meaning(args: Namespace) -> None:
    """Refuse flags that say something of a file that is not given."""
    given = [name for name in ("call", "transcript", "trace", "stereo") if getattr(args, name) is not None]
    for names, wanted in (
        (_OF_A_CALL, ["call"]),
        (_OF_SPEECH, ["call", "transcript"]),
        (("capture_complete",), ["call", "trace"]),
        (_OF_SOUND, ["stereo"]),
    ):
        for name in names:
            if getattr(args, name) is not None and not set(wanted) & set(given):
                without = " or ".join(f"--{one}" for one in wanted)
                raise CommandError(_PROG, f"--{name.replace('_', '-')}", f"means nothing without {without}")
