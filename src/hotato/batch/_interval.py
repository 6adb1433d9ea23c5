"""The exact interval of a rate: what the rate of all calls may be, given those that were judged."""

from __future__ import annotations

import math

CONFIDENCE = 0.95


def interval(passed: int, of: int) -> tuple[float, float]:
    """Return the two-sided exact interval (Clopper and Pearson, 95 %) of a rate; (0, 1) where nothing was judged."""
    tail = (1 - CONFIDENCE) / 2
    low = 0.0 if passed == 0 else _quantile(tail, passed, of - passed + 1)
    high = 1.0 if passed == of else _quantile(1 - tail, passed + 1, of - passed)
    return low, high


def _quantile(wanted: float, a: float, b: float) -> float:
    """Return where the distribution function of Beta(a, b) reaches a value."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _beta(middle, a, b) < wanted:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function, by its continued fraction (Lentz's method)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta(1 - x, b, a)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    tiny = 1e-300
    c, d = 1.0, 1 / _far(1 - (a + b) * x / (a + 1), tiny)
    total = d
    for m in range(1, 100_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1 / _far(1 + even * d, tiny), _far(1 + even / c, tiny)
        total *= d * c
        d, c = 1 / _far(1 + odd * d, tiny), _far(1 + odd / c, tiny)
        step = d * c
        total *= step
        if abs(step - 1) < 1e-14:
            break
    return math.exp(front) * total / a


def _far(value: float, least: float) -> float:
    return value if abs(value) > least else least
