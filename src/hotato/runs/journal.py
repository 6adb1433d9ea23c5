"""What is done, written down as it is done: lines with a hash each, and beside them the results that they speak of.

Results go to the data file first, then their line to the journal. Both are flushed to disk once a second, so that a
killed process loses the pieces in progress, and a machine without power those of the last second too. The first line
says what is judged by what. A line that is cut off at the end is dropped; any other line that is not as it was written
is refused, with its number.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Iterator, Mapping
from typing import IO, Any

import msgspec

from hotato.context.writing import flush_folder, unwritable
from hotato.errors import Problem, UsageError
from hotato.runs.folder import DATA, JOURNAL

_encode = msgspec.json.Encoder(order="deterministic").encode
_FLUSH = 1.0  # seconds


class Entry(msgspec.Struct, frozen=True):
    """A piece that is done: where its results lie in the data file, their SHA-256, and counts for whoever watches."""

    piece: int
    offset: int
    length: int
    sha256: str
    calls: int
    failed: int
    errors: int


class Journal:
    """The journal of a folder, open for writing: what was there is checked, and cut to what is whole."""

    def __init__(self, folder: str, head: Mapping[str, Any] | None = None) -> None:
        self.folder = folder
        self.head: Mapping[str, Any] = head or {}
        self.entries: dict[int, Entry] = {}
        self.is_done = False
        self._line, self._end = 0, 0
        self._flushed = time.monotonic()
        self._lines, self._data = self._opened(JOURNAL), self._opened(DATA)
        try:
            if head is not None:
                self._write({"head": head})
                self.flush()
                flush_folder(folder or ".")
            else:
                self._read()
        except BaseException:
            self.close()
            raise

    def add(self, piece: int, outcome: bytes, counts: tuple[int, int, int]) -> None:
        """Write down that a piece is done; `counts` are calls, failed calls and errors. Raise UsageError."""
        entry = Entry(piece, self._end, len(outcome), hashlib.sha256(outcome).hexdigest(), *counts)
        self._put(DATA, self._data, outcome)
        self._end += len(outcome)
        self._write({"done": msgspec.to_builtins(entry)})
        self.entries[piece] = entry
        if time.monotonic() - self._flushed >= _FLUSH:
            self.flush()

    def finish(self) -> None:
        """Write down that all files of the run are in their places, and drop the results they were made from."""
        self._write({"finished": True})
        self.flush()
        self.is_done = True
        self.drop()

    def drop(self) -> None:
        """Remove the data file of a run that is finished."""
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(self.folder, DATA))

    def outcome(self, piece: int) -> bytes:
        """Return the results of a piece that is done. Raise UsageError where they are not as they were written."""
        entry = self.entries[piece]
        self._data.seek(entry.offset)
        outcome = self._data.read(entry.length)
        if hashlib.sha256(outcome).hexdigest() != entry.sha256:
            said = f"the results of piece {piece} are not those that the journal speaks of"
            raise UsageError(Problem(code="journal", file=os.path.join(self.folder, DATA), message=said))
        return outcome

    def flush(self) -> None:
        """Have all that was written on disk, results before the lines that speak of them. Raise UsageError."""
        for name, stream in ((DATA, self._data), (JOURNAL, self._lines)):
            with self._telling(name):
                stream.flush()
                os.fsync(stream.fileno())
        self._flushed = time.monotonic()

    def forget(self) -> None:
        """Close and remove both files, of a run in which nothing was done."""
        self.close()
        for name in (DATA, JOURNAL):
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(self.folder, name))

    def close(self) -> None:
        """Close the files; of a run that is finished, the journal alone stays."""
        if self.is_done:
            self.drop()
        for stream in (self._data, self._lines):
            with contextlib.suppress(OSError):
                stream.close()

    def _opened(self, name: str) -> IO[bytes]:
        with self._telling(name):
            place = os.path.join(self.folder, name)
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
            return os.fdopen(os.open(place, flags, 0o644), "r+b", buffering=0)

    def _write(self, said: Mapping[str, Any]) -> None:
        line = _encode({"line": self._line, **said})
        self._put(JOURNAL, self._lines, line[:-1] + b',"sum":"' + _sum(line).encode() + b'"}\n')
        self._line += 1

    def _put(self, name: str, stream: IO[bytes], raw: bytes) -> None:
        """Append bytes, all of them: a write to a disk that is full may take some."""
        with self._telling(name):
            stream.seek(0, os.SEEK_END) if name == JOURNAL else stream.seek(self._end)
            left = memoryview(raw)
            while left:
                left = left[stream.write(left) :]

    @contextlib.contextmanager
    def _telling(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as cause:
            raise unwritable(os.path.join(self.folder, name), cause) from None

    def _read(self) -> None:
        raw = self._lines.read()
        whole, good = read(raw, os.path.join(self.folder, JOURNAL))
        self.head, self.is_done = whole.head, whole.is_done
        size = os.fstat(self._data.fileno()).st_size
        kept = whole.entries
        if not self.is_done:
            kept = self._that_are_there(kept, size)
        self._line = 1 + len(kept) + self.is_done
        self.entries = {entry.piece: entry for entry in kept}
        self._end = max((entry.offset + entry.length for entry in kept), default=0)
        if len(kept) < len(whole.entries):
            good = whole.ends[len(kept)]
        with self._telling(JOURNAL):
            os.ftruncate(self._lines.fileno(), good)

    def _that_are_there(self, entries: list[Entry], size: int) -> list[Entry]:
        """Return entries without the last ones whose results a loss of power kept from the disk."""
        while entries and entries[-1].offset + entries[-1].length > size:
            entries = entries[:-1]
        return entries


class Whole(msgspec.Struct):
    """What a journal says. `ends` holds the number of bytes up to the end of each line."""

    head: Mapping[str, Any]
    entries: list[Entry]
    ends: list[int]
    is_done: bool = False


def read(raw: bytes, file: str) -> tuple[Whole, int]:
    """Return what a journal says, and the number of its bytes that are whole. Raise UsageError, naming the line."""
    whole = Whole({}, [], [])
    at, seen = 0, set[int]()
    lines = raw.split(b"\n")
    for number, line in enumerate(lines[:-1]):
        said = _line(line)
        is_last = number == len(lines) - 2
        if said is None:
            if is_last and number:
                return whole, at
            raise _refused(file, number, "is not as it was written")
        if said["line"] != number:
            told = (
                "repeats an earlier one"
                if said["line"] < number
                else "is out of its order, or lines before it are gone"
            )
            raise _refused(file, number, told)
        if (number == 0) != ("head" in said) or whole.is_done:
            raise _refused(file, number, "does not belong there")
        if number == 0:
            whole.head = said["head"]
        elif "done" in said:
            entry = msgspec.convert(said["done"], Entry)
            if entry.piece in seen:
                raise _refused(file, number, f"tells of piece {entry.piece} a second time")
            seen.add(entry.piece)
            whole.entries.append(entry)
        else:
            whole.is_done = True
        at += len(line) + 1
        whole.ends.append(at)
    if not whole.head:
        raise UsageError(Problem(code="journal", file=file, message="no run has begun here"))
    return whole, at


def _line(line: bytes) -> dict[str, Any] | None:
    """Return what a line says; None where its hash is not that of the rest."""
    body, mark, rest = line.rpartition(b',"sum":"')
    body += b"}"
    if not mark or rest != _sum(body).encode() + b'"}':
        return None
    try:
        said: Any = msgspec.json.decode(body)
    except ValueError:
        return None
    return said if isinstance(said, dict) and type(said.get("line")) is int else None


def _sum(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()[:32]


def _refused(file: str, number: int, said: str) -> UsageError:
    return UsageError(Problem(code="journal", file=file, line=number + 1, message=f"this line {said}"))
