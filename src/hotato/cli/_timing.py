"""What the commands share that score recordings: their flags, what the flags mean, and events as text."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hotato.cli._parser import CommandError, Parser

if TYPE_CHECKING:
    from hotato.timing import Config, Label, Recording

_NUMBER = re.compile(r"-?[0-9]{1,12}(\.[0-9]{1,12})?", re.ASCII)
OF_ONE = ("stereo", "caller", "agent", "onset", "expect", "max_talk_over", "max_time_to_yield")


def declare_recording(parser: Parser) -> None:
    """Declare what says which recording is scored."""
    value = parser.value
    said = "a recording with caller and agent on a channel each; WAV, FLAC or Ogg, - is standard input"
    value("--stereo", "FILE", said, completes="file")
    value("--caller", "FILE", "the caller's side, mono, where the sides are two aligned files", completes="file")
    value("--agent", "FILE", "the agent's side, mono", completes="file")


def declare_limits(parser: Parser) -> None:
    """Declare what one recording is held to."""
    parser.value("--max-talk-over", "SECONDS", "fail where both talk for longer")
    parser.value("--max-time-to-yield", "SECONDS", "fail where the agent takes longer to fall quiet")


def declare_scoring(parser: Parser) -> None:
    """Declare what says how recordings are scored."""
    value = parser.value
    value("--caller-channel", "N", "the caller's channel, counted from 0; default 0")
    value("--agent-channel", "N", "the agent's channel; default 1")
    parser.switch("--echo-gate", "withhold the verdict where one channel bleeds into the other")
    value("--set", "NAME=VALUE", "set a threshold, such as window_sec=2; may be repeated, docs/timing.md", many=True)


def declare_label(parser: Parser) -> None:
    """Declare what a person says of one recording."""
    value = parser.value
    said = "what the agent is to do when the caller begins: yield (default), or hold, for a backchannel"
    value("--expect", "LABEL", said, choices=("yield", "hold"))
    value("--onset", "SECONDS", "where the caller begins; by default it is found in the recording")


def recording(args: Namespace, prog: str) -> Recording:
    """Return which recording is meant. Raise CommandError."""
    from hotato.timing import Recording

    if args.stereo is not None and (args.caller is not None or args.agent is not None):
        raise CommandError(prog, "--stereo", "is both sides; --caller and --agent are one each")
    if args.stereo is None and (args.caller is None) != (args.agent is None):
        raise CommandError(prog, "--caller" if args.caller else "--agent", "needs the other side as well")
    if args.caller == "-" and args.agent == "-":
        raise CommandError(prog, "--agent", "standard input can be read once, and --caller reads it")
    first, second = channels(args, prog)
    return Recording(
        stereo=args.stereo, caller=args.caller, agent=args.agent, caller_channel=first, agent_channel=second
    )


def channels(args: Namespace, prog: str) -> tuple[int, int]:
    """Return the numbers of the caller's and the agent's channel."""
    found = []
    for flag, default in (("--caller-channel", "0"), ("--agent-channel", "1")):
        text = getattr(args, flag[2:].replace("-", "_"), None) or default
        if not (text.isascii() and text.isdigit() and len(text) < 4):
            raise CommandError(prog, flag, "is the number of a channel, counted from 0")
        found.append(int(text))
    if found[0] == found[1]:
        raise CommandError(prog, "--caller-channel", "is the agent's channel as well")
    return found[0], found[1]


def label(args: Namespace, prog: str) -> Label:
    """Return what is said of one recording."""
    from hotato.timing import Label

    expect = args.expect or "yield"
    limits = {
        name: number(getattr(args, flag, None), f"--{flag.replace('_', '-')}", prog)
        for name, flag in (("max_talk_over_sec", "max_talk_over"), ("max_time_to_yield_sec", "max_time_to_yield"))
    }
    for name, flag in (("max_talk_over_sec", "--max-talk-over"), ("max_time_to_yield_sec", "--max-time-to-yield")):
        if expect == "hold" and limits[name] is not None:
            raise CommandError(prog, flag, "goes with --expect yield; an agent that holds has no time to yield in")
    return Label(
        expect=expect,
        onset_sec=number(args.onset, "--onset", prog),
        echo_gate=bool(getattr(args, "echo_gate", False)),
        max_talk_over_sec=limits["max_talk_over_sec"],
        max_time_to_yield_sec=limits["max_time_to_yield_sec"],
    )


def config(args: Namespace, prog: str) -> Config:
    """Return the thresholds, those of `--set` among them. Raise CommandError."""
    from hotato.errors import UsageError
    from hotato.timing import configured

    values: dict[str, float] = {}
    for pair in getattr(args, "set", None) or ():
        name, _, text = pair.partition("=")
        if not name or not _NUMBER.fullmatch(text):
            raise CommandError(prog, "--set", "needs NAME=VALUE, such as window_sec=2")
        if name in values:
            raise CommandError(prog, "--set", f"sets {name} twice")
        values[name] = float(text)
    try:
        return configured(values)
    except UsageError as error:
        problem = error.problems[0]
        said = f"{problem.path}: {problem.message}" if problem.path else problem.message
        raise CommandError(prog, "--set", said, problem.guess) from None


def number(text: str | None, flag: str, prog: str) -> float | None:
    """Return a number of seconds, None where the flag is not given. Raise CommandError."""
    if text is None:
        return None
    if not _NUMBER.fullmatch(text) or text.startswith("-"):
        raise CommandError(prog, flag, "is a number of seconds, 0 or more")
    return float(text)


def shown(envelope: Mapping[str, Any]) -> str:
    """Return an envelope as text for people."""
    from hotato.plan.text import safe

    lines = [line for event in envelope["events"] for line in _event_lines(event)]
    summary = envelope["summary"]
    if envelope["mode"] == "suite":
        counts = [f"{summary['passed']} passed", f"{summary['failed']} failed"]
        counts += [f"{summary['not_scorable']} without a verdict"] if "not_scorable" in summary else []
        lines.append(f"{summary['events']} recordings: {', '.join(counts)}")
    return "".join(f"{safe(line)}\n" for line in lines)


def _event_lines(event: Mapping[str, Any]) -> Iterator[str]:
    wanted = "yield" if event["expected_yield"] else "hold"
    about = f"{event['event_id']}: " if event["scenario_id"] else ""
    if not event["scorable"]:
        yield f"NO VERDICT  {about}{event['not_scorable_reason']}"
        yield from _second(event)
        return
    verdict, measured = event["verdict"], event["measurements"]
    what = f"caller from {measured['caller_onset_sec']:.2f} s"
    if verdict["did_yield"]:
        what += f", agent quiet after {verdict['seconds_to_yield']:.2f} s"
    else:
        what += ", agent talks on"
    what += f", both for {verdict['talk_over_sec']:.2f} s"
    yield f"{'PASS' if verdict['passed'] else 'FAIL'}  {about}{wanted}: {what}"
    yield from (f"      {reason}" for reason in verdict["reasons"])
    if event["fix"]:
        yield f"      {event['fix']['title']}. {event['fix']['advice']}"
    yield from (f"      note: {note}" for note in measured["notes"])
    yield from _second(event)


def _second(event: Mapping[str, Any]) -> Iterator[str]:
    if "cross_check" in event:
        yield f"      cross-check: {_cross_checked(event['cross_check'])}"


def _cross_checked(told: Mapping[str, Any]) -> str:
    verdict, shares = told["verdict"], told["agreement"]
    if verdict is None:
        said = "sees no event there"
    elif verdict["did_yield"]:
        said = f"has the agent quiet after {verdict['seconds_to_yield']:.2f} s"
    else:
        said = "has the agent talking on"
    found = "agrees" if told["agrees"] else "DIFFERS, listen to it"
    return f"{told['detector']} {found}: {said}; {shares['caller']:.0%} and {shares['agent']:.0%} of the frames alike"


def check_outputs(args: Namespace, read: tuple[str, ...], written: tuple[str, ...], prog: str) -> None:
    """Refuse outputs that are standard output, the same file twice, a file that is read, or in a folder that is."""
    import os

    from hotato.cli._reports import apart

    taken = {os.path.realpath(path): name for name in read if (path := getattr(args, name)) not in (None, "-")}
    for name in written:
        path = getattr(args, name)
        flag = f"--{name.replace('_', '-')}"
        if path == "-":
            raise CommandError(prog, flag, "names a file; --format json writes to standard output")
        if path is not None and (place := os.path.realpath(path)) in taken:
            raise CommandError(prog, flag, f"names the same file as --{taken[place].replace('_', '-')}")
        if path is not None:
            taken[place] = name
            apart(prog, [(flag, path)], [(f"--{one}", getattr(args, one)) for one in read])
