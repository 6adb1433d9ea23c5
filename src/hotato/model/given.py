"""What a caller hands in, looked at before anything is judged by it: a value of another type is refused in words.

`name` is what the argument is called, `what` says what it has to be. Of a value that is refused only its type is told.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from hotato.errors import Problem, UsageError

T = TypeVar("T")


def typed(
    types: type[T] | tuple[type[T], ...], value: Any, name: str, what: str, error: type[UsageError] = UsageError
) -> T:
    """Return a value of one of these types. Raise `error`."""
    if isinstance(value, types):
        return value
    raise refused(value, name, what, error)


def flag(value: Any, name: str) -> bool:
    """Return True or False. Raise UsageError, for a text as well: "no" would count as yes."""
    return typed(bool, value, name, "True or False")


def path(value: Any, name: str, error: type[UsageError] = UsageError) -> str:
    """Return a path as text. Raise `error`, also for a number, which would name an open file, and for bytes."""
    if type(value) is not str and hasattr(type(value), "__fspath__"):
        value = value.__fspath__()
    return typed(str, value, name, "a path: text, or an object such as those of pathlib", error)


def names(value: Any, name: str, error: type[UsageError] = UsageError) -> tuple[str, ...]:
    """Return a list of names as a tuple. Raise `error`, for a single text as well: each letter of it would be a name."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise refused(value, name, "a list of names", error)
    return tuple(typed(str, one, name, "a list of names", error) for one in value)


def kind_of(value: Any) -> str:
    """Return the name of a value's type, with its module where it is none of Python's own."""
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def refused(value: Any, name: str, what: str, error: type[UsageError] = UsageError) -> UsageError:
    """Return the refusal of a value that is not what it has to be."""
    said = f"must be {what}; an object of type {kind_of(value)} was given"
    return error(Problem(code="value", file=name, message=said))
