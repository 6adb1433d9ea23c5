"""From bytes to what every importer sees alike: unpacked, decoded, and cut into its JSON values."""

from __future__ import annotations

import json
import zlib
from typing import Any

import msgspec

from hotato.importers._importer import Content
from hotato.model import codec
from hotato.model.limits import amount, limit, raising

GZIP = b"\x1f\x8b"
_BLANK = " \t\r\n"


class Unreadable(ValueError):  # noqa: N818  # named for what the bytes are
    """Bytes that cannot be cut into values: a code, the place, and what is wrong."""

    def __init__(self, code: str, message: str, line: int = 0, column: int = 0) -> None:
        self.code, self.message, self.line, self.column = code, message, line, column
        super().__init__(message)


class Opened(msgspec.Struct, frozen=True):
    """Content, the fault of its JSON where it begins as JSON and is none, and whether it holds NaN or an infinity."""

    content: Content
    fault: Unreadable | None = None
    is_loose: bool = False


def opened(name: str, raw: bytes) -> Opened:
    """Return the content of a file's bytes. Raise Unreadable for gzip that is damaged or unpacks to more than a file may have."""
    if raw[:2] == GZIP:
        raw = gunzip(raw)
    try:
        text = raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        return Opened(Content(name=name, raw=raw, text=None, shape="binary", values=[], lines=[]))
    if text.lstrip(_BLANK)[:1] not in ("{", "[", '"'):
        return Opened(Content(name=name, raw=raw, text=text, shape="text", values=[], lines=[]))
    loose = False
    try:
        shape, values, lines = _values(text, codec.decode)
    except Unreadable as fault:
        if fault.code != "json_number":
            return Opened(Content(name=name, raw=raw, text=text, shape="text", values=[], lines=[]), fault)
        loose = True
        try:
            shape, values, lines = _values(text, _loose)
        except Unreadable as other:
            return Opened(Content(name=name, raw=raw, text=text, shape="text", values=[], lines=[]), other)
    return Opened(Content(name=name, raw=raw, text=text, shape=shape, values=values, lines=lines), None, loose)


def gunzip(raw: bytes) -> bytes:
    """Return what gzip bytes hold, all members. Raise Unreadable where they are damaged or hold more than a file may."""
    most = limit("file_bytes")
    out = bytearray()
    while raw[:2] == GZIP:
        member = zlib.decompressobj(wbits=31)
        try:
            out += member.decompress(raw, most + 1 - len(out))
        except zlib.error:
            raise Unreadable("gzip", "the compressed file is damaged") from None
        if len(out) > most:
            said = f"unpacks to more than {amount('file_bytes')}, the most that is read; {raising('file_bytes')}"
            raise Unreadable("gzip", said)
        if not member.eof:
            raise Unreadable("gzip", "the compressed file is broken off")
        raw = member.unused_data
    if raw.strip(b"\0"):
        raise Unreadable("gzip", "something other than gzip follows the compressed data")
    return bytes(out)


def _values(text: str, decode: Any) -> tuple[Any, list[Any], list[int]]:
    """Return shape, values and the line of each: one document, else one value a line, else values back to back."""
    if decode is codec.decode and _begins_with_whole_line(text):
        pieces = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line and not line.isspace()]
        try:
            found = codec.decode_lines(text, [line for _, line in pieces]) if len(pieces) > 1 else None
        except codec.JsonError as error:
            raise Unreadable(error.code, error.message) from None
        if found is not None:
            return "lines", found, [n for n, _ in pieces]
    try:
        return "document", [decode(text)], [_line(text, 0)]
    except codec.JsonError as error:
        whole = Unreadable(error.code, f"not JSON: {error.message}", error.line, error.column)
        if error.code != "json_syntax":
            raise whole from None
    numbered = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line and not line.isspace()]
    if len(numbered) < 2 and _concatenated_end(text) is None:
        raise whole
    lines = _by_line(numbered, text, decode)
    if not isinstance(lines, Unreadable):
        return "lines", lines, [n for n, _ in numbered]
    return _concatenated(text, decode, lines, whole)


def _begins_with_whole_line(text: str) -> bool:
    """Say whether the first line can be a value of its own, so that a text is first tried as one value a line."""
    end = text.find("\n")
    return end > 0 and text[end - 1 if text[end - 1] != "\r" else max(end - 2, 0)] in "}]"


def _by_line(numbered: list[tuple[int, str]], text: str, decode: Any) -> list[Any] | Unreadable:
    values: list[Any] = []
    for number, line in numbered:
        try:
            values.append(decode(line))
        except codec.JsonError as error:
            last = number == numbered[-1][0] and error.code == "json_syntax" and not text.endswith("\n")
            said = "truncated: the last line is no whole JSON value" if last else f"not JSON: {error.message}"
            return Unreadable(error.code, said, number, error.column)
    return values


def _concatenated_end(text: str) -> int | None:
    """Return where the first value of a text ends, None where it does not begin with one."""
    try:
        return json.JSONDecoder().raw_decode(text, _skip(text, 0))[1]
    except (ValueError, RecursionError):
        return None


def _concatenated(text: str, decode: Any, lined: Unreadable, whole: Unreadable) -> tuple[Any, list[Any], list[int]]:
    """Return values written back to back. `lined` and `whole` are the faults of the text as lines and as a document."""
    decoder = json.JSONDecoder()
    place = _skip(text, 0)
    values: list[Any] = []
    lines: list[int] = []
    line, counted = 1, 0
    while place < len(text):
        line, counted = line + text.count("\n", counted, place), place
        try:
            end = decoder.raw_decode(text, place)[1]
            values.append(decode(text[place:end]))
        except json.JSONDecodeError as error:
            if not values:
                raise whole from None
            if len(values) == lined.line - 1 or lined.message.startswith("truncated"):
                raise lined from None
            raise Unreadable("json_syntax", f"not JSON: {error.msg}", error.lineno, error.colno) from None
        except codec.JsonError as error:
            raise Unreadable(error.code, f"not JSON: {error.message}", line + max(error.line - 1, 0)) from None
        except RecursionError:
            raise Unreadable("json_depth", codec.too_deep(), line) from None
        except ValueError:
            raise Unreadable("json_number", "an integer of more than 4300 digits", line) from None
        lines.append(line)
        place = _skip(text, end)
    return "concatenated", values, lines


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place] in _BLANK:
        place += 1
    return place


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, _skip(text, place)) + 1


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise codec.JsonError("json_duplicate_key", "the same key twice in one object")
    return found


_not_strict = json.JSONDecoder(object_pairs_hook=_pairs).decode


def _loose(text: str) -> Any:
    """Return the value of JSON as Python and JavaScript tools write it, with NaN and infinities. Raise codec.JsonError."""
    return codec.decode_by(_not_strict, text)


def finite(value: Any) -> tuple[Any, int]:
    """Return a value with null for every float that JSON has no number for, and how many there were."""
    if type(value) is float:
        return (value, 0) if abs(value) <= codec.LARGEST else (None, 1)
    if type(value) is dict:
        pairs = {key: finite(item) for key, item in value.items()}
        return {key: item for key, (item, _) in pairs.items()}, sum(count for _, count in pairs.values())
    if type(value) is list:
        items = [finite(item) for item in value]
        return [item for item, _ in items], sum(count for _, count in items)
    return value, 0
