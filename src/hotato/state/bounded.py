"""A piece of work with an end: what takes longer is given up."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from hotato.errors import StateAdapterError

_T = TypeVar("_T")


class TookTooLongError(StateAdapterError):
    """Work that was given up. It may still run, in a thread that ends with the process."""


def within(seconds: float, work: Callable[[], _T], what: str) -> _T:
    """Return what the work returns, or raise what it raises. Raise TookTooLongError after so many seconds.

    For work that offers no bound of its own, such as looking up a name; `what` is told.
    """
    answers: list[_T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            answers.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(max(0.0, seconds))
    if answers:
        return answers[0]
    if errors:
        raise errors[0]
    raise TookTooLongError(f"{what} took longer than allowed")
