"""Whether a suite's runs are let through: its rules one by one, each with the numbers that decided it.

A test is judged by its failures, unless a rule says otherwise: by the lower bound of its pass rate, or against a baseline.
What has no verdict is never a pass: it is outside of every rate, and too much of it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from hotato.model.verdict import FAIL, INCONCLUSIVE
from hotato.simulate.against import compared
from hotato.simulate.conversation import INVALID
from hotato.simulate.ran import JUDGED, Ran
from hotato.simulate.rates import by, rate
from hotato.simulate.statistics import needed
from hotato.simulate.suite import Quarantine, Suite

FAILS, REFUSES = "fail", "refuse"
MOST_INCONCLUSIVE = 0.1
ALPHA = 0.05
Rule = dict[str, Any]


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What runs are judged by.

    `min_pass_rate` maps test ids, or the empty text for all tests, to the least that the lower bound of the pass rate may
    be. `max_inconclusive` is the largest share of a test's runs without a verdict, where the suite's policy is `report`.
    `baseline` are the runs of an earlier result. `alpha` is the chance of calling a change of nothing a change for the
    worse. `today` is the day by which quarantine ends. With `release` only what a release needs is judged.
    """

    min_pass_rate: Mapping[str, float] = {}
    max_inconclusive: float = MOST_INCONCLUSIVE
    baseline: Sequence[Ran] | None = None
    alpha: float = ALPHA
    today: str = ""
    release: bool = False


def judge(suite: Suite, runs: Sequence[Ran], rules: Rules) -> dict[str, Any]:
    """Return `{exit_code, rules, quarantine}`: 1 where a rule fails, 2 where one refuses, else 0.

    A rule is `{rule, test?, cell?, kept, otherwise, said}` and its numbers; `otherwise` says what it does where not kept.
    """
    tests = by(runs, lambda run: run.test)
    base = None if rules.baseline is None else by(rules.baseline, lambda run: run.test)
    found: list[Rule] = []
    gated: list[Ran] = []
    for ident in suite.tests:
        if rules.release and ident not in suite.released:
            continue
        mine = [run for run in tests.get(ident, ()) if not _held(suite, run, rules.today)]
        gated += mine
        if mine or ident not in tests:
            found += _of_test(suite, ident, mine, rules, None if base is None else base.get(ident, []))
    if not gated:
        said = "no run is left to judge by: all of them are in quarantine, or none is needed for a release"
        found.append(_rule("judged", kept=False, otherwise=REFUSES, said=said))
    if rules.baseline is not None:
        found += _whole(suite, gated, rules)
    broken = {one["otherwise"] for one in found if not one["kept"]}
    code = 1 if FAILS in broken else 2 if REFUSES in broken else 0
    return {"exit_code": code, "rules": found, "quarantine": [_entry(one, tests, rules) for one in _entries(suite)]}


def _of_test(suite: Suite, ident: str, runs: Sequence[Ran], rules: Rules, base: Sequence[Ran] | None) -> Iterator[Rule]:
    """Yield the rules on a test; `base` are its runs in the baseline, None where there is no baseline."""
    yield from _without_verdict(suite, ident, runs, rules)
    least = rules.min_pass_rate.get(ident, rules.min_pass_rate.get(""))
    if least is not None:
        yield _at_least(ident, runs, least)
    if base is not None:
        yield from _against(ident, runs, base, rules.alpha)
    elif least is None:
        failed = [run for run in runs if run.status == FAIL]
        if failed:
            said = f"{len(failed)} of {len(runs)} runs fail"
            yield _rule("no_failure", ident, kept=False, otherwise=FAILS, said=said, failed=len(failed))


def _without_verdict(suite: Suite, ident: str, runs: Sequence[Ran], rules: Rules) -> Iterator[Rule]:
    """Yield what is said of runs that could not be played, and of those that could not be judged."""
    invalid = sum(run.status == INVALID for run in runs)
    if invalid:
        said = f"{invalid} of {len(runs)} runs could not be played"
        yield _rule("simulator", ident, kept=False, otherwise=REFUSES, said=said, simulator_invalid=invalid)
    open_ = sum(run.status == INCONCLUSIVE for run in runs)
    policy = suite.document.inconclusive_policy
    most = rules.max_inconclusive * len(runs) if policy == "report" else 0
    judged = sum(run.status in JUDGED for run in runs)
    if open_ > most or not judged:
        said = f"{open_} of {len(runs)} runs have no verdict, and at most {int(most + 1e-9)} may have none"
        if not judged:
            said = "no run has a verdict"
        otherwise = FAILS if policy == "fail" else REFUSES
        yield _rule("inconclusive", ident, kept=False, otherwise=otherwise, said=said, inconclusive=open_)


def _at_least(ident: str, runs: Sequence[Ran], least: float) -> Rule:
    found = rate(runs)
    low = found["interval"][0]
    said = f"{found['passed']} of {found['of']} different runs pass: at least {low:.4f}, and {least:g} is asked for"
    if low < least and found["passed"] == found["of"]:
        said += f"; that takes {needed(least)} different runs that all pass"
    more: Rule = {"least": least, "lower_bound": low, "passed": found["passed"], "of": found["of"]}
    return _rule("min_pass_rate", ident, kept=low >= least, otherwise=FAILS, said=said, **more)


def _against(ident: str, runs: Sequence[Ran], base: Sequence[Ran], alpha: float) -> Iterator[Rule]:
    """Yield what changed in a test since the baseline."""
    found = compared(base, runs)
    for cell in found.newly_broken:
        said = "passed in the baseline, and fails now"
        yield _rule("baseline", ident, cell, kept=False, otherwise=FAILS, said=said, change="newly_broken")
    for cell in found.newly_failing:
        said = "fails, and the baseline has no verdict on it"
        yield _rule("baseline", ident, cell, kept=False, otherwise=FAILS, said=said, change="newly_failing")
    for cell in found.lost:
        said = "had a verdict in the baseline, and has none now"
        yield _rule("baseline", ident, cell, kept=False, otherwise=REFUSES, said=said, change="lost")
    worse = found.p_worse
    said = f"{found.broken} pairs of runs changed for the worse, {found.fixed} for the better: p = {worse:.4g}"
    more: Rule = {"broken": found.broken, "fixed": found.fixed, "p_worse": worse, "p_different": found.p_different}
    told: Rule = {"cells_fixed": found.newly_fixed, "cells_flaky": found.flaky, "pairs": found.pairs}
    yield _rule("paired", ident, kept=worse > alpha, otherwise=FAILS, said=said, **more, **told)


def _whole(suite: Suite, gated: Sequence[Ran], rules: Rules) -> Iterator[Rule]:
    """Yield what changed in all tests together, and tests of the baseline that are gone."""
    base = [run for run in rules.baseline or () if not _held(suite, run, rules.today)]
    wanted = {run.test for run in base}
    if rules.release:
        wanted &= suite.released
    for ident in sorted(wanted - set(suite.tests)):
        said = "is in the baseline, and the suite has no such test now"
        yield _rule("baseline", ident, kept=False, otherwise=REFUSES, said=said, change="gone")
    found = compared(base, gated)
    said = f"{found.broken} pairs of runs changed for the worse, {found.fixed} for the better: p = {found.p_worse:.4g}"
    more: Rule = {
        "broken": found.broken,
        "fixed": found.fixed,
        "p_worse": found.p_worse,
        "p_different": found.p_different,
    }
    if not found.pairs:
        said = "no run has a verdict both in the baseline and now"
        yield _rule("paired", kept=False, otherwise=REFUSES, said=said, **more, pairs=0)
        return
    kept = found.p_worse > rules.alpha
    yield _rule("paired", kept=kept, otherwise=FAILS, said=said, **more, pairs=found.pairs)


def _entries(suite: Suite) -> tuple[Quarantine, ...]:
    return suite.document.quarantine


def _held(suite: Suite, run: Ran, today: str) -> bool:
    """Say whether a run is in quarantine."""
    return any(one.test == run.test and one.cell in (None, run.cell) and today <= one.until for one in _entries(suite))


def _entry(one: Quarantine, tests: Mapping[str, Sequence[Ran]], rules: Rules) -> dict[str, Any]:
    """Return what became of an entry of quarantine."""
    mine = [run for run in tests.get(one.test, ()) if one.cell in (None, run.cell)]
    failed = sum(run.status == FAIL for run in mine)
    told = {"test": one.test, **({"cell": one.cell} if one.cell else {}), "until": one.until, "reason": one.reason}
    ended = rules.today > one.until
    said = (
        f"ended on {one.until}: its failures count" if ended else f"{failed} of {len(mine)} runs fail and do not count"
    )
    if not ended and mine and not failed:
        said = "nothing fails any more: the entry can go"
    return {**told, "is_over": ended, "runs": len(mine), "failed": failed, "said": said}


def _rule(rule: str, test: str = "", cell: str = "", *, kept: bool, otherwise: str, said: str, **numbers: Any) -> Rule:
    place = {**({"test": test} if test else {}), **({"cell": cell} if cell else {})}
    return {"rule": rule, **place, "kept": kept, "otherwise": otherwise, "said": said, **numbers}
