"""The folder of a run: one writer at a time, and what an earlier run left there."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence

from hotato.context.writing import unwritable
from hotato.errors import Problem, UsageError

JOURNAL, DATA, LOCK = "journal.jsonl", "journal.data", "lock"


@contextlib.contextmanager
def locked(folder: str) -> Iterator[None]:
    """Hold a folder for one run. Raise UsageError where another run holds it; a run that died holds nothing."""
    place = os.path.join(folder, LOCK)
    plain(place)
    try:
        descriptor = os.open(place, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
    except OSError as cause:
        raise unwritable(place, cause) from None
    try:
        if not _took(descriptor):
            holder = os.read(descriptor, 20).decode("ascii", "replace").strip() or "unknown"
            said = f"another run, process {holder}, works in this folder"
            raise UsageError(Problem(code="run_locked", file=folder, message=said))
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(descriptor)


def is_locked(folder: str) -> bool:
    """Say whether a run works in a folder at present."""
    try:
        descriptor = os.open(os.path.join(folder, LOCK), os.O_RDWR)
    except OSError:
        return False
    try:
        return not _took(descriptor)
    finally:
        os.close(descriptor)


def prepare(folder: str, written: Sequence[str], how: str, *, force: bool) -> None:
    """Make a folder ready for a new run, inside its lock: what an earlier one left there, the files `written`, is removed.

    Raise UsageError where a run is there and `force` is not given; `how` is the command that goes on with it.
    """
    for place in may_prepare(folder, written, how, force=force):
        try:
            os.unlink(place)
        except OSError as cause:
            raise unwritable(place, cause) from None


def may_prepare(folder: str, written: Sequence[str], how: str, *, force: bool) -> list[str]:
    """Return what `prepare` would remove, and remove nothing. Raise UsageError as it does."""
    ours = [name for name in (JOURNAL, DATA, *written) if os.path.lexists(os.path.join(folder, name))]
    if ours and not force and (begun(folder) or not set(ours) <= {JOURNAL, DATA}):
        said = f"holds {ours[0]} already: {how} goes on with it, --force starts anew"
        raise UsageError(Problem(code="file_exists", file=folder, message=said))
    places = [os.path.join(folder, name) for name in ours]
    for place in places:
        plain(place)
    return places


def begun(folder: str) -> bool:
    """Say whether a run has come so far that there is something to go on with: its first line is written."""
    try:
        with open(os.path.join(folder, JOURNAL), "rb") as stream:
            return stream.readline().endswith(b"\n")
    except OSError:
        return False


def plain(place: str) -> None:
    """Raise UsageError for what is there and is no regular file, be it a link to one."""
    try:
        mode = os.lstat(place).st_mode
    except OSError:
        return
    if not stat.S_ISREG(mode):
        what = "a symbolic link, which is not written through" if stat.S_ISLNK(mode) else "not a regular file"
        raise UsageError(Problem(code="file_kind", file=place, message=what))


def _took(descriptor: int) -> bool:
    """Lock a file for as long as it is open; false where another process has."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
