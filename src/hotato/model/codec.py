"""The one JSON codec: strict in, stable out.

Strict means: no duplicate keys, no NaN or infinities, bounded depth, a bounded number of values. A lone surrogate is let in,
since vendors write them, and goes out escaped. Stable means: ASCII, keys in the order given, one spelling.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from hotato.model.limits import amount, limit, raising

T = TypeVar("T")
LARGEST = 1.7976931348623157e308  # the largest float; an integer of JSON may be larger


class JsonError(ValueError):
    """Text that is no strict JSON. `line` and `column` count from 1; 0 where the place is not known.

    `code` is one of `json_syntax`, `json_duplicate_key`, `json_number`, `json_depth`, `json_values`; `key` is the
    duplicate key.
    """

    def __init__(self, code: str, message: str, line: int = 0, column: int = 0, key: str = "") -> None:
        self.code, self.message, self.line, self.column, self.key = code, message, line, column, key
        super().__init__(message)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise JsonError("json_duplicate_key", "the same key twice in one object", key=key)
            seen.add(key)
    return found


def _constant(name: str) -> Any:
    raise JsonError("json_number", f"{name} is not a JSON number")


def _float(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise JsonError("json_number", "a number too large to represent")
    return value


_slow = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_float=_float).decode
_fast = msgspec.json.Decoder().decode
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NO_MARKS = bytes(set(range(256)) - set(b"{}[]:"))
_NESTING = frozenset((dict, list))
_again = msgspec.json.Encoder().encode


def decode(text: str) -> Any:
    """Return the value of a strict JSON text. Raise JsonError."""
    _check_size(text)
    try:
        value = _fast(text)
    except (ValueError, RecursionError):
        return _careful(text)
    # as many colons as keys: none was dropped and none stands deeper, whatever the strings hold; what the lists hold is empty
    if type(value) is dict and len(value) == text.count(":") and text.count("[") < limit("depth") - 1:
        return value
    return value if _is_strict([value], text, [text]) else _careful(text)


def decode_bytes(raw: bytes) -> Any:
    """Return the value of a strict JSON text in UTF-8, as `decode` does. Raise JsonError, also for what is not UTF-8."""
    if len(raw) <= limit("values"):
        try:
            value = _fast(raw)
        except (ValueError, RecursionError):
            pass
        else:
            if _is_strict_bytes(value, raw):
                return value
    try:
        return decode(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise JsonError("json_syntax", "not UTF-8 text") from None


def decode_typed(raw: bytes, decoder: Callable[[bytes], T]) -> T | None:
    """Return what a typed decoder of msgspec reads of a text; None unless that is surely all that a strict one reads.

    A key that the types do not name is none that was read. What the types leave out where it is absent, they leave out where
    the value is encoded again.
    """
    if len(raw) > limit("values"):
        return None
    try:
        value = decoder(raw)
    except (ValueError, RecursionError):
        return None
    return value if _is_strict_bytes(value, raw) else None


def _is_strict_bytes(value: Any, raw: bytes) -> bool:
    """Say of one value what `_is_strict` says of values."""
    if b"\\" in raw and b"\\u003" in raw:
        return False
    try:
        marks = _again(value).translate(None, _NO_MARKS)
        if marks.count(b":") != raw.count(b":"):
            return False
        return _is_flat(marks) or not is_too_deep(value if type(value) in _NESTING else msgspec.to_builtins(value))
    except (ValueError, RecursionError):
        return False


def decode_lines(text: str, lines: list[str]) -> list[Any] | None:
    """Return the value of each line of a text; None where any is not strict JSON, for the caller to find out which.

    Raise JsonError where the lines together hold more values than allowed.
    """
    _check_size(text)
    return _quick(text, lines)


def _quick(text: str, pieces: list[str]) -> list[Any] | None:
    """Return the values of a text's pieces if a fast decoder reads them and no key stands twice; None where unsure."""
    try:
        values = list(map(_fast, pieces))
    except (ValueError, RecursionError):
        return None
    return values if _is_strict(values, text, pieces) else None


def _is_strict(values: list[Any], text: str, pieces: list[str]) -> bool:
    """Say whether what the fast decoder read of a text's pieces is surely what a strict one would read.

    The fast decoder keeps the last of two equal keys. Each key written has one colon, and so has it when the values are
    encoded again; colons inside strings are the same in both, unless written as an escape, and then the careful decoder
    is asked. Equal counts therefore mean that no key was dropped.
    """
    if "\\u003" in text:
        return False
    try:
        again = _again(values)
    except (ValueError, RecursionError):
        return False
    if again.count(b":") != text.count(":"):
        return False
    deepest = limit("depth")
    if any(piece.count("{") + piece.count("[") > deepest for piece in pieces):
        return _is_flat(again.translate(None, _NO_MARKS)) or not any(map(is_too_deep, values))
    return True


def _is_flat(marks: bytes) -> bool:
    """Say whether compact JSON is surely nested no deeper than allowed, by its brackets and colons alone.

    Whatever is nested stands behind a colon or in a list, and lists are opened. Brackets and colons inside strings make the count
    larger, never smaller.
    """
    return 1 + marks.count(b":{") + marks.count(b":[") + marks.count(b"[") <= limit("depth")


def is_too_deep(value: Any) -> bool:
    """Say whether a plain value is nested deeper than allowed."""
    layer = [value] if type(value) in _NESTING else []
    for _ in range(limit("depth")):
        layer = [
            value
            for item in layer
            for value in (item.values() if type(item) is dict else item)
            if type(value) in _NESTING
        ]
        if not layer:
            return False
    return True


def _check_size(text: str) -> None:
    """Raise JsonError for a text with more values than allowed, before any of them takes memory.

    A value begins a mapping or a list, or has a comma before it, or is the first.
    """
    most = limit("values")
    if len(text) <= most or _separators(text) < most:
        return
    bare = _STRING.sub("", text)
    if _separators(bare) - bare.count("{}") - bare.count("[]") >= most:
        raise JsonError("json_values", f"more than {amount('values')}; {raising('values')}")


def _separators(text: str) -> int:
    return sum(map(text.count, ",[{"))


def _careful(text: str) -> Any:
    return decode_by(_slow, text)


def too_deep() -> str:
    """Return the words for what is nested deeper than allowed."""
    return f"nested more than {limit('depth')} deep; {raising('depth')}"


def decode_by(decoder: Callable[[str], Any], text: str) -> Any:
    """Return what a decoder of the standard library reads of a text. Raise JsonError with the place of what is wrong."""
    try:
        value = decoder(text)
        if not is_too_deep(value):
            return value
        fault = JsonError("json_depth", too_deep())
    except json.JSONDecodeError as error:
        raise JsonError("json_syntax", error.msg, error.lineno, error.colno) from None
    except JsonError as error:
        fault = error
    except ValueError:  # CPython's own bound on the digits of an integer
        fault = JsonError("json_number", "an integer of more than 4300 digits")
    except RecursionError:
        fault = JsonError("json_depth", too_deep())
    from hotato.model.json_place import place_of

    line, column = place_of(text, fault.code, limit("depth"))
    raise JsonError(fault.code, fault.message, line, column, fault.key)


def is_json(value: Any) -> bool:
    """Say whether JSON has a form of a value in hand, and of all in it, that reads back as an equal one, tuples as lists."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def plain(value: Any) -> Any:
    """Return a value that `is_json` as it reads back: a tuple is a list, a key is text, and no class is one of a caller's."""
    return json.loads(json.dumps(value, allow_nan=False))


def encode_bytes(value: Any) -> bytes:
    """Return the JSON text of a plain value as compact UTF-8: keys in the order given, the same bytes every time.

    A text with a lone surrogate has no UTF-8: where there is one, all of it is ASCII and what is not is escaped.
    """
    try:
        return _again(value)
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")


def encode(value: Any, indent: int | None = None) -> str:
    """Return the JSON text of a plain value: ASCII, keys in the order given, the same bytes every time."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, indent=indent)
