"""What a batch reads: files found, told apart, measured and cut into pieces that any process can read by itself."""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from typing import NoReturn

import msgspec

from hotato.batch._streams import is_remote, opened, reached, store, unpacked
from hotato.context.files import open_regular
from hotato.context.row import EVIDENCE
from hotato.errors import EvidenceError, Problem, UsageError
from hotato.model import codec
from hotato.model.limits import amount, limit, raising

LINES, PARQUET, CALL = "lines", "parquet", "call"
MOST_FILES = 500  # in one piece
_BLOCK = 1 << 20
_PROBED = 1 << 16
_WEB = ("http://", "https://")
_CHANGING = ("ETag", "Content-MD5", "Digest", "Last-Modified")  # what a web server says of the state of a file
_MAGIC = ((b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"))


class Input(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file: its name under the input, what it is, and its content's size and SHA-256 (of a remote one, what its store says).

    `length` is the number of bytes once unpacked, as far as they can be; `fault` why no further. `groups` holds the number
    of rows of each row group.
    """

    path: str
    kind: str
    size: int
    sha256: str
    packed: str = ""
    length: int = 0
    groups: tuple[int, ...] = ()
    fault: str = ""


class Piece(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one task reads: a range of bytes of lines, a row group, or files that hold a call each."""

    number: int
    kind: str
    paths: tuple[str, ...]
    start: int = 0
    end: int = 0
    packed: str = ""
    fault: str = ""
    sizes: tuple[int, ...] = ()


def find(given: str) -> list[str]:
    """Return the files that a path, a folder, a glob or a URL names, sorted. Raise EvidenceError where there is none.

    Folders are read with those in them, also where a glob or a link names them, but for names that begin with a dot. One
    that cannot be read, or that is met twice by way of a link, is refused: calls would be left out, or counted twice.
    """
    if is_remote(given):
        found = _remote(given)
    elif os.path.isdir(given):
        found = list(_inside(given))
    elif os.path.lexists(given) or not glob.has_magic(given):
        found = [given] if os.path.exists(given) else []
    else:
        found = _matched(given)
    if not found:
        said = "no file is found there" + (", or it may not be read" if is_remote(given) else "")
        raise EvidenceError(Problem(code="file_missing", file=given, message=said))
    return sorted(found)


def survey(paths: Sequence[str], workers: int, kind: str = "") -> list[Input]:
    """Return what each file is, with its hash. Raise EvidenceError for one that cannot be read at all."""
    values = {name: limit(name) for name in ("unpacked_bytes", "line_bytes")}
    with ThreadPoolExecutor(max(1, workers)) as pool:  # hashing and unpacking leave the interpreter to others
        return list(pool.map(lambda path: _measured(path, kind, values["unpacked_bytes"]), paths))


def check(inputs: Sequence[Input], workers: int) -> None:
    """Raise EvidenceError where a file is not what it was when it was surveyed, though it be of the same size."""
    with ThreadPoolExecutor(max(1, workers)) as pool:
        for one, now in zip(inputs, pool.map(lambda one: _now(one.path), inputs), strict=True):
            if now != one.sha256:
                raise changed(EvidenceError, one.path, one.sha256, now)


def changed(error: type[UsageError], file: str, then: str, now: str) -> UsageError:
    """Return what to raise for a file that is not as it was."""
    said = f"its SHA-256 was {then} and is {now}" if now else "it is gone, or cannot be read any more"
    return error(Problem(code="run_changed", file=file, message=f"has changed since the run began: {said}"))


def _now(path: str) -> str:
    try:
        return _hash(path)[0]
    except (OSError, EvidenceError):
        return ""


def pieces(inputs: Sequence[Input], size: int) -> Iterator[Piece]:
    """Yield the pieces of all inputs, in order; `size` is the number of bytes of input that a piece has about."""
    number, waiting, bytes_waiting = 0, list[Input](), 0
    for one in inputs:
        if one.kind == CALL:
            waiting.append(one)
            bytes_waiting += one.size
            if len(waiting) >= MOST_FILES or bytes_waiting >= size:
                yield _files(number, waiting)
                number, waiting, bytes_waiting = number + 1, [], 0
            continue
        if waiting:
            yield _files(number, waiting)
            number, waiting, bytes_waiting = number + 1, [], 0
        for piece in _of_rows(one, size):
            yield msgspec.structs.replace(piece, number=number)
            number += 1
    if waiting:
        yield _files(number, waiting)


def _files(number: int, files: Sequence[Input]) -> Piece:
    return Piece(number, CALL, tuple(one.path for one in files), sizes=tuple(one.size for one in files))


def _of_rows(one: Input, size: int) -> Iterator[Piece]:
    if one.kind == PARQUET:
        for group, rows in enumerate(one.groups):
            first = sum(one.groups[:group])
            yield Piece(0, PARQUET, (one.path,), first, group, sizes=(one.size, rows))
    else:
        for start in range(0, one.length, size):
            end = min(start + size, one.length)
            yield Piece(0, LINES, (one.path,), start, end, one.packed, sizes=(one.size,))
    if one.fault:
        yield Piece(0, LINES, (one.path,), one.length, one.length, one.packed, one.fault, (one.size,))


def _measured(path: str, kind: str, most: int) -> Input:
    try:
        with opened(path) as stream:
            head = stream.read(_PROBED)
        packed = next((name for magic, name in _MAGIC if head.startswith(magic)), "")
        if head.startswith(b"PAR1"):
            return _parquet(path)
        told = kind or (LINES if _is_rows(path, head, packed) else CALL)
        digest, size = _hash(path)
        if told == CALL:
            return Input(path, CALL, size, digest)
        length, fault = (size, "") if not packed else _length(path, packed, most)
        return Input(path, LINES, size, digest, packed, length, (), fault)
    except OSError as cause:
        said = (cause.strerror or "cannot be read").lower()
        raise EvidenceError(Problem(code="file_unreadable", file=path, message=said)) from None


def _parquet(path: str) -> Input:
    import pyarrow as pa
    import pyarrow.parquet as pq

    digest, size = _hash(path)
    try:
        with opened(path) as stream:
            told = pq.ParquetFile(stream).metadata
            groups = tuple(told.row_group(place).num_rows for place in range(told.num_row_groups))
    except EvidenceError:  # a store that does not give it
        raise
    except (pa.ArrowException, OSError, ValueError):
        return Input(path, PARQUET, size, digest, fault="parquet")
    return Input(path, PARQUET, size, digest, groups=groups)


def _is_rows(path: str, head: bytes, packed: str) -> bool:
    """Say whether a file holds a call a line: one of its first lines is an object with `call_id` and evidence."""
    if packed:
        with opened(path) as stream:
            head = unpacked(stream, packed).read(_PROBED)
    lines = [line for line in head.split(b"\n") if line.strip()]
    return any(_begins_as_row(line) for line in lines[:10])


def _begins_as_row(line: bytes) -> bool:
    try:
        value = codec.decode(line.decode("utf-8", "replace").removeprefix("\ufeff"))
    except codec.JsonError:  # longer than was looked at, or damaged
        return b'"call_id"' in line[:2000] and any(b'"%b"' % name.encode() in line for name in EVIDENCE)
    return isinstance(value, dict) and "call_id" in value and any(name in value for name in EVIDENCE)


def _hash(path: str) -> tuple[str, int]:
    if is_remote(path):
        system, name = store(path)
        with reached(path):
            told = system.info(name)
            key = [str(system.ukey(name)), *(str(told[field]) for field in _CHANGING if told.get(field))]
        if told.get("size") is None:
            said = "its server does not say how large it is; fetch it first and judge the copy"
            raise EvidenceError(Problem(code="file_unreadable", file=path, message=said))
        return hashlib.sha256("\0".join(key).encode()).hexdigest(), int(told["size"])
    with open_regular(path, error=EvidenceError) as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]  # it has readinto
        return digest, stream.tell()


def _length(path: str, packed: str, most: int) -> tuple[int, str]:
    """Return how many bytes a packed file holds, and what is wrong with the rest of it."""
    length = 0
    with opened(path) as stream:
        inside = unpacked(stream, packed)
        while block := inside.read(_BLOCK):
            length += len(block)
            if length > most:
                said = f"unpacks to more than {amount('unpacked_bytes', most)}; {raising('unpacked_bytes')}"
                raise EvidenceError(Problem(code="file_too_large", file=path, message=said))
        return length, packed if inside.is_damaged else ""


def _remote(given: str) -> list[str]:
    system, name = store(given)
    with reached(given):
        if glob.has_magic(name):
            found = system.glob(name)
        elif (
            given.endswith("/") if given.startswith(_WEB) else system.isdir(name)
        ):  # of the web any page may be a folder
            found = system.find(name)
        else:
            found = [name] if system.exists(name) else []
        return [system.unstrip_protocol(one) for one in found]


def _matched(given: str) -> list[str]:
    """Return the files that a glob matches, and those inside of the folders that it matches."""
    _readable(given)
    found = set[str]()
    for path in glob.glob(given, recursive=True):
        found.update(_inside(path) if os.path.isdir(path) else [path])
    return list(found)


def _readable(given: str) -> None:
    """Raise EvidenceError for a folder that a glob looks into and that cannot be read: glob passes over those."""
    above, name = os.path.split(given)
    if above and above != given:
        _readable(above)
    for folder in glob.glob(above, recursive=True) if glob.has_magic(above) else [above or "."]:
        if not name or not os.path.isdir(folder):
            continue
        if name == "**":
            for _ in _inside(folder):
                pass
        elif glob.has_magic(name):
            for entry in _entries(folder):
                if entry.is_symlink() and fnmatchcase(entry.name, name):
                    _looked_at(entry.path, entry.path)
        else:
            _looked_at(os.path.join(folder, name), folder)


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            yield from found
    except OSError as cause:
        _unread(cause)


def _looked_at(path: str, folder: str) -> None:
    """Raise EvidenceError, which names the folder, where it is forbidden to look at a path; it may not be there."""
    try:
        os.stat(path)
    except PermissionError as cause:
        _unread(PermissionError(cause.errno, cause.strerror, folder))
    except OSError:
        pass


def _inside(given: str) -> Iterator[str]:
    """Yield the files of a folder and of those in it; what a name hides is left out."""
    met: dict[tuple[int, int], str] = {}
    for folder, folders, names in os.walk(given, onerror=_unread, followlinks=True):
        told = os.stat(folder)
        before = met.setdefault((told.st_dev, told.st_ino), folder)
        if before != folder:
            said = f"is the same folder as {before}, by way of a link: its calls would count twice"
            raise EvidenceError(Problem(code="file_kind", file=folder, message=said))
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (os.path.join(folder, name) for name in names if not name.startswith("."))


def _unread(cause: OSError) -> NoReturn:
    said = (cause.strerror or "cannot be read").lower()
    raise EvidenceError(Problem(code="file_unreadable", file=str(cause.filename), message=said)) from None
