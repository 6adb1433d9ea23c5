"""Bytes of files here and elsewhere, packed or not, read piece by piece."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from hotato.context.files import open_regular
from hotato.errors import EvidenceError, Problem, UsageError

_SKIP = 1 << 20
_PACKED = 1 << 13  # bytes that are unpacked at once: some unpack to thirty thousand times as many


def is_remote(path: str) -> bool:
    """Say whether a path is a URL of a store that fsspec reads."""
    return "://" in path


def store(path: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the name there. Raise EvidenceError."""
    try:
        import fsspec

        return fsspec.core.url_to_fs(path)  # type: ignore[no-any-return]
    except ImportError as cause:
        said = f"needs a package that is not installed: {cause}"
        raise EvidenceError(Problem(code="extra_missing", file=path, message=said)) from None
    except ValueError:
        said = "of no store that fsspec knows"
        raise EvidenceError(Problem(code="file_missing", file=path, message=said)) from None


def opened(path: str) -> IO[bytes]:
    """Return a file opened for reading. Raise EvidenceError or OSError."""
    if not is_remote(path):
        return open_regular(path, error=EvidenceError)
    system, name = store(path)
    with reached(path):
        return io.BufferedReader(_Remote(system.open(name, "rb"), path), _SKIP)


@contextmanager
def reached(path: str) -> Iterator[None]:
    """Turn whatever a store raises into EvidenceError: its packages have exceptions of their own."""
    try:
        yield
    except UsageError:
        raise
    except Exception as cause:
        status = getattr(cause, "status", None)
        what = f"status {status}" if type(status) is int else type(cause).__name__
        said = f"its store does not give it ({what}); where that stays so, fetch it first and judge the copy"
        raise EvidenceError(Problem(code="file_unreadable", file=path, message=said)) from cause


class _Remote(io.RawIOBase):
    """A file of a store. Those read no line of a given length, and fail in ways of their own."""

    def __init__(self, file: Any, path: str) -> None:
        self._file, self._path = file, path

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def seekable(self) -> bool:
        """Say that one can go to any place of it."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what there is next."""
        with reached(self._path):
            block = self._file.read(len(buffer))
        buffer[: len(block)] = block
        return len(block)

    def seek(self, place: int, whence: int = 0) -> int:
        """Go to a place."""
        with reached(self._path):
            self._file.seek(place, whence)
            return int(self._file.tell())

    def tell(self) -> int:
        """Return the place of what is read next."""
        return int(self._file.tell())

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            self._file.close()
        super().close()


def unpacked(stream: IO[bytes], packed: str) -> Unpacked:
    """Return what unpacks a stream of `gzip` or `zstd`. It never raises; `is_damaged` tells why it ended."""
    return Unpacked(gzip.GzipFile(fileobj=stream) if packed == "gzip" else _Zstd(stream))


class Unpacked(io.BufferedReader):
    """Bytes as they were before they were packed, up to where they are damaged or broken off."""

    def __init__(self, inner: Any) -> None:
        self._guarded = _Guarded(inner)
        super().__init__(self._guarded, _SKIP)

    @property
    def is_damaged(self) -> bool:
        """Say whether the end was one because what follows cannot be unpacked."""
        return self._guarded.is_damaged


class Lines:
    """The lines of a file by ranges of its unpacked bytes. Ranges that follow one another do not unpack anything twice."""

    def __init__(self, path: str, packed: str) -> None:
        self._path, self._packed = path, packed
        self._stream = opened(path)
        self._inside = self._begun()
        self._at = 0

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def seek(self, place: int) -> None:
        """Go to a place among the unpacked bytes."""
        if not self._packed:
            if place != self._at:
                self._inside.seek(place)
        else:
            if place < self._at:
                self._stream.seek(0)
                self._inside, self._at = self._begun(), 0
            while self._at < place:
                block = self._inside.read(min(_SKIP, place - self._at))
                if not block:
                    break
                self._at += len(block)
        self._at = place

    def line(self, most: int) -> bytes:
        """Return the next line with its end, at most so many bytes of it. What cannot be unpacked ends the last line."""
        line = self._inside.readline(most)
        self._at += len(line)
        return line

    @property
    def at(self) -> int:
        """Return the place of what is read next."""
        return self._at

    def _begun(self) -> IO[bytes]:
        return unpacked(self._stream, self._packed) if self._packed else self._stream


class _Guarded(io.RawIOBase):
    """A stream that unpacks, whose every failure is its end, after all bytes before it were given."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.is_damaged = False

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what there is next."""
        if self.is_damaged:
            return 0
        try:
            block = self._inner.read1(len(buffer))
        except (OSError, EOFError, zlib.error):
            self.is_damaged = True
            return 0
        buffer[: len(block)] = block
        return len(block)


class _Zstd:
    """Frames of zstd one after another. A frame that is broken off raises EOFError: the package's own reader just ends."""

    def __init__(self, stream: IO[bytes]) -> None:
        import zstandard

        self._stream, self._frames, self._error = stream, zstandard.ZstdDecompressor(), zstandard.ZstdError
        self._frame: Any = None
        self._left, self._ready = b"", memoryview(b"")

    def read1(self, size: int) -> bytes:
        """Return some bytes, at most so many; none at the end. Raise EOFError or OSError where they are damaged."""
        while not self._ready:
            packed = self._left or self._stream.read(_PACKED)
            self._left = b""
            if not packed:
                if self._frame is not None:
                    raise EOFError
                return b""
            self._frame = self._frame or self._frames.decompressobj()
            try:
                self._ready = memoryview(self._frame.decompress(packed))
            except self._error as cause:
                raise OSError from cause
            if self._frame.eof:
                self._left, self._frame = self._frame.unused_data, None
        block, self._ready = bytes(self._ready[:size]), self._ready[size:]
        return block
