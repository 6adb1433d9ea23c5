"""Expected values against recorded ones: JSON equality, recursive subsets and `$` matchers.

`true` is not `1`, `1` equals `1.0`, a string never equals a number, null is not missing. A mapping expects its keys and
allows others; a list expects its items, one by one. A mapping whose keys all begin with `$` is a matcher, not a literal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import msgspec

from hotato.match.paths import MISSING, at
from hotato.match.regex import compile_pattern
from hotato.match.text import nfc
from hotato.model import codec

TYPES = ("string", "number", "integer", "boolean", "null", "list", "object")
SAID = ("$spoken", "$phone", "$money", "$date")


class Difference(msgspec.Struct, frozen=True):
    """One place where what was recorded is not what was expected. `cost` says how far off it is, in whole steps."""

    path: str
    expected: Any
    observed: Any
    cost: int = 2

    def shown(self) -> dict[str, Any]:
        """Return the difference as an envelope shows it; a missing value has the type `missing` and no `observed`."""
        out = {"path": self.path, "expected": self.expected, "expected_type": type_name(self.expected)}
        if self.observed is not MISSING:
            out["observed"] = self.observed
        return {**out, "observed_type": type_name(self.observed)}


Test = Callable[[Any], bool]


def type_name(value: Any) -> str:
    """Return the JSON name of a value's type; `matcher` for a `$` matcher, `missing` for what is not there."""
    if value is MISSING:
        return "missing"
    if is_matcher(value):
        return "matcher"
    if value is None:
        return "null"
    kind = type(value)
    if kind is bool:
        return "boolean"
    if kind is int or kind is float:
        return "number"
    return "string" if kind is str else "list" if kind in (list, tuple) else "object"


def is_matcher(value: Any) -> bool:
    """Say whether a value of a document is a mapping of `$` operators."""
    return type(value) is dict and bool(value) and all(type(k) is str and k[:1] == "$" for k in value)


def same(a: Any, b: Any) -> bool:
    """Say whether two JSON values are equal: types count, 1 is 1.0, text is compared in composed Unicode."""
    kind, other = type(a), type(b)
    if kind is str and other is str:
        return a == b or nfc(a) == nfc(b)
    if kind is bool or other is bool or a is None or b is None:
        return a is b
    if kind in (int, float) and other in (int, float):
        return bool(a == b)
    if kind in (list, tuple) and other in (list, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if kind is dict and other is dict:
        return _keys(a) == _keys(b) and all(same(v, _get(b, k)) for k, v in a.items())
    return False


def _keys(value: dict[str, Any]) -> set[str]:
    return {nfc(k) for k in value}


def _get(value: dict[str, Any], key: str) -> Any:
    """Return a value by a key that is equal in composed Unicode."""
    if key in value or key.isascii():
        return value.get(key, MISSING)
    return next((v for k, v in value.items() if nfc(k) == nfc(key)), MISSING)


class _Node:
    """One value of an expectation: its test, and the values inside it where it is a plain mapping or list."""

    __slots__ = ("inside", "test", "want")

    def __init__(self, want: Any) -> None:
        self.want = want
        self.inside: dict[str, _Node] | list[_Node] | None = None
        if is_matcher(want):
            self.test = compile_matcher(want)
        elif type(want) is dict:
            self.inside = {key: _Node(value) for key, value in want.items()}
            self.test = _object_test(self.inside)
        elif type(want) in (list, tuple):
            self.inside = [_Node(value) for value in want]
            self.test = _list_test(self.inside)
        else:
            self.test = _scalar_test(want)


def _object_test(inside: dict[str, _Node]) -> Test:
    tests = [(key, node.test, key.isascii()) for key, node in inside.items()]

    def test(got: Any) -> bool:
        if type(got) is not dict:
            return False
        for key, inner, plain in tests:  # noqa: SIM110  # a loop, since this runs for every recorded call
            if not inner(got.get(key, MISSING) if plain else _get(got, key)):
                return False
        return True

    return test


def _list_test(inside: list[_Node]) -> Test:
    tests = [node.test for node in inside]

    def test(got: Any) -> bool:
        return (
            type(got) in (list, tuple) and len(got) == len(tests) and all(t(g) for t, g in zip(tests, got, strict=True))
        )

    return test


def _scalar_test(want: Any) -> Test:
    if type(want) is str:
        composed = nfc(want)
        return lambda got: got == composed or (type(got) is str and not got.isascii() and nfc(got) == composed)
    if type(want) in (int, float):
        return lambda got: type(got) in (int, float) and got == want
    return lambda got: same(want, got)


class Expected:
    """A compiled expectation: `matches(value)` for the verdict, `differences(value)` for the explanation.

    `dotted` reads the keys of the outermost mapping as dotted paths, for records of a system of record.
    """

    __slots__ = ("_dotted", "_root", "matches")

    def __init__(self, expected: Any, *, dotted: bool = False) -> None:
        self._root = _Node(expected)
        self._dotted = dotted
        self.matches: Test = self._matches_dotted if dotted else self._root.test

    def _matches_dotted(self, value: Any) -> bool:
        inside = self._root.inside
        return type(inside) is dict and all(node.test(at(value, key)) for key, node in inside.items())

    @property
    def written(self) -> str:
        """Return the expectation as JSON text."""
        return codec.encode(self._root.want)

    def differences(self, value: Any) -> list[Difference]:
        """Return every place at which a recorded value is not as expected, in the order of the expectation."""
        inside = self._root.inside
        if self._dotted and type(inside) is dict:
            return [d for key, node in inside.items() for d in _differ(node, at(value, key), key)]
        return list(_differ(self._root, value, ""))


def _differ(node: _Node, got: Any, path: str) -> Iterator[Difference]:
    if node.test(got):
        return
    inside = node.inside
    if type(inside) is dict and type(got) is dict:
        for key, inner in inside.items():
            yield from _differ(inner, _get(got, key), f"{path}.{key}" if path else key)
    elif type(inside) is list and type(got) is list and len(inside) == len(got):
        for place, (inner, other) in enumerate(zip(inside, got, strict=True)):
            yield from _differ(inner, other, f"{path}[{place}]")
    else:
        yield Difference(path, node.want, got, _cost(node.want, got) * _leaves(node.want))


def _cost(want: Any, got: Any) -> int:
    if got is MISSING:
        return 4
    return 2 if is_matcher(want) or type_name(want) == type_name(got) else 3


def _leaves(want: Any) -> int:
    if type(want) is dict and not is_matcher(want):
        return sum(map(_leaves, want.values())) or 1
    return (sum(map(_leaves, want)) or 1) if type(want) is list else 1


def compile_matcher(matcher: dict[str, Any]) -> Test:
    """Compile a checked `$` matcher; all its operators must hold. What is missing meets only `$exists: false`."""
    tests = [_OPERATORS[key](value) for key, value in matcher.items()]
    return tests[0] if len(tests) == 1 else lambda got: all(test(got) for test in tests)


def _compare(holds: Callable[[Any, Any], bool]) -> Callable[[Any], Test]:
    def operator(limit: Any) -> Test:
        def test(got: Any) -> bool:
            if type(limit) is str:
                return type(got) is str and holds(nfc(got), nfc(limit))
            return type(got) in (int, float) and holds(got, limit)

        return test

    return operator


def _regex(source: str) -> Test:
    search = compile_pattern(source, case_sensitive=True, speech=False).search
    return lambda got: type(got) is str and search(nfc(got)) is not None


def _one_of(wanted: list[Any]) -> Test:
    options = [Expected(w) for w in wanted]
    return lambda got: any(option.matches(got) for option in options)


def _none_of(wanted: list[Any]) -> Test:
    inside = _one_of(wanted)
    return lambda got: got is not MISSING and not inside(got)


def _type(names: Any) -> Test:
    wanted = [names] if type(names) is str else names

    def test(got: Any) -> bool:
        if got is MISSING:
            return False
        found = type_name(got) if type(got) is not dict else "object"
        return found in wanted or ("integer" in wanted and found == "number" and got == got // 1)

    return test


def _all_of(wanted: list[Any]) -> Test:
    options = [Expected(w) for w in wanted]
    return lambda got: all(option.matches(got) for option in options)


def _contains(wanted: Any) -> Test:
    inner = Expected(wanted)

    def test(got: Any) -> bool:
        if type(got) is str:
            return type(wanted) is str and nfc(wanted) in nfc(got)
        return type(got) is list and any(inner.matches(item) for item in got)

    return test


def _length(wanted: Any) -> Test:
    inner = Expected(wanted)
    return lambda got: type(got) in (str, list, dict) and inner.matches(len(got))


def _approx(wanted: dict[str, Any]) -> Test:
    value, spread = wanted["value"], wanted.get("abs", 0)
    spread = max(spread, abs(value) * wanted["rel"]) if "rel" in wanted else spread
    slack = 1e-12 * max(abs(value), abs(spread))

    def test(got: Any) -> bool:
        try:
            return type(got) in (int, float) and abs(got - value) <= spread + slack
        except OverflowError:  # an integer too large for a float is not near one
            return False

    return test


def _said(key: str, wanted: Any) -> Test:
    from hotato.match.said import said_test  # the readers of speech are many, and most documents need none

    return said_test(key, wanted)


def _not(wanted: Any) -> Test:
    inner = Expected(wanted)
    return lambda got: got is not MISSING and not inner.matches(got)


_OPERATORS: dict[str, Callable[[Any], Test]] = {
    "$eq": lambda wanted: lambda got: got is not MISSING and same(wanted, got),
    "$ne": lambda wanted: lambda got: got is not MISSING and not same(wanted, got),
    "$gt": _compare(lambda got, limit: bool(got > limit)),
    "$gte": _compare(lambda got, limit: bool(got >= limit)),
    "$lt": _compare(lambda got, limit: bool(got < limit)),
    "$lte": _compare(lambda got, limit: bool(got <= limit)),
    "$in": _one_of,
    "$nin": _none_of,
    "$regex": _regex,
    "$exists": lambda wanted: lambda got: (got is not MISSING) is wanted,
    "$type": _type,
    "$any_of": _one_of,
    "$all_of": _all_of,
    "$not": _not,
    "$contains": _contains,
    "$len": _length,
    "$approx": _approx,
    "$ci": lambda wanted: lambda got: type(got) is str and nfc(got).casefold() == nfc(wanted).casefold(),
    **{key: partial(_said, key) for key in SAID},
}
OPERATORS = tuple(_OPERATORS)
