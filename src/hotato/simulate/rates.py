"""What many runs come to: counts, and rates over the runs that have a verdict, each piece of evidence counted once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from typing import Any

from hotato.model.verdict import FAIL, INCONCLUSIVE, PASS
from hotato.simulate.conversation import INVALID
from hotato.simulate.ran import JUDGED, Ran
from hotato.simulate.statistics import pass_all, pass_all_interval, pass_at, pass_at_interval, wilson

STATUSES = {PASS: "pass", FAIL: "fail", INCONCLUSIVE: "inconclusive", INVALID: "simulator_invalid"}
MOST_K = 8  # how far pass@k and pass^k are told


def counts(runs: Sequence[Ran]) -> dict[str, int]:
    """Return how many runs ended how. `repeated` are those with the same evidence, byte for byte, as one before them."""
    found = {name: sum(run.status == status for run in runs) for status, name in STATUSES.items()}
    told = [(run.test, run.sha256) for run in runs if run.sha256]
    return {"runs": len(runs), **found, "repeated": len(told) - len(set(told))}


def different(runs: Iterable[Ran]) -> list[Ran]:
    """Return the runs that have a verdict, without those whose evidence an earlier run of the test has byte for byte."""
    found: dict[tuple[str, str], Ran] = {}
    for run in runs:
        if run.status in JUDGED:
            found.setdefault((run.test, run.sha256), run)
    return list(found.values())


def rate(runs: Iterable[Ran]) -> dict[str, Any]:
    """Return the rate of runs that pass, `pass_at_k` and `pass_all_k` for k from 1, with their 95 % intervals.

    `of` is how many different runs have a verdict: it bounds k, and where it is 0 there is no rate.
    """
    judged = different(runs)
    of, passed = len(judged), sum(run.status == PASS for run in judged)
    each = range(1, min(of, MOST_K) + 1)
    return {
        "passed": passed,
        "of": of,
        "pass_rate": passed / of if of else None,
        "interval": wilson(passed, of),
        "pass_at_k": [_told(pass_at(k, passed, of), pass_at_interval(k, passed, of)) for k in each],
        "pass_all_k": [_told(pass_all(k, passed, of), pass_all_interval(k, passed, of)) for k in each],
    }


def whole(runs: Sequence[Ran]) -> dict[str, Any]:
    """Return the rate over all tests: `pass_at_k` and `pass_all_k` are means over the tests, so far as each has k runs.

    Their intervals are the means of the tests' bounds, which is wider than 95 % asks for.
    """
    found = rate(runs)
    tests = [one for mine in by(runs, lambda run: run.test).values() if (one := rate(mine))["of"]]
    for name in ("pass_at_k", "pass_all_k"):
        found[name] = [_mean(each) for each in zip(*(one[name] for one in tests), strict=False)]
    return found


def by(runs: Iterable[Ran], name: Callable[[Ran], str]) -> dict[str, list[Ran]]:
    """Return runs by a name, in the order in which the names come."""
    found: dict[str, list[Ran]] = {}
    for run in runs:
        found.setdefault(name(run), []).append(run)
    return found


def dimensions(runs: Iterable[Ran]) -> dict[str, dict[str, int]]:
    """Return how many assertions of each dimension passed, failed and are inconclusive, over all runs."""
    found: dict[str, dict[str, int]] = {}
    for run in runs:
        for name, count in run.dimensions.items():
            whole = found.setdefault(name, dict.fromkeys(count, 0))
            for status, number in count.items():
                whole[status] += number
    return dict(sorted(found.items(), key=lambda one: (one[0] == "other", one[0])))


def is_flaky(runs: Sequence[Ran]) -> bool:
    """Say whether some repetitions of a cell pass and others fail."""
    return {run.status for run in runs}.issuperset(JUDGED)


def failing(runs: Iterable[Ran]) -> dict[str, int]:
    """Return in how many runs each assertion is FAIL."""
    found: dict[str, int] = {}
    for run in runs:
        for one in run.failed:
            found[one["id"]] = found.get(one["id"], 0) + 1
    return dict(sorted(found.items()))


def _mean(each: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    of = len(each)
    low, high = (fsum(one["interval"][end] for one in each) / of for end in (0, 1))
    return {"estimate": fsum(one["estimate"] for one in each) / of, "interval": (low, high)}


def _told(estimate: float | None, interval: tuple[float, float]) -> Mapping[str, Any]:
    return {"estimate": estimate, "interval": interval}
