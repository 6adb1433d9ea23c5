"""Cutting a file of many calls into calls, in bounded memory: OTLP in JSON Lines, plain or gzip.

The file is read twice. The first time only ids are kept: which trace belongs to which conversation, since the span that
names it may come last. The second time every span goes to one of a few files in a temporary folder, chosen by its
conversation; then each of those is read whole. Memory is bounded by the largest of them and by the largest line.
"""

from __future__ import annotations

import json
import os
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, Any

import msgspec

from hotato.errors import EvidenceError, Problem
from hotato.importers import _otlp as otlp
from hotato.importers._assemble import imported
from hotato.importers._container import GZIP, Unreadable, opened
from hotato.importers._conversations import IDS
from hotato.importers._importer import Damage, Imported, Options
from hotato.importers._payload import identifier
from hotato.importers._raw import Batch, Log, Raw
from hotato.importers._refusals import damaged, unreadable, way
from hotato.model.limits import amount, limit, raising

BY = "gen_ai.conversation.id"
PIECE = 4 * 1024 * 1024  # bytes of input a temporary file
MOST_PIECES = 512
_CHUNK = 1024 * 1024
_encode = msgspec.json.Encoder().encode
_decode_span, _decode_log = msgspec.json.Decoder(tuple[str | None, Raw]), msgspec.json.Decoder(tuple[str | None, Log])


def split_trace(path: Any, by: str = BY, options: Options | None = None) -> Iterator[tuple[str | None, Imported]]:
    """Yield the conversations of a file with the id of each; None for what belongs to none. Raise EvidenceError.

    `by` is the attribute that names a conversation, on spans or on their resource. A file that is one document is read
    whole, and may have 64 MB. What is yielded comes in no order that means anything, but in the same order every time.
    """
    name = os.fspath(path)
    names = (by, *(one for one in IDS if one != by))
    stream = _Stream(name)
    if not stream.is_lines():
        batch = _whole(name)
        conversations = _named(batch.spans, names, {})
        whole: list[Raw | Log] = [*batch.spans, *batch.logs]
        yield from _calls([(conversations.get(one.trace), one) for one in whole], options)
        return
    conversations = {}
    for number, value in _requests(stream):
        _named(_batch(name, number, value).spans, names, conversations)
    size = os.path.getsize(name) * (10 if stream.is_gzip else 1)
    pieces = max(1, min(MOST_PIECES, size // PIECE))
    with tempfile.TemporaryDirectory(prefix="hotato-") as folder:
        files = [os.path.join(folder, f"{index}.jsonl") for index in range(pieces)]
        _spread(stream, conversations, files)
        for file in files:
            if os.path.exists(file):
                with open(file, "rb") as lines:
                    yield from _calls(map(_decoded, lines), options)


def _calls(
    records: Iterable[tuple[str | None, Raw | Log]], options: Options | None
) -> Iterator[tuple[str | None, Imported]]:
    batches: dict[str | None, Batch] = {}
    for told, record in records:
        batch = batches.setdefault(told, Batch())
        if isinstance(record, Raw):
            batch.spans.append(record)
            batch.count += 1
        else:
            batch.logs.append(record)
    for told in list(batches):
        yield told, imported(batches.pop(told), "otlp", options or Options(), cut_to=(told,))


def _whole(name: str) -> Batch:
    """Return what a file that is one document holds."""
    from hotato.context.files import read_bytes
    from hotato.importers.otlp import batch_of, matches

    try:
        found = opened(name, read_bytes(name, error=EvidenceError))
    except Unreadable as fault:
        raise EvidenceError(unreadable(name, fault)) from None
    if found.fault is not None:
        raise EvidenceError(unreadable(name, found.fault))
    if not matches(found.content):
        said = "is no OTLP; only OTLP can be split into conversations"
        raise EvidenceError(Problem(code="format_unknown", file=name, message=said))
    try:
        return batch_of(found.content)
    except Damage as damage:
        raise EvidenceError(damaged(found.content, damage)) from None


class _Stream:
    """The lines of a regular file, opened anew for each pass."""

    def __init__(self, name: str) -> None:
        self.name = name
        with self._open() as stream:
            self.is_gzip = stream.read(2) == GZIP

    def _open(self) -> IO[bytes]:
        from hotato.context.files import open_regular

        return open_regular(self.name, error=EvidenceError)

    def _blocks(self) -> Iterator[bytes]:
        with self._open() as stream:
            if not self.is_gzip:
                while block := stream.read(_CHUNK):
                    yield block
                return
            total = 0
            for block in _unpacked(stream):
                total += len(block)
                if total > limit("unpacked_bytes"):
                    said = f"unpacks to more than {amount('unpacked_bytes')}, the most that is read; {raising('unpacked_bytes')}"
                    raise self.fault(Unreadable("gzip", said))
                yield block

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield each line that is not blank with its number."""
        rest, number = b"", 0
        try:
            for block in self._blocks():
                whole, found, tail = (rest + block).rpartition(b"\n") if b"\n" in block else (b"", b"", rest + block)
                for line in whole.split(b"\n") if found else ():
                    number += 1
                    if line.strip():
                        yield number, line
                rest = tail
                if len(rest) > limit("line_bytes"):
                    said = f"a line of more than {amount('line_bytes')}, the most that is read; {raising('line_bytes')}"
                    raise Unreadable("file_too_large", said, number + 1)
        except Unreadable as fault:
            raise self.fault(fault) from None
        if rest.strip():
            yield number + 1, rest

    def fault(self, fault: Unreadable) -> EvidenceError:
        """Return the error of an unreadable line."""
        return EvidenceError(unreadable(self.name, fault))

    def is_lines(self) -> bool:
        """Say whether the first line is a value of its own and more follow it."""
        first: bytes | None = None
        try:
            for _, line in self.lines():
                if first is not None:
                    return _value(first) is not None
                first = line
        except EvidenceError:  # a document in one long line
            return False
        return False


def _unpacked(stream: IO[bytes]) -> Iterator[bytes]:
    member, left = zlib.decompressobj(wbits=31), b""
    try:
        while True:
            data = left or stream.read(_CHUNK)
            if not data:
                break
            yield member.decompress(data, _CHUNK)
            left = member.unconsumed_tail
            if member.eof:
                left = member.unused_data or stream.read(_CHUNK)
                if left[:1] == b"\0" or not left:
                    return
                member = zlib.decompressobj(wbits=31)
    except zlib.error:
        raise Unreadable("gzip", "the compressed file is damaged") from None
    raise Unreadable("gzip", "the compressed file is broken off")


def _value(line: bytes) -> Any:
    content = opened("", line).content
    return content.values[0] if content.shape == "document" else None


def _requests(stream: _Stream) -> Iterator[tuple[int, Any]]:
    """Yield the export request of each line. Raise EvidenceError with the line of the first that is none."""
    for number, line in stream.lines():
        found = opened(stream.name, line)
        if found.fault is not None or found.content.shape != "document":
            code, said = "import", "must be one JSON object"
            if found.fault is not None:
                code, said = found.fault.code, found.fault.message
            raise stream.fault(Unreadable(code, said, number))
        yield number, found.content.values[0]


def _batch(name: str, number: int, value: Any) -> Batch:
    batch = Batch()
    try:
        otlp.read_request(value, (), batch)
    except Damage as damage:
        problem = Problem(code=damage.code, file=name, line=number, path=way(damage.path), message=damage.message)
        raise EvidenceError(problem) from None
    return batch


def _named(spans: list[Raw], names: tuple[str, ...], found: dict[str, str]) -> dict[str, str]:
    """Add the conversation of each trace: of several that its spans name, the first in the order of ids."""
    for span in spans:
        told = identifier(span.first(names))
        if told is None and span.resource:
            told = identifier(next((span.resource[name] for name in names if name in span.resource), None))
        if told is not None:
            found[span.trace] = min(told, found.get(span.trace, told))
    return found


def _spread(stream: _Stream, conversations: dict[str, str], files: list[str]) -> None:
    """Write each span to the file of its conversation, as a line of its id and the span."""
    rows: dict[int, list[bytes]] = {}
    waiting = 0
    for number, value in _requests(stream):
        batch = _batch(stream.name, number, value)
        records: list[Raw | Log] = [*batch.spans, *batch.logs]
        for record in records:
            told = conversations.get(record.trace)
            index = zlib.crc32((told or "").encode("utf-8", "surrogatepass")) % len(files)
            line = _encoded(told, record)
            rows.setdefault(index, []).append(line)
            waiting += len(line)
        if waiting > PIECE:
            _append(rows, files)
            rows, waiting = {}, 0
    _append(rows, files)


def _append(rows: dict[int, list[bytes]], files: list[str]) -> None:
    for index, lines in rows.items():
        with open(files[index], "ab") as file:
            file.write(b"".join(lines))


def _encoded(told: str | None, record: Raw | Log) -> bytes:
    mark = b"s" if isinstance(record, Raw) else b"l"
    try:
        return mark + _encode((told, record)) + b"\n"
    except (UnicodeEncodeError, OverflowError):  # half a surrogate pair; a number beyond 64 bits
        return mark + json.dumps(msgspec.to_builtins((told, record))).encode() + b"\n"


def _decoded(line: bytes) -> tuple[str | None, Raw | Log]:
    is_span = line[:1] == b"s"
    try:
        return _decode_span.decode(line[1:]) if is_span else _decode_log.decode(line[1:])
    except ValueError:
        told, fields = json.loads(line[1:])
        return told, msgspec.convert(fields, Raw) if is_span else msgspec.convert(fields, Log)
