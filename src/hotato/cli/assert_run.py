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
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hotato.cli import _given, _reports
from hotato.cli._calls import note_lines
from hotato.cli._out import complain, finish
from hotato.cli._parser import CommandError, Parser

if TYPE_CHECKING:
    from hotato.model.call import Call
    from hotato.report._view import View

_PROG = "hotato assert run"
_ACTED_ON = (
    "calls_unrecorded",
    "role_map_unused",
    "roles_unknown",
    "spans_unread",
)  # what was judged may not be what the user meant


def configure(parser: Parser) -> None:
    """Declare flags."""
    value = parser.value
    _given.declare(parser)
    parser.switch("--include-evidence", "put each record that was read into the envelope, as state_evidence")
    policies = ("report", "fail", "refuse")
    said = "what an INCONCLUSIVE does to the exit code; beats the document's own setting"
    value("--inconclusive-policy", "POLICY", said, choices=policies)
    parser.limits()
    parser.formats(*_reports.PRINTED)
    value("--out", "FILE", "also write the envelope, as JSON, to this file: all of it or nothing", completes="file")
    _reports.declare(parser)
    parser.switch("--watch", "judge again whenever one of the files changes, until interrupted")


def main(args: Namespace) -> int:
    """Judge one call, or judge it again and again."""
    reports = _check(args)
    if args.watch:
        from hotato.cli._watch import watch

        paths = [*_given.inputs(args).values(), *filter(None, (args.base, args.rubric))]
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
    if args.out is not None:
        from hotato.model.codec import encode

        _reports.write(texts, force=force, beside={args.out: encode(envelope, indent=2) + "\n"})
    elif texts:
        _reports.write(texts, force=force)
    if args.format == "text":
        from hotato.cli._warnings import hollow
        from hotato.plan.text import safe

        text, file = args.judged_by
        complain(hollow(text, file, call))
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

    plan, call = _given.plan_and_call(args, _PROG, args.inconclusive_policy)
    envelope = A.judge_call(plan, call)
    if args.include_evidence:
        envelope["state_evidence"] = _state_evidence(plan, call)
    return envelope, call


def _state_evidence(plan: Any, call: Call) -> list[dict[str, Any]]:
    """Return what was read of the system of record, with personal data masked where the document looks for it."""
    kept = {"closest": call.state_evidence}
    if any(node.veils for node in plan.nodes):
        from hotato.match.evidence import Evidence
        from hotato.plan.explain import veil

        veil([kept], Evidence(call))
    return kept["closest"]


def _check(args: Namespace) -> list[tuple[str, str]]:
    """Refuse command lines that read standard input twice, judge by nothing, or write over what they read.

    Return format and path of each report asked for.
    """
    prog = _PROG
    given = _given.inputs(args)
    _given.check(args, prog, {"--base": args.base, "--rubric": args.rubric})
    piped = [f"--{name}" for name, path in given.items() if path == "-"]
    piped += [f"--{name}" for name in ("base", "rubric") if getattr(args, name) == "-"]
    if args.watch and piped:
        raise CommandError(prog, "--watch", f"means nothing of standard input, which {piped[0]} reads")
    if args.out == "-":
        raise CommandError(prog, "--out", "names a file; --format json writes to standard output")
    shown = {name: getattr(args, name) for name in ("base", "rubric") if getattr(args, name) is not None}
    if args.out is not None and os.path.exists(args.out):
        for name, path in {**given, **shown}.items():
            if os.path.exists(path) and os.path.samefile(path, args.out):
                raise CommandError(prog, "--out", f"names the same file as --{name}")
    if args.include_evidence and args.state is None:
        raise CommandError(prog, "--include-evidence", "means nothing without --state")
    if args.force and not args.report:
        raise CommandError(prog, "--force", "means nothing without --report")
    return _reports.wanted(args, prog, {f"--{name}": path for name, path in {**given, **shown}.items()})
