"""Which files a client may have read and written: those in two folders, symbolic links followed."""

from __future__ import annotations

import os

import msgspec

from hotato.context.confined import is_within
from hotato.errors import Problem, UsageError


class Folders(msgspec.Struct, frozen=True, kw_only=True):
    """The folder that is read from and the one that is written to, both with symbolic links followed."""

    reads: str
    writes: str
    network: bool = False  # whether systems of record elsewhere may be asked

    def to_read(self, path: str) -> str:
        """Return a path as a command run in the folder of reads names it. Raise UsageError for one outside of it."""
        real = _real(path, self.reads)
        if real is None:
            said = "outside of the folder that files are read from"
            raise UsageError(Problem(code="file_outside", file=path, message=said))
        return _from(self.reads, real)

    def to_write(self, path: str) -> str:
        """Return the same for a path that is to be written to; absolute where the two folders differ."""
        real = _real(path, self.writes)
        if real is None:
            said = "outside of the folder that files are written to"
            raise UsageError(Problem(code="file_outside", file=path, message=said))
        return _from(self.reads, real) if self.reads == self.writes else real

    def is_written(self, path: str) -> bool:
        """Say whether something is there already at a path that may be written to; of others nothing is told."""
        return (
            "\0" not in path
            and _real(path, self.writes) is not None
            and os.path.lexists(os.path.join(self.writes, path))
        )

    def told(self, text: str) -> str:
        """Return a text that names files as the client does: from the folder they are in, not from the root."""
        for folder in (self.writes, self.reads):
            text = text.replace(folder.rstrip(os.sep) + os.sep, "") if folder != os.sep else text
        return text


def folders(reads: str, writes: str, *, network: bool = False) -> Folders:
    """Return two folders, checked. Raise UsageError where one is none."""
    problems = [
        Problem(code="file_missing" if not os.path.lexists(path) else "file_kind", file=path, message="not a folder")
        for path in dict.fromkeys((reads, writes))
        if "\0" in path or not os.path.isdir(path)
    ]
    if problems:
        raise UsageError(problems)
    return Folders(reads=os.path.realpath(reads), writes=os.path.realpath(writes), network=network)


def _real(path: str, folder: str) -> str | None:
    """Return where a path leads, from a folder; None where that is outside of it."""
    if "\0" in path:
        raise UsageError(Problem(code="file_kind", file=path, message="a file name cannot hold a NUL character"))
    real = os.path.realpath(os.path.join(folder, path))
    return real if is_within(real, folder) else None


def _from(folder: str, real: str) -> str:
    """Return a path from a folder, in a form that no command takes for a flag or for standard input."""
    path = os.path.relpath(real, folder)
    return os.path.join(".", path) if path.startswith("-") else path
