"""Making a folder that a user named, and files in one: whole or not at all.

What goes into it is written to a temporary folder beside its place, flushed to disk, and moved there. Where that fails, or
the process is told to stop, nothing is left; a process that is killed leaves at most the temporary folder, and the next
write to the same place sweeps it up.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping

from hotato.context.writing import flush_folder, made_folder, sweep, temporary_name, unwritable, write_texts
from hotato.errors import Problem, UsageError

_PRIVATE = 0o700


@contextlib.contextmanager
def new_folder(path: str) -> Iterator[str]:
    """Yield the path of a fresh private folder that becomes `path` when the block ends well, and vanishes otherwise.

    Raise UsageError where something is at `path` already, or where it cannot be made.
    """
    place = path.rstrip("/" + os.sep) or path
    if "\0" in place:
        raise UsageError(Problem(code="file_kind", file=place, message="a file name cannot hold a NUL character"))
    if os.path.lexists(place):
        said = "exists already, and a folder is not written over; name another, or move it away"
        raise UsageError(Problem(code="file_exists", file=place, message=said))
    try:
        sweep(place)
        temporary = _made(place)
    except OSError as cause:
        raise unwritable(place, cause) from None
    try:
        yield temporary
        try:
            _settle(temporary)
            os.rename(temporary, place)
            flush_folder(os.path.dirname(os.path.abspath(place)))
        except OSError as cause:
            raise unwritable(place, cause) from None
    except BaseException:
        import shutil

        shutil.rmtree(temporary, ignore_errors=True)
        raise


def put_texts(folder: str, texts: Mapping[str, str], *, overwrite: bool = True) -> None:
    """Write files by name into a folder, all of them or none. Raise UsageError as `write_texts` does.

    A folder that is missing is made, with those above it, and appears with all of the files: a process that is killed leaves
    no part of them. In a folder that is there each file is the old one or the new one, whenever that happens.
    """
    if os.path.lexists(folder):
        with made_folder(folder):
            write_texts({os.path.join(folder, name): text for name, text in texts.items()}, overwrite=overwrite)
        return
    with made_folder(above(folder)), new_folder(folder) as inside:
        for name, text in texts.items():
            try:
                _write(os.path.join(inside, name), text.encode("utf-8"))
            except OSError as cause:
                raise unwritable(os.path.join(folder, name), cause) from None


def above(folder: str) -> str:
    """Return the folder that a folder is in."""
    return os.path.dirname(folder.rstrip("/" + os.sep)) or "."


def _write(path: str, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o644)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
        stream.flush()


def _made(place: str) -> str:
    for number in range(1000):
        temporary = temporary_name(place, number)
        with contextlib.suppress(FileExistsError):
            os.mkdir(temporary, _PRIVATE)
            return temporary
    raise FileExistsError("temporary folders of that name are there already")


def _settle(folder: str) -> None:
    """Flush everything inside to disk; what was private while it was made gets the permissions that new folders have."""
    for inside, _, files in os.walk(folder):
        for name in files:
            with open(os.path.join(inside, name), "rb") as file:
                os.fsync(file.fileno())
        flush_folder(inside)
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(folder, 0o777 & ~mask)
