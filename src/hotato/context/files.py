"""Reading a file that a user named: only a regular file, only so large, only UTF-8; `-` is standard input."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
from typing import IO, Any

from hotato.context.confined import confined
from hotato.context.writing import write_text, write_texts
from hotato.errors import Problem, UsageError
from hotato.model import given
from hotato.model.limits import amount, limit, raising

__all__ = [
    "MOST_BYTES",
    "MOST_CONFIG",
    "encoding_problem",
    "open_regular",
    "read_bytes",
    "read_text",
    "write_text",
    "write_texts",
]

MOST_BYTES = "file_bytes"  # the limit on a file with evidence
MOST_CONFIG = "document_bytes"  # the limit on a file that people write

_LOOKS_LIKE = {
    b"\xff\xfe": "; this looks like UTF-16",
    b"\xfe\xff": "; this looks like UTF-16",
    b"\x1f\x8b": "; this looks like gzip, which is unpacked in a file given with --call alone",
}


def read_bytes(
    path: str | os.PathLike[str], *, most: str | int = MOST_BYTES, error: type[UsageError] = UsageError
) -> bytes:
    """Return a file's bytes. Raise `error` (a UsageError), never block on a pipe.

    `most` is the largest size that is read: the name of a limit, or a number of bytes.
    """
    name = given.path(path, "path", error)
    size = limit(most) if isinstance(most, str) else most
    try:
        raw = _stdin(size) if name == "-" else _regular(name, size)
    except (OSError, _NotPlainError) as cause:
        raise error(_unreadable(name, cause)) from None
    if len(raw) > size:
        said = f"larger than {amount('file_bytes', size)}, the most that is read"
        said += f"; {raising(most)}" if isinstance(most, str) else ""
        raise error(Problem(code="file_too_large", file=name, message=said))
    return raw


def open_regular(path: str | os.PathLike[str], *, error: type[UsageError] = UsageError) -> IO[bytes]:
    """Return a regular file opened for reading, for what reads piece by piece. Raise `error`, never block on a pipe.

    What cannot be read later on raises `error` as well.
    """
    name = given.path(path, "path", error)
    try:
        return io.BufferedReader(_Reading(_opened(name, buffering=0), name, error))
    except (OSError, _NotPlainError) as cause:
        raise error(_unreadable(name, cause)) from None


class _Reading(io.RawIOBase):
    """An open file that is refused where it cannot be read to its end, as one that cannot be opened is."""

    def __init__(self, file: IO[bytes], name: str, error: type[UsageError]) -> None:
        self._file: Any = file
        self._name, self._error = name, error

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def fileno(self) -> int:
        found: int = self._file.fileno()
        return found

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        found: int = self._file.seek(offset, whence)
        return found

    def readinto(self, into: Any) -> int:
        try:
            found: int = self._file.readinto(into)
        except OSError as cause:
            raise self._error(_unreadable(self._name, cause)) from None
        return found

    def close(self) -> None:
        with contextlib.suppress(OSError):  # nothing was written that could be lost
            self._file.close()
        super().close()


def sha256_of(path: str | os.PathLike[str], *, error: type[UsageError] = UsageError) -> str:
    """Return the sha256 of a regular file, read piece by piece. Raise `error`, never block on a pipe."""
    import hashlib

    with open_regular(path, error=error) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]  # it has readinto


def read_text(
    path: str | os.PathLike[str], *, most: str | int = MOST_BYTES, error: type[UsageError] = UsageError
) -> str:
    """Return a file's text without a leading byte order mark. Raise `error` (a UsageError), never block on a pipe.

    `most` is as for `read_bytes`.
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
    said = "not UTF-8 text" + _LOOKS_LIKE.get(raw[:2], "")
    return Problem(code="file_encoding", file=name, line=line, column=column, message=said)


class _NotPlainError(Exception):
    """Something that is there and is no regular file."""


class _OutsideError(_NotPlainError):
    """A file outside of the folders to which reading is confined."""


def _stdin(most: int) -> bytes:
    if sys.stdin is None:
        raise _NotPlainError("standard input is closed")
    return sys.stdin.buffer.read(most + 1)


def _regular(name: str, most: int) -> bytes:
    with _opened(name, buffering=-1) as stream:
        return stream.read(most + 1)


def _opened(name: str, *, buffering: int) -> IO[bytes]:
    if "\0" in name:
        raise _NotPlainError("a file name cannot hold a NUL character")
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        raise _NotPlainError("a file name cannot hold half of a surrogate pair") from None
    place = confined(name)
    if not place:
        raise _OutsideError("outside of the folder that files are read from")
    descriptor = os.open(place, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise _NotPlainError("a folder, not a file" if stat.S_ISDIR(mode) else "not a regular file")
        return os.fdopen(descriptor, "rb", buffering)
    except BaseException:
        os.close(descriptor)
        raise


def _unreadable(name: str, cause: Exception) -> Problem:
    if isinstance(cause, OSError):
        code = "file_missing" if isinstance(cause, FileNotFoundError) else "file_unreadable"
        return Problem(code=code, file=name, message=(cause.strerror or "cannot be read").lower())
    code = "file_outside" if isinstance(cause, _OutsideError) else "file_kind"
    return Problem(code=code, file=name, message=str(cause))
