"""Writing files that a user named: whole or not at all, several together or none, and the old ones until then.

What is written goes to a temporary file beside its place, is flushed to disk, and moved there. Where that fails, or the process
is told to stop, what was there before is there still. A process that is killed leaves at most temporary files, and the
next write to the same place sweeps them up.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterator, Mapping
from typing import IO

import msgspec

from hotato.errors import Problem, UsageError
from hotato.model import given

_LONGEST = 120  # bytes of a name that its temporary file keeps; a file system allows 255


class _Staged(msgspec.Struct):
    """A file on its way: where it goes, where it is, and where what it takes the place of is kept meanwhile.

    `whole` is true once it is on disk; its temporary file is gone then only when it was moved into place.
    """

    place: str
    temporary: str = ""
    kept: str = ""
    whole: bool = False


def write_text(path: str | os.PathLike[str], text: str, *, overwrite: bool = True) -> None:
    """Write a whole file or nothing.

    Raise UsageError where the file exists and `overwrite` is false, where it is a symbolic link or no regular file, or
    where it cannot be written. A file that is overwritten keeps its permissions.
    """
    write_texts({given.path(path, "path"): text}, overwrite=overwrite)


def write_texts(texts: Mapping[str, str], *, overwrite: bool = True) -> None:
    """Write several files, all of them or none, in the order given. Raise UsageError as `write_text` does."""
    write_files({name: text.encode("utf-8") for name, text in texts.items()}, overwrite=overwrite)


def write_files(files: Mapping[str, bytes], *, overwrite: bool = True, is_sealed: bool = False) -> None:
    """Write several files, all of them or none, in the order given. Raise UsageError as `write_text` does.

    With `is_sealed` the last file vouches for the others: an older one is taken away before any of them is moved into its
    place, and the new one comes when all are there. A process that is killed meanwhile leaves none, never an older one
    beside newer files.
    """
    for name in files:
        _check(name, overwrite)
    staged: list[_Staged] = []
    name = ""
    try:
        try:
            for name, content in files.items():
                sweep(name)
                staged.append(_Staged(name))
                _stage(staged[-1], content)
            if is_sealed:
                _take_out(staged[-1])
            for one in staged:
                name = one.place
                _move(one, is_last=one is staged[-1])
            for folder in dict.fromkeys(map(_folder, files)):
                flush_folder(folder)
        except BaseException:
            _undo(staged)
            raise
        finally:
            for one in staged:
                _drop(one)
    except OSError as cause:
        raise unwritable(name, cause) from None


@contextlib.contextmanager
def placed(path: str | os.PathLike[str], *, overwrite: bool = True) -> Iterator[IO[bytes]]:
    """Write a whole file or nothing, from a stream, which is in its place once the block is left without an exception.

    The stream can be read as well. Raise UsageError as `write_text` does.
    """
    one = _Staged(given.path(path, "path"))
    _check(one.place, overwrite)
    try:
        sweep(one.place)
        try:
            with _staging(one) as stream:
                yield stream
            _move(one, is_last=True)
            flush_folder(_folder(one.place))
        finally:
            _drop(one)
    except OSError as cause:
        raise unwritable(one.place, cause) from None


@contextlib.contextmanager
def made_folder(path: str) -> Iterator[None]:
    """Make a folder with those above it for what is written inside; take away again what was made where that fails.

    Raise UsageError where it cannot be made.
    """
    missing: list[str] = []
    place = os.path.abspath(path)
    while not os.path.lexists(place):
        missing.append(place)
        place = os.path.dirname(place)
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as cause:
        _take_away(missing)
        said = f"cannot be made: {(cause.strerror or 'unknown cause').lower()}"
        raise UsageError(Problem(code="file_unwritable", file=path, message=said)) from None
    try:
        yield
    except BaseException:
        _take_away(missing)
        raise


def temporary_name(path: str, number: int = 0) -> str:
    """Return the name of a temporary file or folder of this process beside a place."""
    base = os.fsencode(os.path.basename(path))[:_LONGEST].decode("utf-8", "ignore")
    return os.path.join(_folder(path), f".{base}.{os.getpid()}-{number}.tmp")


def sweep(path: str) -> None:
    """Remove what processes that are gone left behind on their way to a place. What cannot be removed stays."""
    folder, base = os.path.split(temporary_name(path))
    ours = re.compile(
        re.escape(base.rpartition(".tmp")[0].rpartition(".")[0]) + r"\.([0-9]{1,10})-[0-9]{1,6}\.(?:tmp|old)"
    )
    with contextlib.suppress(OSError):
        for name in sorted(os.listdir(folder or ".")):
            left = ours.fullmatch(name)
            if left is not None and _is_gone(int(left[1])):
                _remove(os.path.join(folder, name))


def unwritable(name: str, cause: OSError) -> UsageError:
    """Return what is said of a file that cannot be written."""
    said = f"cannot be written: {(cause.strerror or 'unknown cause').lower()}"
    return UsageError(Problem(code="file_unwritable", file=name, message=said))


def _check(name: str, overwrite: bool) -> None:
    if "\0" in name:
        raise UsageError(Problem(code="file_kind", file=name, message="a file name cannot hold a NUL character"))
    try:
        mode = os.lstat(name).st_mode
    except UnicodeEncodeError:
        said = "a file name cannot hold half of a surrogate pair"
        raise UsageError(Problem(code="file_kind", file=name, message=said)) from None
    except OSError:
        return  # not there, or not to be reached: writing will tell
    if stat.S_ISLNK(mode) and (os.path.isfile(name) or not os.path.exists(name)):
        said = "a symbolic link, which is not written through; name the file it leads to"
        raise UsageError(Problem(code="file_kind", file=name, message=said))
    if not stat.S_ISREG(mode):  # moved into place, a file would take a device's place
        raise UsageError(Problem(code="file_kind", file=name, message="not a regular file"))
    if not overwrite:
        raise UsageError(Problem(code="file_exists", file=name, message="exists already; --force overwrites it"))


def _stage(one: _Staged, content: bytes) -> None:
    """Write a temporary file, on disk when this returns."""
    with _staging(one) as stream:
        stream.write(content)


@contextlib.contextmanager
def _staging(one: _Staged) -> Iterator[IO[bytes]]:
    """Write to a temporary file, on disk when this ends."""
    try:
        mode: int | None = stat.S_IMODE(os.stat(one.place).st_mode)
    except OSError:
        mode = None
    with os.fdopen(_opened(one, 0o644 if mode is None else 0o600), "w+b") as stream:
        yield stream
        stream.flush()
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(stream.fileno(), mode)
        os.fsync(stream.fileno())
    one.whole = True


def _opened(one: _Staged, mode: int) -> int:
    """Create a temporary file that is not there yet: another write of this process may be on its way to the same place."""
    for number in range(1000):
        one.temporary = temporary_name(one.place, number)
        try:
            return os.open(one.temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        except FileExistsError:
            one.temporary = ""
    raise FileExistsError(errno.EEXIST, "temporary files of that name are there already")


def _take_out(one: _Staged) -> None:
    """Take what was there before out of its place, on disk when this returns."""
    if os.path.lexists(one.place):
        one.kept = one.temporary.removesuffix(".tmp") + ".old"
        os.replace(one.place, one.kept)
        flush_folder(_folder(one.place))


def _move(one: _Staged, *, is_last: bool) -> None:
    """Put a file into its place. The last one needs no way back: either it is moved or it is not."""
    if not is_last and os.path.lexists(one.place):
        one.kept = one.temporary.removesuffix(".tmp") + ".old"
        try:
            os.link(one.place, one.kept)
        except OSError:  # a file system without links
            import shutil

            shutil.copy2(one.place, one.kept)
    os.replace(one.temporary, one.place)


def _undo(staged: list[_Staged]) -> None:
    """Put back what was there before, unless all files are in their places: then what failed is not the writing.

    The last one is put back last, and only where all others were: it may vouch for them.
    """
    moved = [one for one in staged if one.whole and not os.path.lexists(one.temporary)]
    if len(moved) < len(staged):
        is_as_before = True
        for one in staged:
            is_taken_out = one.kept and one is staged[-1] and not os.path.lexists(one.place)
            try:
                if one in moved and not one.kept:
                    os.unlink(one.place)
                elif one in moved or (is_taken_out and is_as_before):
                    os.replace(one.kept, one.place)
            except OSError:
                is_as_before = False


def flush_folder(folder: str) -> None:
    """Flush a folder, so that a name outlives a loss of power; not every file system lets one."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _drop(one: _Staged) -> None:
    """Remove what is no longer needed; what was moved is not there."""
    for name in (one.temporary, one.kept):
        if name:
            with contextlib.suppress(OSError):
                os.unlink(name)


def _folder(path: str) -> str:
    return os.path.dirname(path) or "."


def _is_gone(process: int) -> bool:
    """Say whether a process is there no more. Where that cannot be asked, it is taken to be there."""
    if os.name != "posix" or process <= 0:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        if os.path.isdir(path) and not os.path.islink(path):
            import shutil

            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)


def _take_away(folders: list[str]) -> None:
    for folder in folders:
        with contextlib.suppress(OSError):
            os.rmdir(folder)
