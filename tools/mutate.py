"""Damage to files, where their structure is: JSON values, lines of text, and bytes."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from typing import Any

import msgspec

Way = tuple[str | int, ...]
Change = Callable[[Any, random.Random, list[Any]], Any]

ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 1.5, -0.0, 1e308, 1e-300, 10**30, -(10**30), 2**63, 2**53 + 1, float("nan"), float("inf"),
    "", " ", "x", "0", "00", "-1", "1e9", "NaN", "null", "true", "PT", "PT1S", "1_0", "1970-01-01T00:00:00Z", "9999-99-99T99:99:99Z",
    "0001-01-01T00:00:00+14:00", "\x00", "\udc80", "\ufeff", "\u2028", "-->", "agent", "user", "{", "[1", '{"a": 1}', "{'a': (1,)}",
    '"\\"x\\""', "...", "AAAA", "=", "ffff", "x" * 5000, [], {}, [[]], [None], [{}], [0], {"": None}, {"a": {}}, {"value": []},
)  # fmt: skip
PIECES = (
    "\n", "\r", "\r\n", "\n\n", "\t", "\x00", "\ufeff", "\u2028", "-->", " --> ", "00:00:01,000", "00:01.000", "99:99:99.999", "-1",
    "<v", "<v A>", "</v>", "<", ">", ">>", "- ", "[", "]: ", "[[A]]", "Agent: ", "1", "1.5", "NOTE", "STYLE", "WEBVTT", "&amp;", "&#0;",
    "x" * 300, "{", "}", "[]", '"', ",", ":", "\\", "\\u0000", "\\ud800", "null", "NaN", "1e999",
)  # fmt: skip
DEEP, MANY = (3, 30, 70, 2000), (3, 50, 400)
MOST_NAMES = 400


class Seed(msgspec.Struct, frozen=True):
    """A file to begin with: its bytes, or its JSON values and how they stand in it (as `Content.shape` says)."""

    raw: bytes
    values: list[Any] = msgspec.field(default_factory=list)
    shape: str = "text"


def damaged(seeds: list[Seed], chance: random.Random) -> bytes:
    """Return the bytes of one of the files with one to four damages."""
    seed = chance.choice(seeds)
    if seed.values:
        values: Any = seed.values
        donors = chance.choice(seeds).values or seed.values
        for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4))):
            way = _somewhere(values, chance)
            values = _with(values, way, chance.choice(CHANGES), chance, donors)
        raw = _written(values, seed.shape, chance)
    else:
        raw = seed.raw
    if not seed.values or chance.random() < 0.05:
        for _ in range(chance.choice((1, 1, 2, 3))):
            raw = _rewritten(raw, chance)
    return _packed(raw, chance) if chance.random() < 0.1 else raw


def _somewhere(value: Any, chance: random.Random) -> Way:
    """Return the way to a place that is not the whole: the deeper a branch, the likelier it is followed to its end."""
    way: list[str | int] = []
    while isinstance(value, (dict, list)) and value and (len(way) < 1 or chance.random() < 0.85):
        key: Any = chance.choice(list(value)) if isinstance(value, dict) else chance.randrange(len(value))
        way.append(key)
        value = value[key]
    return tuple(way)


def _with(value: Any, way: Way, change: Change, chance: random.Random, donors: list[Any]) -> Any:
    """Return a value with a change at a place; what holds the place is copied, everything else shared."""
    if not way:
        return change(value, chance, donors)
    key = way[0]
    if isinstance(value, dict) and len(way) == 1 and chance.random() < 0.3:
        return _keys_changed(value, str(key), chance, donors)
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    if len(way) == 1 and chance.random() < 0.2:
        del copy[key]
        return copy
    copy[key] = _with(copy[key], way[1:], change, chance, donors)
    return copy


def _keys_changed(value: dict[str, Any], key: str, chance: random.Random, donors: list[Any]) -> dict[str, Any]:
    """Return a mapping in which a key has another name, or a key of another mapping stands besides."""
    names: list[str] = []
    _collect(donors, names)
    name = chance.choice([*names, key.upper(), f"{key}s", "type", "id", ""])
    if chance.random() < 0.5:
        return {**value, name: value[key]}
    return {(name if one == key else one): item for one, item in value.items()}


def _collect(value: Any, names: list[str]) -> None:
    left = [value]
    while left and len(names) < MOST_NAMES:
        one = left.pop()
        if isinstance(one, dict):
            names += one
            left += one.values()
        elif isinstance(one, list):
            left += one[:20]


def _odd(value: Any, chance: random.Random, donors: list[Any]) -> Any:  # noqa: ARG001  # all changes are called alike
    return chance.choice(ODD)


def _lent(value: Any, chance: random.Random, donors: list[Any]) -> Any:  # noqa: ARG001
    found: Any = donors
    for key in _somewhere(donors, chance):
        found = found[key]
    return found


def _as_text(value: Any, chance: random.Random, donors: list[Any]) -> Any:  # noqa: ARG001
    """Return a value in JSON, or a text as the value that it writes."""
    if not isinstance(value, str):
        try:
            return json.dumps(value) if chance.random() < 0.7 else repr(value)
        except RecursionError:
            return "[" * 3000
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value[: chance.randint(0, len(value))] + chance.choice(PIECES)


def _nested(value: Any, chance: random.Random, donors: list[Any]) -> Any:  # noqa: ARG001
    for _ in range(chance.choice(DEEP) if chance.random() < 0.3 else 1):
        value = [value] if chance.random() < 0.5 else {chance.choice(("value", "content", "a")): value}
    return value


def _reordered(value: Any, chance: random.Random, donors: list[Any]) -> Any:  # noqa: ARG001
    """Return a list or mapping in another order or with its parts several times, a number that is a little off."""
    if isinstance(value, list) and value:
        if chance.random() < 0.5:
            return value * chance.choice(MANY if len(value) < 20 else MANY[:1])
        return chance.sample(value, len(value))
    if isinstance(value, dict):
        return {key: value[key] for key in chance.sample(list(value), len(value))}
    if type(value) in (int, float):
        return chance.choice(
            (
                -value,
                value + 1,
                value * 1000,
                value / 1000 if abs(value) < 1e300 else 0,
                float(value) if abs(value) < 1e300 else 0,
            )
        )
    return value


CHANGES: tuple[Change, ...] = (_odd, _odd, _odd, _lent, _lent, _as_text, _nested, _reordered)


def _written(values: Any, shape: str, chance: random.Random) -> bytes:
    """Return the bytes of JSON values as they stood in their file, or now and then in another way."""
    if chance.random() < 0.05:
        shape = chance.choice(("document", "lines", "concatenated", "list"))
    if not isinstance(values, list):
        values = [values]
    try:
        if shape == "list":
            return json.dumps(values).encode()
        if shape == "concatenated":
            return "\n".join(json.dumps(value, indent=1) for value in values).encode()
        if shape == "document" and len(values) == 1:
            return json.dumps(values[0]).encode()
        return "".join(json.dumps(value) + "\n" for value in values).encode()
    except RecursionError:
        return b"[" * 3000 + b"]" * 3000


def _rewritten(raw: bytes, chance: random.Random) -> bytes:
    """Return bytes with a piece cut out, put in or overwritten."""
    place = chance.randint(0, len(raw))
    length = chance.choice((0, 0, 1, 4, 12, 200))
    action = chance.randrange(4)
    if action == 0:
        return raw[:place]
    if action == 1:
        return raw[:place] + bytes([chance.randrange(256)]) + raw[place + 1 :]
    if action == 2:
        other = chance.randint(0, len(raw))
        return raw[:place] + raw[other : other + chance.choice((10, 100, 1000))] + raw[place + length :]
    return raw[:place] + chance.choice(PIECES).encode("utf-8", "surrogatepass") + raw[place + length :]


def _packed(raw: bytes, chance: random.Random) -> bytes:
    """Return bytes in another container, which may be damaged itself."""
    action = chance.randrange(6)
    if action == 0:
        return gzip.compress(raw, 1, mtime=0)
    if action == 1:
        return _rewritten(gzip.compress(raw, 1, mtime=0), chance)
    if action == 2:
        return b"\xef\xbb\xbf" + raw
    if action == 3:
        return raw.decode("utf-8", "replace").encode("utf-16", "replace")
    if action == 4:
        return raw + raw
    return raw.replace(b"\n", b"\r\n")
