"""Confining reads to folders: for servers that read what somebody else names.

A document names rule packs and a state config names files, so it is not enough to look at the names that a server is
handed. While reading is confined, every file that is opened through `files` lies in one of the folders once symbolic
links are followed, or it is refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_folders: ContextVar[tuple[str, ...] | None] = ContextVar("hotato_confined", default=None)


@contextmanager
def reading_within(*folders: str) -> Iterator[None]:
    """Refuse, for a while and in this thread, to read what lies outside of some folders."""
    token = _folders.set(tuple(map(os.path.realpath, folders)))
    try:
        yield
    finally:
        _folders.reset(token)


def confined(path: str) -> str:
    """Return the path to open for a path: as it is, or where it leads while reading is confined; empty if outside."""
    folders = _folders.get()
    if folders is None:
        return path
    real = os.path.realpath(path)
    return real if any(is_within(real, folder) for folder in folders) else ""


def is_within(real: str, folder: str) -> bool:
    """Say whether a path is a folder or lies in it; symbolic links have been followed in both."""
    place, top = os.path.normcase(real), os.path.normcase(folder)
    return place == top or place.startswith(top.rstrip(os.sep) + os.sep)
