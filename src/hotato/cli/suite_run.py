"""Run the conversation tests of a suite many times, and judge them by one gate.

For example:
  hotato suite run suite.yaml
  hotato suite run suite.yaml --parallel 4 --audio --out results
  hotato suite run suite.yaml --audio --out results --resume
  hotato suite run suite.yaml --calls recorded --min-pass-rate 0.9
  hotato suite run suite.yaml --baseline main-results --today 2027-01-31

Each test is run in every cell of its scenario, or on the recorded calls of --calls: a folder a test, named by its id, and
in it a folder or a file a call. The folder of --out gets results.json, junit.xml, report.html and a page for each run that
does not pass. They are the same for any --parallel, and after a kill and --resume.

A test is judged by its failures. --min-pass-rate judges by the lower bound of the pass rate's 95 % interval, --baseline by
what changed since an earlier result. Runs without a verdict are outside of every rate, and refused beyond a share.

Exit codes: 0 let through, 1 a rule is broken, 2 refused, or too much was not judged, 3 internal error.
"""

from __future__ import annotations

import os
import re
import sys
import time
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from hotato.cli._out import complain, finish
from hotato.cli._parser import CommandError, Parser

if TYPE_CHECKING:
    from hotato.simulate.gate import Rules
    from hotato.simulate.running import Request

_PROG = "hotato suite run"
_RATE = re.compile(r"0(\.[0-9]{1,12})?|1(\.0{1,12})?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_EACH = {True: 0.1, False: 60.0}  # seconds between two words on a terminal, and elsewhere


def configure(parser: Parser) -> None:
    """Declare flags."""
    value, switch = parser.value, parser.switch
    parser.operand("SUITE", "a suite, YAML or JSON", completes="file", required=True)
    value("--out", "FOLDER", "write results, pages and a journal to this folder", completes="folder")
    switch("--resume", "go on with the run in the folder of --out, where it stopped")
    switch("--force", "start anew in a folder that holds a run; its files are removed")
    value("--parallel", "N", "processes that play and judge; by default one for each core")
    value("--calls", "FOLDER", "recorded calls, in place of the simulated ones", completes="folder")
    value("--repetitions", "N", "how often each cell is played, whatever tests and scenarios say")
    switch("--audio", "speak the calls and measure them")
    switch("--pages", "write a page for each run that does not pass (on by default)", negative="--no-pages")
    said = "judge tests by the lower bound of the pass rate, such as 0.9, or one as TEST=0.9; may be repeated"
    value("--min-pass-rate", "RATE", said, many=True)
    value("--baseline", "RESULT", "judge by what changed since an earlier result: its folder or file", completes="file")
    value("--alpha", "P", "how unlikely a change for the worse by chance must be to break the gate; 0.05 by default")
    said = "the largest share of a test's runs that may have no verdict, under the policy report; 0.1 by default"
    value("--max-inconclusive", "SHARE", said)
    value("--today", "DAY", "the day by which quarantine ends, such as 2027-01-31; needed where a suite has some")
    switch("--release", "judge by the tests that a release needs alone; the others are run and told")
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Run the suite."""
    if args.out is None:
        for flag in ("resume", "force"):
            if getattr(args, flag):
                raise CommandError(_PROG, f"--{flag}", "means nothing without --out")
    if args.resume and args.force:
        raise CommandError(_PROG, "--resume", "goes on with a run, and --force removes it; give one of them")
    request, rules = _asked(args)
    from hotato.errors import UsageError
    from hotato.simulate.running import run

    progress = _Progress()
    try:
        result = run(request, rules, progress.tell, args.out or "", force=bool(args.force), resume=bool(args.resume))
    except KeyboardInterrupt:
        progress.end()
        if args.out is not None:
            complain(f"stopped after {progress.done} runs; the same command with --resume goes on\n")
        raise
    except UsageError:
        progress.end()
        raise
    progress.end()
    return finish(_printed(args, result), result["exit_code"])


def _asked(args: Namespace) -> tuple[Request, Rules]:
    """Return what the flags ask for. Raise UsageError, CommandError."""
    from hotato.runs.processes import cores
    from hotato.simulate.gate import ALPHA, MOST_INCONCLUSIVE, Rules
    from hotato.simulate.running import Request
    from hotato.simulate.suite import load_suite_file

    workers, repetitions = _whole(args.parallel, "--parallel"), _whole(args.repetitions, "--repetitions")
    rates = _rates(args.min_pass_rate or ())
    most, alpha = _share(args.max_inconclusive, "--max-inconclusive"), _share(args.alpha, "--alpha")
    for flag, given in (("--audio", args.audio), ("--repetitions", args.repetitions)):
        if args.calls is not None and given:
            raise CommandError(_PROG, flag, "is of simulated calls, and --calls gives recorded ones")
    if args.calls is not None and args.out is not None and _is_within(args.out, args.calls):
        raise CommandError(
            _PROG, "--out", "lies in the folder of --calls, where what is written would be taken for calls"
        )
    if args.alpha is not None and args.baseline is None:
        raise CommandError(_PROG, "--alpha", "means nothing without --baseline")
    suite = load_suite_file(args.suite)
    unknown = sorted(set(rates) - {"", *suite.tests})
    if unknown:
        from hotato.document.guess import Guesser

        near = Guesser().nearest(unknown[0], tuple(suite.tests))
        raise CommandError(_PROG, "--min-pass-rate", f"no test of the suite has the id '{unknown[0]}'", near)
    if args.release and not suite.released:
        raise CommandError(_PROG, "--release", "the suite needs no test for a release: nothing would be judged")
    if most is not None and suite.document.inconclusive_policy != "report":
        said = f"the suite's inconclusive_policy is {suite.document.inconclusive_policy}, which allows none"
        raise CommandError(_PROG, "--max-inconclusive", said)
    baseline = None
    if args.baseline is not None:
        from hotato.simulate.results import runs_of

        baseline = runs_of(args.baseline, suite.document.suite_id)
    rules = Rules(
        min_pass_rate=rates,
        max_inconclusive=MOST_INCONCLUSIVE if most is None else most,
        baseline=baseline,
        alpha=ALPHA if alpha is None else alpha,
        today=_today(args.today, bool(suite.document.quarantine)),
        release=bool(args.release),
    )
    request = Request(
        suite=suite,
        repetitions=repetitions or 0,
        calls=args.calls or "",
        sound=_sound() if args.audio else "",
        pages=args.pages is not False,
        workers=workers or cores(),
    )
    return request, rules


def _is_within(path: str, folder: str) -> bool:
    """Say whether a path is a folder or leads into it."""
    from hotato.context.confined import is_within

    return is_within(os.path.realpath(path), os.path.realpath(folder))


def _rates(given: Any) -> dict[str, float]:
    found: dict[str, float] = {}
    for one in given:
        name, _, rate = one.rpartition("=")
        if not _RATE.fullmatch(rate) or ("=" in one and not name):
            raise CommandError(_PROG, "--min-pass-rate", f"'{one}' is neither RATE nor TEST=RATE, such as refund=0.95")
        if float(rate) >= 1:
            raise CommandError(_PROG, "--min-pass-rate", "1 is never reached by a lower bound, however many runs pass")
        if name in found:
            raise CommandError(_PROG, "--min-pass-rate", f"gives {name or 'the rate of all tests'} twice")
        found[name] = float(rate)
    return found


def _share(text: str | None, flag: str) -> float | None:
    if text is None:
        return None
    if not _RATE.fullmatch(text):
        raise CommandError(_PROG, flag, f"'{text}' is no share from 0 to 1, such as 0.1")
    return float(text)


def _whole(text: str | None, flag: str) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 5 and int(text)):
        raise CommandError(_PROG, flag, f"'{text}' is no whole number from 1 to 9999")
    return int(text)


def _today(text: str | None, needed: bool) -> str:
    """Return the day that is given. A verdict reads no clock, so that it is the same tomorrow."""
    if text is None:
        if needed:
            raise CommandError(
                _PROG, "", "the suite has tests in quarantine, which ends: say --today DAY, such as 2027-01-31"
            )
        return ""
    from datetime import date

    if not needed:
        raise CommandError(_PROG, "--today", "means nothing here: the suite has no test in quarantine")
    try:
        if _DAY.fullmatch(text):
            return date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    raise CommandError(_PROG, "--today", f"'{text}' is no day of the calendar, such as 2027-01-31")


def _sound() -> str:
    from hotato.errors import EvidenceError, Problem
    from hotato.simulate.sound import is_installed
    from hotato.speech.cache import default_folder

    if not is_installed():
        said = "speaking and measuring calls needs two extras: pip install 'hotato[audio,speech]'"
        raise EvidenceError(Problem(code="extra_missing", file="--audio", message=said))
    return default_folder()


def _printed(args: Namespace, result: dict[str, Any]) -> str:
    if args.format == "json":
        from hotato.model.codec import encode

        return encode({"ok": True, **result}, indent=2) + "\n"
    from hotato.plan.text import safe
    from hotato.simulate.results import lines

    told = list(lines(result))
    if args.out is not None:
        told.append(f"results in {args.out}")
    return "".join(f"{safe(line)}\n" for line in told)


class _Progress:
    """Tells on standard error how far the runs are: a bar on a terminal, elsewhere a line a minute."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._told = time.monotonic()
        self.done = 0

    def tell(self, total: int, done: int, failed: int, invalid: int) -> None:
        """Hear how many runs there are, and how many are done, fail, and could not be played."""
        self.done = done
        now = time.monotonic()
        if now - self._told >= _EACH[self._is_terminal]:
            self._told = now
            line = f"{done}/{total} runs  {failed} failed" + (f"  {invalid} not played" if invalid else "")
            bar = f"[{'#' * (done * 40 // max(total, 1)):<40}]"
            complain(f"\r\x1b[K{bar} {line}" if self._is_terminal else f"{line}\n")

    def end(self) -> None:
        """Clear the line."""
        if self._is_terminal:
            complain("\r\x1b[K")
