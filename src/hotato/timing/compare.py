"""The same scenarios recorded before and after a change: what is fixed, what regressed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hotato.errors import EvidenceError, Problem
from hotato.timing.claims import SUITE_ID, TOOL
from hotato.timing.config import Config

if TYPE_CHECKING:
    from hotato.timing.suite import Path, Scenario

SCHEMA = "hotato.verify.v1"
FIXED, REGRESSED, SAME, OPEN = "fixed", "regressed", "same", "no_verdict"
Event = Mapping[str, Any]


def compare(
    before_dir: Path,
    after_dir: Path,
    *,
    suite: str = SUITE_ID,
    scenarios_dir: Path | None = None,
    suffix: str | None = None,
    echo_gate: bool = False,
    channels: tuple[int, int] = (0, 1),
    config: Config | None = None,
) -> dict[str, Any]:
    """Return how two sets of recordings of the same scenarios differ, plain JSON.

    `exit_code` is 1 where a recording of after fails, whether it did before or not, else 2 where a scenario has no verdict
    on either side, else 0. Raise UsageError with every recording of either set that cannot be used.
    """
    from hotato.timing.scored import check_installed
    from hotato.timing.suite import folder_of, scenarios

    check_installed()
    found = scenarios(folder_of(suite) if scenarios_dir is None else scenarios_dir)
    before, after = _both(found, (before_dir, after_dir), suffix, channels, config or Config(), echo_gate=echo_gate)
    rows = [_row(old, new) for old, new in zip(before, after, strict=True)]
    counts = {outcome: sum(row["outcome"] == outcome for row in rows) for outcome in (FIXED, REGRESSED, SAME, OPEN)}
    failing = [row["scenario_id"] for row in rows if row["after"]["status"] == "FAIL"]
    return {
        "tool": TOOL,
        "schema": SCHEMA,
        "summary": {"scenarios": len(rows), **counts, "failing_after": len(failing)},
        "scenarios": rows,
        "exit_code": 1 if failing else 2 if counts[OPEN] else 0,
    }


def _both(
    found: Sequence[Scenario],
    folders: tuple[Path, Path],
    suffix: str | None,
    channels: tuple[int, int],
    config: Config,
    *,
    echo_gate: bool,
) -> list[list[Event]]:
    """Return the events of both sets; told together is what is wrong in either."""
    from hotato.timing.suite import scored

    sets: list[list[Event]] = []
    wrong: list[Problem] = []
    for folder in folders:
        try:
            each = scored(found, folder, suffix, channels, config, echo_gate=echo_gate)
            sets.append([one.event for one in each])
        except EvidenceError as error:
            wrong += error.problems
    if wrong:
        raise EvidenceError(wrong)
    return sets


def _row(before: Event, after: Event) -> dict[str, Any]:
    old, new = _side(before), _side(after)
    statuses = (old["status"], new["status"])
    outcome = {("FAIL", "PASS"): FIXED, ("PASS", "FAIL"): REGRESSED}.get(statuses, SAME)
    if "NO_VERDICT" in statuses:
        outcome = OPEN
    return {
        "scenario_id": after["scenario_id"],
        "title": after["title"],
        "expected_yield": after["expected_yield"],
        "outcome": outcome,
        "before": old,
        "after": new,
    }


def _side(event: Event) -> dict[str, Any]:
    if not event["scorable"]:
        return {"status": "NO_VERDICT", "reasons": [event["not_scorable_reason"]]}
    verdict = event["verdict"]
    return {
        "status": "PASS" if verdict["passed"] else "FAIL",
        "seconds_to_yield": verdict["seconds_to_yield"],
        "talk_over_sec": verdict["talk_over_sec"],
        "reasons": verdict["reasons"],
    }
