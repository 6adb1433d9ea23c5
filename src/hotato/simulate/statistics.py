"""What many runs say of a rate: intervals, pass@k and pass^k, and whether two versions differ. Numbers only, no verdict."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, comb, sqrt

Z = 1.959963984540054  # of the normal distribution, for 95 %, two-sided


def wilson(passed: int, of: int) -> tuple[float, float]:
    """Return the 95 % score interval of a rate; (0, 1) where there is nothing to judge by.

    Source: E. B. Wilson, Probable Inference, the Law of Succession, and Statistical Inference, JASA 22 (1927).
    """
    if of == 0:
        return 0.0, 1.0
    square = Z * Z
    middle = passed + square / 2
    half = Z * sqrt(passed * (of - passed) / of + square / 4)
    low, high = (middle - half) / (of + square), (middle + half) / (of + square)
    return (0.0 if passed == 0 else low), (1.0 if passed == of else high)


def needed(rate: float) -> int:
    """Return how many runs, all of which pass, it takes for the lower bound of `wilson` to reach a rate below 1."""
    return ceil(rate * Z * Z / (1 - rate) - 1e-9)


def pass_at(k: int, passed: int, of: int) -> float | None:
    """Return pass@k, the chance that at least one of k runs passes; None where there are fewer than k.

    The unbiased estimate 1 - C(of - passed, k) / C(of, k): M. Chen et al., Evaluating Large Language Models Trained on
    Code (2021), arXiv:2107.03374.
    """
    return None if k > of else float(1 - Fraction(comb(of - passed, k), comb(of, k)))


def pass_all(k: int, passed: int, of: int) -> float | None:
    """Return pass^k, the chance that all of k runs pass; None where there are fewer than k.

    The unbiased estimate C(passed, k) / C(of, k): S. Yao et al., tau-bench: A Benchmark for Tool-Agent-User Interaction
    in Real-World Domains (2024), arXiv:2406.12045.
    """
    return None if k > of else float(Fraction(comb(passed, k), comb(of, k)))


def pass_at_interval(k: int, passed: int, of: int) -> tuple[float, float]:
    """Return what pass@k may be: the interval of the rate p, as 1 - (1 - p)^k, widened to hold the estimate."""
    low, high = wilson(passed, of)
    return _holding(1 - (1 - low) ** k, 1 - (1 - high) ** k, pass_at(k, passed, of))


def pass_all_interval(k: int, passed: int, of: int) -> tuple[float, float]:
    """Return what pass^k may be: the interval of the rate p, as p^k, widened to hold the estimate."""
    low, high = wilson(passed, of)
    return _holding(low**k, high**k, pass_all(k, passed, of))


def paired(broken: int, fixed: int) -> tuple[float, float]:
    """Return the exact chance of so many pairs that changed for the worse, or more, were both directions as likely.

    The first number is one-sided (worse), the second two-sided (different). Pairs that did not change say nothing.
    Source: Q. McNemar, Note on the Sampling Error of the Difference between Correlated Proportions, Psychometrika 12
    (1947), with the exact binomial distribution.
    """
    of = broken + fixed
    whole = 1 << of
    worse = Fraction(sum(comb(of, count) for count in range(broken, of + 1)), whole)
    tail = Fraction(sum(comb(of, count) for count in range(max(broken, fixed), of + 1)), whole)
    return float(worse), float(min(Fraction(1), 2 * tail))


def _holding(low: float, high: float, estimate: float | None) -> tuple[float, float]:
    return (low, high) if estimate is None else (min(low, estimate), max(high, estimate))
