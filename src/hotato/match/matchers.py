"""Expected values as a document writes them: everything that is wrong with the `$` matchers inside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hotato.match.regex import regex_fault
from hotato.match.values import OPERATORS, SAID, TYPES, is_matcher
from hotato.model import codec
from hotato.model.fault import Fault


def value_faults(expected: Any, where: tuple[str | int, ...] = ()) -> Iterator[Fault]:
    """Yield all that is wrong with the matchers inside an expected value."""
    if type(expected) is list:
        for place, value in enumerate(expected):
            yield from value_faults(value, (*where, place))
    elif type(expected) is dict:
        dollars = [k for k in expected if type(k) is str and k.startswith("$")]
        if dollars and len(dollars) < len(expected):
            yield Fault(
                (*where, dollars[0]), "matcher_mixed", f"{dollars[0]} beside plain keys; a matcher holds only $ keys"
            )
            return
        for key, value in expected.items():
            if dollars:
                yield from _operator_faults(key, value, (*where, key))
            else:
                yield from value_faults(value, (*where, key))


def _operator_faults(key: str, value: Any, where: tuple[str | int, ...]) -> Iterator[Fault]:
    def fault(message: str) -> Fault:
        return Fault(where, "matcher_value", f"{key} {message}")

    if key not in OPERATORS:
        yield Fault(where, "matcher_unknown", f"unknown matcher {key}", found=key, allowed=OPERATORS)
    elif key in ("$gt", "$gte", "$lt", "$lte") and type(value) not in (int, float, str):
        yield fault("takes a number or a string")
    elif key in ("$in", "$nin", "$any_of", "$all_of") and (type(value) is not list or not value):
        yield fault("takes a list with at least one item")
    elif key == "$regex":
        said = regex_fault(value) if type(value) is str else "takes a regex"
        if said:
            yield Fault(where, "regex", said if type(value) is str else f"{key} {said}")
    elif key == "$exists" and type(value) is not bool:
        yield fault("takes true or false")
    elif key == "$type" and not all(n in TYPES for n in (value if type(value) is list and value else [value])):
        yield fault(f"takes one of {', '.join(TYPES)}, or a list of them")
    elif key == "$approx" and not _is_approx(value):
        yield fault("takes {value: NUMBER, abs: NUMBER} or {value: NUMBER, rel: NUMBER}")
    elif key == "$ci" and type(value) is not str:
        yield fault("takes a string")
    elif key in SAID:
        from hotato.match.said import said_faults  # as for its tests

        yield from said_faults(key, value, where)
    elif key == "$len" and not (type(value) is int and value >= 0) and not is_matcher(value):
        yield fault("takes a whole number or a matcher")
    else:
        yield from value_faults(value, where)


def _is_approx(value: Any) -> bool:
    return (
        type(value) is dict
        and "value" in value
        and len(value) == 2
        and ("abs" in value or "rel" in value)
        and all(type(v) in (int, float) and abs(v) <= codec.LARGEST for v in value.values())
        and not any(value.get(name, 0) < 0 for name in ("abs", "rel"))
    )
