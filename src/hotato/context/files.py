"""Reading a file that a user named: only a regular file, only so large, only UTF-8; `-` is standard input."""

from __future__ import annotations

import os
import stat
import sys
from typing import IO

from hotato.errors import Problem, UsageError

MOST_BYTES = 64 * 1024 * 1024
MOST_CONFIG = 16 * 1024 * 1024


def read_bytes(path: str | os.PathLike[str], *, most: int = MOST_BYTES, error: type[UsageError] = UsageError) -> bytes:
    """Return a file's bytes. Raise `error` (a UsageError), never block on a pipe. `most` is the largest size in bytes."""
    name = os.fspath(path)
    try:
        raw = _stdin(most) if name == "-" else _regular(name, most)
    except (OSError, _NotPlainError) as cause:
        raise error(_unreadable(name, cause)) from None
    if len(raw) > most:
        said = f"larger than {most // (1024 * 1024)} MB, the most that is read"
        raise error(Problem(code="file_too_large", file=name, message=said))
    return raw


def open_regular(path: str | os.PathLike[str], *, error: type[UsageError] = UsageError) -> IO[bytes]:
    """Return a regular file opened for reading, for what reads piece by piece. Raise `error`, never block on a pipe."""
    name = os.fspath(path)
    try:
        return _opened(name)
    except (OSError, _NotPlainError) as cause:
        raise error(_unreadable(name, cause)) from None


def read_text(path: str | os.PathLike[str], *, most: int = MOST_BYTES, error: type[UsageError] = UsageError) -> str:
    """Return a file's text without a leading byte order mark. Raise `error` (a UsageError), never block on a pipe.

    `most` is the largest size that is read, in bytes.
    """
    raw = read_bytes(path, most=most, error=error)
    try:
        return raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as cause:
        raise error(encoding_problem(raw, cause, os.fspath(path))) from None


def encoding_problem(raw: bytes, cause: UnicodeDecodeError, name: str) -> Problem:
    """Return the problem of bytes that are no UTF-8 text, with the place of the first that is not."""
    before = raw[: cause.start]
    line = before.count(b"\n") + 1
    column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
    said = "not UTF-8 text" + ("; this looks like UTF-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "")
    return Problem(code="file_encoding", file=name, line=line, column=column, message=said)


class _NotPlainError(Exception):
    """Something that is there and is no regular file."""


def _stdin(most: int) -> bytes:
    if sys.stdin is None:
        raise _NotPlainError("standard input is closed")
    return sys.stdin.buffer.read(most + 1)


def _regular(name: str, most: int) -> bytes:
    with _opened(name) as stream:
        return stream.read(most + 1)


def _opened(name: str) -> IO[bytes]:
    if "\0" in name:
        raise _NotPlainError("a file name cannot hold a NUL character")
    descriptor = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise _NotPlainError("a folder, not a file" if stat.S_ISDIR(mode) else "not a regular file")
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _unreadable(name: str, cause: Exception) -> Problem:
    if isinstance(cause, OSError):
        code = "file_missing" if isinstance(cause, FileNotFoundError) else "file_unreadable"
        return Problem(code=code, file=name, message=(cause.strerror or "cannot be read").lower())
    return Problem(code="file_kind", file=name, message=str(cause))


def write_text(path: str | os.PathLike[str], text: str, *, overwrite: bool = True) -> None:
    """Write a whole file or nothing: a temporary file beside it, flushed to disk, then moved into place.

    Raise UsageError where the file exists and `overwrite` is false, or where it cannot be written.
    """
    name = os.fspath(path)
    folder = os.path.dirname(name) or "."
    temporary = os.path.join(folder, f".{os.path.basename(name)}.{os.getpid()}.tmp")
    if os.path.exists(name) and not os.path.isfile(name):  # moved into place, a file would take a device's place
        raise UsageError(Problem(code="file_kind", file=name, message="not a regular file"))
    if not overwrite and os.path.lexists(name):
        raise UsageError(Problem(code="file_exists", file=name, message="exists already; --force overwrites it"))
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(temporary, name)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as cause:
        said = f"cannot be written: {(cause.strerror or 'unknown cause').lower()}"
        raise UsageError(Problem(code="file_unwritable", file=name, message=said)) from None
