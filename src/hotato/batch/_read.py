"""Reading one piece of the input: its calls, in order, each with a name of its own."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator

from hotato.batch._judge import Item, items_of
from hotato.batch._sources import CALL, PARQUET, Piece
from hotato.batch._streams import Lines, is_remote, opened, reached, store
from hotato.context.row import COLUMNS, EVIDENCE, meant
from hotato.errors import EvidenceError, Problem
from hotato.model.limits import limit

_ROWS = 512  # rows of a row group that are decoded at once
_MOST_OPEN = 8
# packed files, so that the next piece goes on where one ended; each by its path, what packs it, and which state of it
_open: OrderedDict[tuple[str, str, tuple[int, ...]], Lines] = OrderedDict()


def items(piece: Piece, root: str, call_format: str = "", *, capture_complete: bool = False) -> Iterator[Item]:
    """Yield the calls of a piece. `root` is the folder that names are shown relative to. Raise EvidenceError.

    A call that cannot be read is an item with a fault. What is raised is a file that is gone or of another size.
    """
    for path, size in zip(piece.paths, piece.sizes, strict=False):
        _check(path, size)
    if piece.kind == CALL:
        for path in piece.paths:
            yield _call(path, shown(path, root), call_format, capture_complete)
    elif piece.kind == PARQUET:
        yield from _rows(piece, shown(piece.paths[0], root))
    else:
        yield from _lines(piece, shown(piece.paths[0], root))


def shown(path: str, root: str) -> str:
    """Return the name of a file as results have it: relative to the folder that was given."""
    return path[len(root) :].lstrip("/\\") if root and path.startswith(root) else os.path.basename(path)


def _lines(piece: Piece, name: str) -> Iterator[Item]:
    if piece.fault:
        yield Item(f"{name}@{piece.start}", fault=piece.fault)
        return
    most = limit("line_bytes")
    lines = _lines_of(piece.paths[0], piece.packed)
    try:
        lines.seek(max(piece.start - 1, 0))
        if piece.start:  # the line that began before belongs to the piece before
            while (rest := lines.line(most)) and not rest.endswith(b"\n"):
                pass
        while lines.at < piece.end:
            place = lines.at
            line = lines.line(most)
            if not line:
                break
            if len(line) >= most and not line.endswith(b"\n"):
                while (rest := lines.line(most)) and not rest.endswith(b"\n"):
                    pass
                yield Item(f"{name}@{place}", fault="file_too_large")
            elif not line.isspace():
                yield Item(f"{name}@{place}", line=line)
    finally:
        if not piece.packed:
            lines.close()


def _lines_of(path: str, packed: str) -> Lines:
    if not packed:
        return Lines(path, packed)
    key = path, packed, _state(path)
    if key in _open:
        _open.move_to_end(key)
        return _open[key]
    while len(_open) >= _MOST_OPEN:
        _open.popitem(last=False)[1].close()
    _open[key] = Lines(path, packed)
    return _open[key]


def _state(path: str) -> tuple[int, ...]:
    if is_remote(path):
        return ()
    told = os.stat(path)
    return told.st_ino, told.st_size, told.st_mtime_ns


def _rows(piece: Piece, name: str) -> Iterator[Item]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    done = 0
    if piece.fault:
        yield Item(f"{name}@{piece.start}", fault=piece.fault)
        return
    rows = piece.sizes[1]
    try:
        with opened(piece.paths[0]) as stream:
            file = pq.ParquetFile(stream)
            columns = [field for field in file.schema_arrow.names if field in COLUMNS or meant(field) in EVIDENCE]
            for batch in file.iter_batches(_ROWS, row_groups=[piece.end], columns=columns, use_threads=False):
                yield from items_of(batch, name, piece.start + done)
                done += batch.num_rows
    except EvidenceError:  # a store that does not give it
        raise
    except (pa.ArrowException, OSError, ValueError):
        for place in range(done, rows):  # each call that the group holds is told of
            yield Item(f"{name}@{piece.start + place}", fault="parquet")


def _call(path: str, name: str, call_format: str, capture_complete: bool) -> Item:
    from hotato import importers
    from hotato.importers._call import call_of

    try:
        with opened(path) as stream:
            raw = stream.read(limit("file_bytes") + 1)
        if len(raw) > limit("file_bytes"):
            return Item(name, fault="file_too_large")
        imported = importers.read_raw(path, raw, call_format or None)
        return Item(name, call=call_of(imported, capture_complete=capture_complete, file=path))
    except EvidenceError as error:
        return Item(name, fault=error.problems[0].code)
    except OSError:
        return Item(name, fault="file_unreadable")


def _check(path: str, size: int) -> None:
    """Raise EvidenceError for a file that is not as large as it was when the run began."""
    try:
        if is_remote(path):
            system, name = store(path)
            with reached(path):
                now = int(system.size(name))
        else:
            now = os.stat(path).st_size
    except OSError:
        now = -1
    if now != size:
        said = "is gone" if now < 0 else f"has {now} bytes, and had {size} when the run began"
        raise EvidenceError(Problem(code="run_changed", file=path, message=said))
