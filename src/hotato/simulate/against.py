"""Two results of the same tests, run by run: what broke, what was fixed, what goes both ways, and whether it is chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from hotato.model.verdict import FAIL, PASS
from hotato.simulate.ran import JUDGED, Ran
from hotato.simulate.rates import by, is_flaky
from hotato.simulate.statistics import paired


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """What changed. The lists hold names of cells, each in one list at most, `flaky` apart.

    `newly_broken`: every verdict was PASS and is FAIL; `newly_fixed` the reverse. `newly_failing`: there was no verdict, and
    one is FAIL. `lost`: there was a verdict, and there is none. `flaky`: some repetitions pass and others fail. `pairs` are
    runs with a verdict both times, of which `broken` and `fixed` changed; pairs with the same evidence count once.
    """

    newly_broken: list[str]
    newly_failing: list[str]
    newly_fixed: list[str]
    lost: list[str]
    flaky: list[str]
    pairs: int
    broken: int
    fixed: int
    p_worse: float
    p_different: float


def compared(base: Sequence[Ran], runs: Sequence[Ran]) -> Compared:
    """Return what changed between the runs of a baseline and those of now."""
    before = by(base, lambda run: f"{run.test}\n{run.cell}")
    after = by(runs, lambda run: f"{run.test}\n{run.cell}")
    lists: dict[str, list[str]] = {
        name: [] for name in ("newly_broken", "newly_failing", "newly_fixed", "lost", "flaky")
    }
    for key in [*after, *(key for key in before if key not in after)]:
        old, new = (_verdicts(found.get(key, ())) for found in (before, after))
        cell = key.partition("\n")[2]
        if is_flaky(after.get(key, ())):
            lists["flaky"].append(cell)
        change = _change(old, new)
        if change:
            lists[change].append(cell)
    pairs = _pairs(base, runs)
    broken, fixed = pairs.count((PASS, FAIL)), pairs.count((FAIL, PASS))
    worse, differs = paired(broken, fixed)
    return Compared(**lists, pairs=len(pairs), broken=broken, fixed=fixed, p_worse=worse, p_different=differs)


def _verdicts(runs: Sequence[Ran]) -> set[str]:
    return {run.status for run in runs if run.status in JUDGED}


def _change(old: set[str], new: set[str]) -> str:
    if not new:
        return "lost" if old else ""
    if not old:
        return "newly_failing" if FAIL in new else ""
    if len(old) > 1 or old == new or len(new) > 1:
        return ""
    return "newly_broken" if old == {PASS} else "newly_fixed"


def _pairs(base: Sequence[Ran], runs: Sequence[Ran]) -> list[tuple[str, str]]:
    """Return the verdicts of runs that have one both times; the same evidence both times over is one pair."""
    old: Mapping[tuple[str, str], Ran] = {(run.test, run.run): run for run in base if run.status in JUDGED}
    found: dict[tuple[str, str, str], tuple[str, str]] = {}
    for run in runs:
        was = old.get((run.test, run.run))
        if was is not None and run.status in JUDGED:
            found[run.test, was.sha256, run.sha256] = was.status, run.status
    return list(found.values())
