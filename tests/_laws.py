"""What the files of laws share: how many examples, and values that are hard to write down."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st


def law(examples: int) -> settings:
    quiet = [HealthCheck.too_slow, HealthCheck.filter_too_much]
    return settings(max_examples=examples, derandomize=True, deadline=None, database=None, suppress_health_check=quiet)


TRICKY = st.sampled_from(
    ["no", "yes", "on", "~", "null", "true", "1", "1.0", "1_000", "0x1f", "1e3", "12:30", "2026-01-05", "", " a ", "- b",
     "#c", "a: b", "'", '"', "\\b", "%", "@", "&x", "*x", "!y", "|", ">", "?", "{", "]", ",", "=", "<<", ".inf", ".nan", "a\nb",
     "a\n", "\ta", "e\u0301", "\u2028", "\xa0", "\U0001f600", "\ufeff", "\x7f", "x" * 90 + " " + "y" * 90]
)  # fmt: skip
TEXTS = TRICKY | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=6)
NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    TEXTS | NUMBERS | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


def plain(value: Any) -> bool:
    """Say whether a value holds no key that begins like a matcher, and no two keys that mean the same."""
    if isinstance(value, dict):
        return not any(key.startswith("$") for key in value) and all(map(plain, value.values()))
    return not isinstance(value, list) or all(map(plain, value))
