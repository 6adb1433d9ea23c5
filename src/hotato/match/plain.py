"""What a database or an answer holds, as the plain values that assertions compare."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from typing import Any

from hotato.errors import StateAdapterError

MOST_BYTES = 1_000_000  # of one record; the text of its values
_MOST_DEPTH = 64


def record(columns: Sequence[str], row: Sequence[Any]) -> dict[str, Any]:
    """Return a row as a record. Raise StateAdapterError where two columns have one name, or where it is too large."""
    if len(set(columns)) != len(columns):
        raise StateAdapterError("two columns of the answer have the same name")
    room = [MOST_BYTES]
    return {name: plain(value, room) for name, value in zip(columns, row, strict=True)}


def plain(value: Any, room: list[int], depth: int = 0) -> Any:
    """Return a value as text, number, boolean, None, list or mapping; `room` is how many bytes may still come.

    A decimal becomes the whole number or the float that it equals, else its text. Dates and times become ISO 8601, bytes
    base64, and any other value its text. Raise StateAdapterError where there is more than allowed, or a value without a text.
    """
    if value is None or type(value) is bool:
        return value
    if isinstance(value, int):
        _take(room, 8)
        return int(value)
    if isinstance(value, float):
        _take(room, 8)
        return float(value) if math.isfinite(value) else repr(value)
    if depth > _MOST_DEPTH:
        raise StateAdapterError("the record is nested too deep")
    if isinstance(value, Mapping):
        _take(room, 8)
        return {_text(str(key), room): plain(inner, room, depth + 1) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        _take(room, 8)
        return [plain(inner, room, depth + 1) for inner in value]
    return _other(value, room)


def _other(value: Any, room: list[int]) -> Any:
    if isinstance(value, str):
        return _text(value, room)
    if isinstance(value, (bytes, bytearray, memoryview)):
        raw = bytes(value)
        _take(room, len(raw))
        return base64.b64encode(raw).decode("ascii")
    name = type(value).__name__
    if name == "Decimal":
        return _decimal(value, room)
    if callable(getattr(value, "isoformat", None)):
        return _text(str(value.isoformat()), room)
    kind: Any = type(value)
    is_by_place = (
        kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__
    )  # its text is where in memory it lies
    if is_by_place or isinstance(value, (set, frozenset)):  # whose order differs from run to run
        raise StateAdapterError(f"the record holds an object of type {name}")
    return _text(str(value), room)


def _decimal(value: Any, room: list[int]) -> Any:
    from decimal import Decimal

    _take(room, 8)
    if not value.is_finite() or abs(value.adjusted()) > 300:
        return _text(str(value), room)
    if value == value.to_integral_value():
        return int(value)
    return float(value) if Decimal(repr(float(value))) == value else _text(str(value), room)


def _text(value: str, room: list[int]) -> str:
    _take(room, len(value))
    return value


def _take(room: list[int], size: int) -> None:
    room[0] -= size
    if room[0] < 0:
        raise StateAdapterError(f"the record is larger than {MOST_BYTES} bytes")
