"""Keep an event of a recording as a contract: the audio, what was measured of it, and what it is to show.

For example:
  hotato contract create --stereo call.wav --onset 12.4 --expect yield --id refund-interruption --out contracts
  hotato contract create --stereo call.wav --expect yield --max-time-to-yield 0.8 --id late-yield --out contracts
  hotato contract create --stereo call.wav --expect hold --id says-mhm --title "caller says mhm" --out contracts

The bundle is the folder <id>.hotato in --out: contract.json, the whole recording as audio/event.wav, and the level of
each side every 10 ms. `hotato contract verify` scores the audio again. A recording that fails its policy now is kept
as well, and fails until the policy is changed: the exit code says so. Needs the extra audio: pip install
'hotato[audio]'.

Exit codes: 0 kept, and it passes; 1 kept, and it fails its policy; 2 refused (a file, a flag, or a recording that
allows no verdict), 3 internal error.
"""

from __future__ import annotations

from argparse import Namespace

from hotato.cli import _timing
from hotato.cli._out import finish
from hotato.cli._parser import CommandError, Parser

_PROG = "hotato contract create"


def configure(parser: Parser) -> None:
    """Declare flags."""
    value = parser.value
    _timing.declare_recording(parser)
    _timing.declare_label(parser)
    _timing.declare_limits(parser)
    _timing.declare_scoring(parser)
    value("--id", "NAME", "what the contract is called: letters, digits, '.', '_' and '-'", required=True)
    value("--title", "TEXT", "what the event is, for people")
    value("--trace", "FILE", "keep this trace of the call, voice_trace.jsonl, beside the audio", completes="file")
    value("--out", "FOLDER", "where the folder <id>.hotato is made; by default here", completes="folder")
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Score, write the bundle, and tell."""
    if args.stereo is None and args.caller is None and args.agent is None:
        raise CommandError(_PROG, "", "needs --stereo FILE, or --caller FILE and --agent FILE")
    from hotato.model.codec import encode
    from hotato.plan.text import safe
    from hotato.timing import contract

    place, made = contract.create(
        _timing.recording(args, _PROG),
        _timing.label(args, _PROG),
        _timing.config(args, _PROG),
        name=args.id,
        folder=args.out or ".",
        title=args.title or "",
        trace=args.trace,
    )
    code = 0 if made.measurement.passed else 1
    if args.format == "json":
        told = {"ok": True, "bundle": place, "id": made.id, "passed": made.measurement.passed, "exit_code": code}
        return finish(encode(told, indent=2) + "\n", code)
    said = "passes" if made.measurement.passed else "FAILS its policy"
    return finish(safe(f"{place}: kept; {said}") + "\n", code)
