"""Run a conversation test on a recorded call, or on the calls that its scenario makes.

For example:
  hotato test run refund-test.yaml
  hotato test run refund-test.yaml --run rate=0.85,noise=cafe/r1 --out call
  hotato test run refund-test.yaml --transcript transcript.json --trace voice_trace.jsonl --state state.json
  hotato test run refund-test.yaml --call end-of-call-report.json --audio call.wav --format json
  hotato test run refund-test.yaml --transcript transcript.json --judge-model qwen3:8b
  hotato test run refund-test.yaml --transcript transcript.json --human verdicts.yaml

A call is a success where every condition under success.required is met. Without evidence the test's scenario is played,
in each of its runs, without sound: what reads timing is INCONCLUSIVE. A run that could not be played is
SIMULATOR_INVALID, never a FAIL of the agent. A call of which nothing could be judged is INCONCLUSIVE.

Rubrics are judged, apart from all that is proven, where a judge is named: --judge-model, --judge, --judge-url or
--judge-replay; human rubrics by what people say in --human, which counts for the very evidence that they judged. Otherwise
they are told as not judged, and no_rubric_failure is undetermined. A recording is measured with the extra audio; without
it there is no timing, and a note says so.

Exit codes: 0 every call is a success, 1 one is not, 2 refused, or there is no verdict on every call, 3 internal error.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hotato.cli import _conversation, _given, _judge
from hotato.cli._out import finish
from hotato.cli._parser import CommandError, Parser

if TYPE_CHECKING:
    from hotato.rubric.persons import Verdict
    from hotato.simulate.checks import Test
    from hotato.simulate.conversation import Opinion, Outcome
    from hotato.simulate.variants import Variant

_PROG = "hotato test run"
_EVIDENCE = ("call", "transcript", "trace", "state", "stereo")
_NAMES_A_JUDGE = ("judge_model", "judge", "judge_url", "judge_replay")
_OF_A_JUDGE = ("judge_key_env", "judge_timeout", "judge_egress_opt_in", "judge_record", "no_cache")
_ABSENT = "the recording was not measured, so there is no timing: pip install 'hotato[audio]'"


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.operand("TEST", "a conversation test, YAML or JSON; - is standard input", completes="file", required=True)
    _given.declare_evidence(parser)
    parser.value("--audio", "FILE", "the same as --stereo", completes="file")
    parser.value("--run", "NAME", "only this run of the scenario; hotato simulate --list names them")
    said = "keep each call as a conversation: evidence, test and result in a new folder, for hotato conversation verify"
    parser.value("--out", "FOLDER", said, completes="folder")
    said = "what people say by the test's human rubrics, YAML or JSON: docs/rubric.md"
    parser.value("--human", "FILE", said, completes="file")
    _judge.declare(parser)
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Run the test."""
    if args.audio is not None:
        if args.stereo is not None:
            raise CommandError(_PROG, "--audio", "is the same as --stereo; give one of them")
        args.stereo = args.audio
    _given.check_evidence(args, _PROG, {"TEST": args.test, "--human": args.human, "--judge-replay": args.judge_replay})
    _conversation.check(args, _PROG)
    _check_judge(args)
    from hotato.simulate.checks import load_test_file
    from hotato.simulate.conversation import exit_code

    given = [name for name in _EVIDENCE if getattr(args, name) is not None]
    notes: list[dict[str, str]] = []
    if given and args.run is not None:
        raise CommandError(_PROG, "--run", f"is of the scenario, and --{given[0]} gives a recorded call")
    sound = None if args.stereo is None or args.out is None else (args.stereo, _hash(args.stereo))
    if given:
        test, call = _given.made_and_call(
            args, _PROG, lambda: load_test_file(args.test), lambda: _measured(args, notes)
        )
        runs: Sequence[Variant] = ()
    else:
        test = load_test_file(args.test)
        runs = _runs(test, args.run)
    judges = _judges(args, test)
    opinion = _opinion(args, test, judges)
    with _conversation.kept(args.out, args.judge_record, judges) as inside:
        if given:
            found = [_conversation.recorded(test, call, inside, opinion, sound=sound, notes=notes)]
        else:
            found = _conversation.played(test, runs, inside, opinion, is_one=args.run is not None)
    return finish(_printed(args, test, found, notes), exit_code(found))


def _check_judge(args: Namespace) -> None:
    """Refuse flags of a judge where none is named, and an answer file that is there. Raise CommandError or UsageError."""
    from hotato.cli._reports import is_same

    _judge.check(args, _PROG)
    if all(getattr(args, name) is None for name in _NAMES_A_JUDGE):
        for name in _OF_A_JUDGE:
            if getattr(args, name) is not None:
                raise CommandError(_PROG, f"--{name.replace('_', '-')}", "means nothing where no judge is named")
    if args.judge_record is not None and args.out is not None and is_same(args.judge_record, args.out):
        raise CommandError(_PROG, "--judge-record", "names the same file as --out")
    _judge.check_written((args.judge_record,), force=False)


def _judges(args: Namespace, test: Test) -> _judge.Judges | None:
    """Return who judges the test's rubrics, None where the user names nobody."""
    named = [name for name in _NAMES_A_JUDGE if getattr(args, name) is not None]
    if not named:
        return None
    if not test.criteria:
        raise CommandError(_PROG, f"--{named[0].replace('_', '-')}", "the test has no rubric to be judged")
    return _judge.judges(args, _PROG)


def _opinion(args: Namespace, test: Test, judges: _judge.Judges | None) -> Opinion | None:
    """Return what judges a call by the test's rubrics; None where neither a model nor a person is to.

    Where no judge is named, only human rubrics are looked at. The only way from this command into the rubric lane.
    """
    if judges is None and args.human is None:
        return None
    if not test.criteria:
        raise CommandError(_PROG, "--human", "the test has no rubric to be judged")
    from hotato.rubric.run import run_rubrics
    from hotato.simulate.checks import OF_RUBRICS

    human: Sequence[Verdict] = ()
    if args.human is not None:
        from hotato.rubric.persons import load_verdicts

        human = load_verdicts(args.human, test.criteria)
    asked = test.criteria if judges is not None else [one for one in test.criteria if one.kind == "human_rubric"]
    who = judges or _judge.judges(args, _PROG)  # it is not asked by human rubrics
    decides = OF_RUBRICS in test.document.success.required
    cache, fresh = _judge.cache(args), bool(args.no_cache)
    return lambda call: run_rubrics(asked, call, who, cache=cache, fresh=fresh, gate=decides, human=human)


def _measured(args: Namespace, notes: list[dict[str, str]]) -> dict[str, Any] | None:
    """Return what is measured of the recording; None and a note where the packages for it are missing."""
    from hotato.cli._timing import number
    from hotato.context.files import open_regular
    from hotato.errors import EvidenceError
    from hotato.simulate.measure import can_measure, measured
    from hotato.timing import Label

    onset = number(args.onset, "--onset", _PROG)
    if not can_measure():
        if args.stereo != "-":
            with open_regular(args.stereo, error=EvidenceError):
                pass  # one that is not there is refused, whatever is installed
        notes.append({"code": "extra_missing", "message": _ABSENT})
        return None
    return measured(args.stereo, [Label(expect=args.expect or "yield", onset_sec=onset)])


def _hash(path: str) -> str:
    from hotato.context.files import sha256_of
    from hotato.errors import EvidenceError

    return sha256_of(path, error=EvidenceError)


def _runs(test: Test, name: str | None) -> Sequence[Variant]:
    """Return the runs of the test's scenario, or the one of a name. Raise UsageError."""
    from hotato.simulate.variants import one, variants

    if test.scenario is None:
        raise CommandError(
            _PROG, "", "the test names no scenario: give the evidence of a call, such as --transcript FILE"
        )
    runs = variants(test.scenario, repetitions=test.document.repetitions)
    return runs if name is None else (one(runs, name),)


def _printed(args: Namespace, test: Test, found: Sequence[Outcome], notes: Sequence[Mapping[str, str]]) -> str:
    from hotato.model.codec import encode
    from hotato.plan.text import safe
    from hotato.simulate.conversation import counts, exit_code

    count = counts(found)
    if args.format == "json":
        calls: list[dict[str, Any]] = [one.told(test.dimensions) for one in found]
        if len(found) == 1 and found[0].envelope is not None:
            calls[0]["envelope"] = found[0].envelope
            calls[0] |= {} if found[0].rubric is None else {"rubric_envelope": found[0].rubric}
        told = {"ok": True, "test": test.document.id, "exit_code": exit_code(found), "summary": count, "calls": calls}
        told |= {"notes": list(notes)} if notes else {}
        told |= {} if args.out is None else {"written": args.out}
        return encode(told, indent=2) + "\n"
    text = ""
    if len(found) == 1 and found[0].envelope is not None:
        from hotato.cli._show import shown

        text = shown(found[0].envelope) + "\n" + _judged(found[0])
    lines = [line for one in found for line in _lines(one)]
    if len(found) > 1:
        ended = [f"{count[name]} {name.replace('_', ' ')}" for name in ("pass", "fail", "inconclusive")]
        lines.append(
            f"{test.document.id}: {count['runs']} runs, {', '.join(ended)}, {count['simulator_invalid']} SIMULATOR_INVALID; "
            f"{count['different']} with different evidence"
        )
    lines += _unjudged(test, found)
    lines += [f"note: {note['message']}" for note in notes]
    lines += [] if args.out is None else [f"wrote {args.out}"]
    return text + "".join(f"{safe(line)}\n" for line in lines)


def _unjudged(test: Test, found: Sequence[Outcome]) -> list[str]:
    """Return which rubrics were not judged, and of one call what people's verdicts of it name."""
    named = next((one.unjudged for one in found if one.unjudged), ())
    human = [one.id for one in test.criteria if one.kind == "human_rubric" and one.id in named]
    others = [name for name in named if name not in human]
    lines = []
    if others:
        lines.append(f"rubrics that no model was asked about, as no judge is named: {', '.join(others)}")
    if human:
        lines.append(f"rubrics that people judge, of which --human gives no verdict: {', '.join(human)}")
    for name in human if len(found) == 1 else ():
        if name in found[0].to_judge:
            lines.append(f"    a person's verdict by {name} has input_sha256: {found[0].to_judge[name]}")
    return lines


def _judged(one: Outcome) -> str:
    """Return what models and people judged, for people, under what is proven."""
    if one.rubric is None:
        return ""
    from hotato.rubric.run import render_text

    return render_text(one.rubric) + "\n"


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
