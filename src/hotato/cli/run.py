"""Score a recording of caller and agent: does the agent yield, when, and how long do both talk.

For example:
  hotato run --stereo call.wav --expect yield
  hotato run --stereo call.wav --expect yield --onset 12.4 --max-time-to-yield 0.8 --max-talk-over 0.6
  hotato run --stereo call.wav --expect hold --format json
  hotato run --caller caller.wav --agent agent.wav --dump-frames frames.jsonl
  hotato run --suite barge-in
  hotato run --scenarios scenarios --audio recordings --out envelope.json

Energy over time is measured, nothing is claimed about words. --dump-frames writes the level and the activity of each side
every 10 ms, from which each number can be derived again. --suite barge-in without --audio scores the recordings that come
with hotato; with it your own agent's recordings of the same scenarios. Needs the extra audio: pip install 'hotato[audio]'.

Exit codes: 0 passed, 1 a recording failed, 2 refused (a file, a flag, or a recording that allows no verdict),
3 internal error.
"""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from hotato.cli import _timing
from hotato.cli._out import finish
from hotato.cli._parser import CommandError, Parser

_PROG = "hotato run"


def configure(parser: Parser) -> None:
    """Declare flags."""
    value = parser.value
    _timing.declare_recording(parser)
    _timing.declare_label(parser)
    _timing.declare_limits(parser)
    value("--suite", "NAME", "score a suite instead: barge-in comes with hotato", choices=("barge-in",))
    value("--scenarios", "FOLDER", "score your own scenarios, files <id>.json, instead", completes="folder")
    value("--audio", "FOLDER", "where the recordings of the scenarios are, files <id>.wav", completes="folder")
    value("--suffix", "TEXT", "how their names end after the id; by default .wav, .flac or .ogg")
    _timing.declare_scoring(parser)
    parser.switch("--cross-check", "also ask a neural detector of speech; what it says is told and decides nothing")
    value("--stack", "NAME", "what the agent runs on; it is put into the envelope")
    value("--dump-frames", "FILE", "also write the evidence frame by frame, JSON Lines, to this file", completes="file")
    value("--out", "FILE", "also write the envelope, as JSON, to this file", completes="file")
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Score, write what is to be written, and print."""
    _check(args)
    texts: dict[str, str] = {}
    is_suite = args.suite is not None or args.scenarios is not None
    envelope = _suite(args) if is_suite else _single(args, texts)
    from hotato.model.codec import encode

    encoded = encode(envelope, indent=2) + "\n"
    if args.out is not None:
        texts[args.out] = encoded
    if texts:
        from hotato.context.files import write_texts

        write_texts(texts)
    return finish(encoded if args.format == "json" else _timing.shown(envelope), int(envelope["exit_code"]))


def _single(args: Namespace, texts: dict[str, str]) -> dict[str, Any]:
    from hotato.timing import frame_lines, score
    from hotato.timing.envelope import single

    config = _timing.config(args, _PROG)
    recording = _timing.recording(args, _PROG)
    scored = score(recording, _timing.label(args, _PROG), config)
    if args.cross_check:
        from hotato.timing.neural import cross_checked

        scored = cross_checked(recording, scored)
    if args.dump_frames is not None:
        texts[args.dump_frames] = "".join(f"{line}\n" for line in frame_lines(scored))
    return single(scored, config, stack=args.stack)


def _suite(args: Namespace) -> dict[str, Any]:
    from hotato.timing import run_suite

    first, second = _timing.channels(args, _PROG)
    return run_suite(
        suite=args.suite or "barge-in",
        scenarios_dir=args.scenarios,
        audio_dir=args.audio,
        suffix=args.suffix,
        stack=args.stack,
        echo_gate=bool(args.echo_gate),
        caller_channel=first,
        agent_channel=second,
        cfg=_timing.config(args, _PROG),
    )


def _check(args: Namespace) -> None:
    """Refuse flags that say nothing of what is scored, and outputs that are one file, or what is read."""
    if args.suite is not None and args.scenarios is not None:
        raise CommandError(_PROG, "--scenarios", "are scenarios of your own; --suite names those that come with hotato")
    is_suite = args.suite is not None or args.scenarios is not None
    for name in (*_timing.OF_ONE, "dump_frames", "cross_check") if is_suite else ("audio", "suffix"):
        if getattr(args, name) is not None:
            said = "goes with one recording" if is_suite else "means nothing without --suite or --scenarios"
            raise CommandError(_PROG, f"--{name.replace('_', '-')}", said)
    if not is_suite and args.stereo is None and args.caller is None and args.agent is None:
        raise CommandError(_PROG, "", "needs --stereo FILE, --caller FILE and --agent FILE, or --suite barge-in")
    if args.cross_check and "-" in (args.stereo, args.caller, args.agent):
        raise CommandError(_PROG, "--cross-check", "reads the recording once more, which standard input does not allow")
    if args.suffix is not None and args.audio is None and args.scenarios is None:
        raise CommandError(_PROG, "--suffix", "means nothing of the recordings that come with hotato")
    _timing.check_outputs(args, ("stereo", "caller", "agent", "scenarios", "audio"), ("out", "dump_frames"), _PROG)
