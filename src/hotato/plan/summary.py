"""Results to counts, counts to an exit code, and the envelope around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hotato.model.verdict import FAIL, INCONCLUSIVE, PASS

SCHEMA = "assert.v1"


def envelope(
    results: Sequence[dict[str, Any]], policy: str, evidence: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the envelope of a run's results under an inconclusive policy (`report`, `fail` or `refuse`).

    `evidence` says what was found in each source of the call and what was lost; it is left out where there is none.
    """
    statuses = [result["status"] for result in results]
    passed, failed, open_ = (statuses.count(status) for status in (PASS, FAIL, INCONCLUSIVE))
    note = (
        f"inconclusive_policy {policy}: {passed} pass, {failed} fail, {open_} inconclusive (deterministic); "
        "0 judge-scored assertions ran"
    )
    return {
        "schema": SCHEMA,
        "exit_code": exit_code(failed, open_, policy),
        "inconclusive_policy": policy,
        "results": list(results),
        "summary": {
            "deterministic": {"pass": passed, "fail": failed, "inconclusive": open_},
            "judge": {"pass": 0, "fail": 0},
            "note": note,
        },
        **({"evidence": dict(evidence)} if evidence else {}),
    }


def exit_code(failed: int, inconclusive: int, policy: str) -> int:
    """Return 0, 1 or 2. Under `refuse` an INCONCLUSIVE gives 2 even beside a FAIL."""
    if policy == "refuse" and inconclusive:
        return 2
    return 1 if failed or (policy == "fail" and inconclusive) else 0
