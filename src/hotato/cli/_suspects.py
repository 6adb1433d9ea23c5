"""Expected values and names that a document may hold and that can hardly be meant: slips that no type forbids."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Where = tuple[str | int, ...]
Suspect = tuple[str, Where, str, str]  # code, the way into the assertion, message, guess
# names of matchers that are hardly names of fields; `type`, `in` or `contains` may well be one
_PLAIN = frozenset({"gt", "gte", "lt", "lte", "eq", "ne", "nin", "any_of", "all_of", "regex", "exists", "approx"})
_NAMES = frozenset({"name", "tool", "tool_called", "until", "resource", "span_type", "handoff", "require_order"})
_EXPECTED = frozenset(
    {"args_subset", "result_subset", "response_subset", "expect", "filters", "reference", "from", "to"}
)
_LEAST, _MOST = ("$gte", "$gt"), ("$lte", "$lt")


def suspects(value: Any, where: Where = ()) -> Iterator[Suspect]:
    """Yield what stands in the fields of an assertion, which are in hand as plain values, and can hardly be meant."""
    if type(value) is dict:
        yield from _mapping(value, where)
        for key, inner in value.items():
            yield from suspects(inner, (*where, key))
    elif type(value) in (list, tuple):
        for place, inner in enumerate(value):
            yield from suspects(inner, (*where, place))
    elif type(value) is str and value != value.strip() and _NAMES.intersection(where) and _EXPECTED.isdisjoint(where):
        yield "blank_edge", where, f"the blank at the edge of '{value}' is part of the name", value.strip()


def _mapping(value: dict[Any, Any], where: Where) -> Iterator[Suspect]:
    if where and value and _PLAIN.issuperset(value):
        key = next(iter(value))
        yield "plain_matcher", (*where, key), f"'{key}' is a field of that name here, not a matcher", f"${key}"
    least, most = (next((name for name in names if name in value), "") for names in (_LEAST, _MOST))
    if least and most and _is_empty(value, least, most):
        said = f"no value meets both {least} and {most}"
        yield "matches_no_value", (*where, most), said, ""


def _is_empty(value: dict[Any, Any], least: str, most: str) -> bool:
    low, high = value[least], value[most]
    if isinstance(low, str) != isinstance(high, str):  # a string is beside strings alone
        return True
    return bool(low > high or (low == high and (least, most) != ("$gte", "$lte")))
