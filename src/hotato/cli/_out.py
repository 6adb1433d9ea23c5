"""Writing to standard output and standard error: whole texts, UTF-8, and no surprise when nobody reads or nothing fits."""

from __future__ import annotations

import contextlib
import os
import sys

NARROW = 72  # columns that a table needs


class OutputError(Exception):
    """Standard output took not all of what was written."""


def emit(text: str) -> None:
    """Write a text to standard output and flush it. Raise BrokenPipeError where the reader has gone, else OutputError.

    A pipe or a file gets UTF-8 whatever the locale; a terminal gets its own encoding. What cannot be encoded is escaped.
    """
    stream = sys.stdout
    if stream is None:
        raise OutputError("standard output is closed")
    try:
        if hasattr(stream, "buffer"):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.flush()
            stream.buffer.write(text.encode(encoding, "backslashreplace"))
            stream.buffer.flush()
        else:
            stream.write(text)
            stream.flush()
    except BrokenPipeError:
        _mute()
        raise
    except OSError as cause:
        _mute()
        raise OutputError(f"standard output: {(cause.strerror or 'cannot be written').lower()}") from None


def finish(text: str, code: int) -> int:
    """Write a verdict's text and return its exit code, which stands even where the reader has gone."""
    with contextlib.suppress(BrokenPipeError):
        emit(text)
    return code


def complain(text: str) -> None:
    """Write a text to standard error, if anybody listens."""
    with contextlib.suppress(AttributeError, OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()


def _mute() -> None:
    """Point standard output nowhere: what is left in its buffer would fail once more when the process ends."""
    with contextlib.suppress(OSError, ValueError):
        descriptor = os.open(os.devnull, os.O_WRONLY)
        os.dup2(descriptor, sys.stdout.fileno())
        os.close(descriptor)


def is_fancy() -> bool:
    """Say whether standard output is a terminal on which a table with colours can be shown.

    `NO_COLOR` (https://no-color.org) and `TERM=dumb` ask for plain text; on a narrow terminal a table cannot be read.
    """
    stream = sys.stdout
    if stream is None or not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") in ("dumb", ""):
        return False
    if 0 < columns() < NARROW:
        return False
    return (stream.encoding or "").lower().replace("-", "") == "utf8"


def columns() -> int:
    """Return how many columns the terminal has that standard output is, by `COLUMNS` where that is set; without one 0."""
    try:
        if not sys.stdout.isatty():
            return 0
        told = os.environ.get("COLUMNS", "")
        return int(told) if told.isdecimal() else os.get_terminal_size(sys.stdout.fileno()).columns
    except (AttributeError, OSError, ValueError):
        return 0
