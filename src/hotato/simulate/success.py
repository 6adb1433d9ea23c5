"""Whether a conversation was a success: the envelope of its assertions, and each named condition on its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hotato.model.verdict import FAIL, INCONCLUSIVE, PASS
from hotato.plan.run import run
from hotato.plan.summary import envelope as around
from hotato.simulate.checks import CONDITIONS, OF_RUBRICS, Test

MET, NOT_MET, OPEN = "met", "not_met", "undetermined"
STATUSES = (PASS, FAIL, INCONCLUSIVE)
Envelope = dict[str, Any]


def judged(test: Test, call: Any, rubric: Mapping[str, Any] | None = None) -> tuple[Envelope, dict[str, Any]]:
    """Return the assert.v1 envelope of a call, and its outcome.

    The outcome has `status` and `conditions`, one entry for each that is required: `{name, state, because, lane}`. `lane`
    says who decided it: `deterministic`, or `model`. `rubric` is a rubric.v1 envelope made before; without one a condition
    on rubrics is undetermined.
    """
    envelope = around([], "report") if test.plan is None else run(test.plan, call)
    conditions = [
        _condition(name, envelope["results"], test.rubrics, rubric) for name in test.document.success.required
    ]
    return envelope, {"status": _status([one["state"] for one in conditions]), "conditions": conditions}


def _status(states: Sequence[str]) -> str:
    """Return PASS where every condition is met, FAIL where one is not, else INCONCLUSIVE."""
    if NOT_MET in states:
        return FAIL
    return INCONCLUSIVE if OPEN in states else PASS


def _condition(
    name: str, results: Sequence[Mapping[str, Any]], rubrics: Sequence[str], rubric: Mapping[str, Any] | None
) -> dict[str, Any]:
    failed = [one["id"] for one in results if one["status"] == FAIL]
    open_ = [one["id"] for one in results if one["status"] == INCONCLUSIVE]
    lane = "model" if name == OF_RUBRICS else "deterministic"
    if name == OF_RUBRICS:
        failed, open_ = _rubrics(rubrics, rubric)
    elif name == "no_deterministic_fail":
        open_ = []
    elif name == "no_inconclusive":
        failed = []  # missing evidence is no failure of the agent
    state = NOT_MET if failed else OPEN if open_ else MET
    return {"name": name, "state": state, "because": failed or open_, "lane": lane, "means": CONDITIONS[name]}


def _rubrics(wanted: Sequence[str], rubric: Mapping[str, Any] | None) -> tuple[list[str], list[str]]:
    """Return which rubrics failed, and which have no verdict: an ERROR and a missing one are none."""
    found = {one.get("id"): one.get("status") for one in (rubric or {}).get("results", ()) if isinstance(one, Mapping)}
    failed = [ident for ident in wanted if found.get(ident) == FAIL]
    return failed, [ident for ident in wanted if found.get(ident) not in (PASS, FAIL)]


def by_dimension(results: Sequence[Mapping[str, Any]], dimensions: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return how many assertions of each dimension passed, failed and are inconclusive; those of none are `other`."""
    counts = {name: {"pass": 0, "fail": 0, "inconclusive": 0} for name in (*dimensions, "other")}
    for one in results:
        name = one.get("dimension") or "other"
        if name in counts:
            counts[name][one["status"].lower()] += 1
    return {name: count for name, count in counts.items() if any(count.values())}


def exit_code(status: str) -> int:
    """Return 0 for PASS, 1 for FAIL, 2 where there is no verdict."""
    return {PASS: 0, FAIL: 1}.get(status, 2)
