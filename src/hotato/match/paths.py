"""Dotted paths into plain data: `customer.address.0.city`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Missing:
    """The value of what is not there; distinct from null."""

    def __repr__(self) -> str:
        """Return the word that a reader sees."""
        return "missing"


MISSING = Missing()


def at(value: Any, path: str) -> Any:
    """Return the value at a dotted path, MISSING where there is none. A key that itself holds dots is found first."""
    mapping = type(value) is dict or isinstance(value, Mapping)
    if mapping and path in value:
        return value[path]
    head, dot, rest = path.partition(".")
    step: Any = MISSING
    if mapping:
        step = value.get(head, MISSING)
    elif type(value) is list and head.isascii() and head.isdigit() and int(head) < len(value):
        step = value[int(head)]
    return at(step, rest) if dot and step is not MISSING else step


def in_timing(timing: Mapping[str, Any], path: str) -> list[Any]:
    """Return all values at a dotted path of a timing envelope; a path that it does not have is read from its events."""
    return every(timing, path) or every(timing.get("events", []), path)


def every(value: Any, path: str) -> list[Any]:
    """Return all values at a dotted path, in order; a list on the way that is not indexed stands for each of its items."""
    head, dot, rest = path.partition(".")
    if isinstance(value, Mapping):
        found = [value[path]] if path in value else []
        if not found and head in value:
            found = every(value[head], rest) if dot else [value[head]]
        return found
    if type(value) is list:
        if head.isascii() and head.isdigit():
            inside = value[int(head)] if int(head) < len(value) else MISSING
            return [] if inside is MISSING else (every(inside, rest) if dot else [inside])
        return [one for item in value for one in every(item, path)]
    return []
