"""How far a judge agrees with people: counts, rates with intervals, and Cohen's kappa. Pure arithmetic."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import Any

from hotato.rubric.says import FAIL, PASS, STATUSES

LABELS = (PASS, FAIL)
_Z = 1.959963984540054  # 95 % of a normal distribution lie within so many standard deviations
_DIGITS = 6


def measures(pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return what pairs of a person's label (PASS, FAIL) and a judge's status come to.

    - `counts`: label -> status -> how many; everything else follows from these.
    - `agreement`: agreeing of all labeled; an INCONCLUSIVE or an ERROR agrees with nobody.
    - `coverage`: how many of all labeled the judge decided. `selective_accuracy`: agreeing of the decided, with the
      Wilson interval at 95 %.
    - `false_pass`, `false_fail`: the decided that a person labels the other way.
    - `kappa`: Cohen's kappa of the decided; None where chance alone would agree always. Its interval is Wilson's of the
      agreement, carried over with the agreement of chance as observed.
    """
    counts = {label: dict.fromkeys(STATUSES, 0) for label in LABELS}
    for label, status in pairs:
        counts[label][status] += 1
    labeled = sum(sum(row.values()) for row in counts.values())
    decided = sum(counts[label][status] for label in LABELS for status in LABELS)
    agreed = sum(counts[label][label] for label in LABELS)
    return {
        "labeled": labeled,
        "decided": decided,
        "agreed": agreed,
        "counts": counts,
        "false_pass": counts[FAIL][PASS],
        "false_fail": counts[PASS][FAIL],
        "agreement": _rate(agreed, labeled),
        "coverage": _rate(decided, labeled),
        "selective_accuracy": _with_interval(agreed, decided),
        "kappa": kappa(counts[PASS][PASS], counts[PASS][FAIL], counts[FAIL][PASS], counts[FAIL][FAIL]),
    }


def kappa(both_pass: int, pass_fail: int, fail_pass: int, both_fail: int) -> dict[str, float] | None:
    """Return Cohen's kappa of two raters with its interval at 95 %; None where it is not defined."""
    n = both_pass + pass_fail + fail_pass + both_fail
    if not n:
        return None
    by_chance = (both_pass + pass_fail) * (both_pass + fail_pass) + (fail_pass + both_fail) * (pass_fail + both_fail)
    if by_chance == n * n:
        return None
    expected = by_chance / (n * n)
    low, high = wilson(both_pass + both_fail, n)

    def beyond_chance(agreement: float) -> float:
        return round((agreement - expected) / (1 - expected), _DIGITS)

    value = beyond_chance((both_pass + both_fail) / n)
    return {"value": value, "low": beyond_chance(low), "high": beyond_chance(high)}


def wilson(count: int, of: int) -> tuple[float, float]:
    """Return Wilson's interval at 95 % of a share; `of` is at least 1."""
    share, z2 = count / of, _Z * _Z
    middle = share + z2 / (2 * of)
    half = _Z * sqrt(share * (1 - share) / of + z2 / (4 * of * of))
    low, high = (middle - half) / (1 + z2 / of), (middle + half) / (1 + z2 / of)
    return 0.0 if count == 0 else low, 1.0 if count == of else high


def _rate(count: int, of: int) -> float | None:
    return round(count / of, _DIGITS) if of else None


def _with_interval(count: int, of: int) -> dict[str, float] | None:
    if not of:
        return None
    low, high = wilson(count, of)
    return {"value": round(count / of, _DIGITS), "low": round(low, _DIGITS), "high": round(high, _DIGITS)}
