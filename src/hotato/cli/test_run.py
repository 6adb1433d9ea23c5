"""Run a conversation test on a recorded call, or on the calls that its scenario makes.

For example:
  hotato test run refund-test.yaml
  hotato test run refund-test.yaml --run rate=0.85,noise=cafe/r1
  hotato test run refund-test.yaml --transcript transcript.json --trace voice_trace.jsonl --state state.json
  hotato test run refund-test.yaml --call end-of-call-report.json --format json

A call is a success where every condition under success.required is met. Without evidence the test's scenario is played,
in each of its runs, without sound: what reads timing is INCONCLUSIVE. A run that could not be played is
SIMULATOR_INVALID, never a FAIL of the agent. A call of which nothing could be judged is INCONCLUSIVE. A condition on
rubrics is undetermined here, as no model is asked.

Exit codes: 0 every call is a success, 1 one is not, 2 refused, or there is no verdict on every call, 3 internal error.
"""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from hotato.cli import _given
from hotato.cli._out import finish
from hotato.cli._parser import CommandError, Parser

if TYPE_CHECKING:
    from hotato.simulate.checks import Test
    from hotato.simulate.conversation import Outcome

_PROG = "hotato test run"
_EVIDENCE = ("call", "transcript", "trace", "state", "stereo")


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.operand("TEST", "a conversation test, YAML or JSON; - is standard input", completes="file", required=True)
    _given.declare_evidence(parser)
    parser.value("--audio", "FILE", "the same as --stereo", completes="file")
    parser.value("--run", "NAME", "only this run of the scenario; hotato simulate --list names them")
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Run the test."""
    if args.audio is not None:
        if args.stereo is not None:
            raise CommandError(_PROG, "--audio", "is the same as --stereo; give one of them")
        args.stereo = args.audio
    _given.check_evidence(args, _PROG, {"TEST": args.test})
    from hotato.simulate.checks import load_test_file
    from hotato.simulate.conversation import exit_code, outcome

    given = [name for name in _EVIDENCE if getattr(args, name) is not None]
    if given:
        if args.run is not None:
            raise CommandError(_PROG, "--run", f"is of the scenario, and --{given[0]} gives a recorded call")
        test, call = _given.made_and_call(args, _PROG, lambda: load_test_file(args.test))
        found = [outcome(test, call)]
    else:
        test = load_test_file(args.test)
        found = _played(test, args.run)
    return finish(_printed(args, test, found), exit_code(found))


def _played(test: Test, name: str | None) -> list[Outcome]:
    """Return what became of the runs of the test's scenario."""
    from hotato.simulate.conversation import simulated
    from hotato.simulate.variants import one, variants

    if test.scenario is None:
        raise CommandError(
            _PROG, "", "the test names no scenario: give the evidence of a call, such as --transcript FILE"
        )
    runs = variants(test.scenario, repetitions=test.document.repetitions)
    return [simulated(test, variant) for variant in (runs if name is None else (one(runs, name),))]


def _printed(args: Namespace, test: Test, found: list[Outcome]) -> str:
    from hotato.model.codec import encode
    from hotato.plan.text import safe
    from hotato.simulate.conversation import counts, exit_code

    count = counts(found)
    if args.format == "json":
        calls: list[dict[str, Any]] = [one.told(test.dimensions) for one in found]
        if len(found) == 1 and found[0].envelope is not None:
            calls[0]["envelope"] = found[0].envelope
        told = {"ok": True, "test": test.document.id, "exit_code": exit_code(found), "summary": count, "calls": calls}
        return encode(told, indent=2) + "\n"
    text = ""
    if len(found) == 1 and found[0].envelope is not None:
        from hotato.cli._show import shown

        text = shown(found[0].envelope) + "\n"
    lines = [line for one in found for line in _lines(one)]
    if len(found) > 1:
        ended = [f"{count[name]} {name.replace('_', ' ')}" for name in ("pass", "fail", "inconclusive")]
        lines.append(
            f"{test.document.id}: {count['runs']} runs, {', '.join(ended)}, {count['simulator_invalid']} SIMULATOR_INVALID; "
            f"{count['different']} with different evidence"
        )
    return text + "".join(f"{safe(line)}\n" for line in lines)


def _lines(one: Outcome) -> list[str]:
    """Return how one call ended, and each condition that is not met."""
    lines = [f"{one.status:<17} {one.run or one.origin}" + (f": {one.why}" if one.why else "")]
    for condition in one.conditions:
        if condition["state"] != "met":
            because = ", ".join(condition["because"])
            lines.append(f"    {condition['name']} is {condition['state'].replace('_', ' ')}: {because}")
    if one.status == "INCONCLUSIVE" and all(condition["state"] == "met" for condition in one.conditions):
        lines.append("    no assertion could be judged")
    return lines
