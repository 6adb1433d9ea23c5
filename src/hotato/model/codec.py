"""The one JSON codec: strict in, stable out.

Strict means: no duplicate keys, no NaN or infinities, bounded depth. A lone surrogate is let in,
since vendors write them, and goes out escaped. Stable means: ASCII, keys in the order given, one spelling.
"""

from __future__ import annotations

import json
from typing import Any

MAX_DEPTH = 64


class JsonError(ValueError):
    """Text that is no strict JSON. `line` and `column` count from 1; 0 where the place is not known.

    `code` is one of `json_syntax`, `json_duplicate_key`, `json_number`, `json_depth`; `key` is the duplicate key.
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


_decode = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_float=_float).decode


def decode(text: str) -> Any:
    """Return the value of a strict JSON text. Raise JsonError."""
    try:
        value = _decode(text)
    except json.JSONDecodeError as error:
        raise JsonError("json_syntax", error.msg, error.lineno, error.colno) from None
    except JsonError:
        raise
    except ValueError:  # CPython's own bound on the digits of an integer
        raise JsonError("json_number", "an integer of more than 4300 digits") from None
    except RecursionError:
        raise JsonError("json_depth", f"nested more than {MAX_DEPTH} deep") from None
    if text.count("[") + text.count("{") > MAX_DEPTH and _too_deep(value):
        raise JsonError("json_depth", f"nested more than {MAX_DEPTH} deep")
    return value


def _too_deep(value: Any) -> bool:
    layer = [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for item in layer:
            if type(item) is dict:
                below += [v for v in item.values() if type(v) in (dict, list)]
            elif type(item) is list:
                below += [v for v in item if type(v) in (dict, list)]
        if not below:
            return False
        layer = below
    return True


def encode(value: Any, indent: int | None = None) -> str:
    """Return the JSON text of a plain value: ASCII, keys in the order given, the same bytes every time."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, indent=indent)
