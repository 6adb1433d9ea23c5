"""What a plain YAML scalar means: the YAML 1.2 core schema, less what other versions of YAML read differently."""

from __future__ import annotations

import re

MAX_DIGITS = 19
_WORDS: dict[str, bool | None] = {
    "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_DISPUTED = re.compile(
    r"[-+]?(?:0[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?"  # 017, 007.5
    r"|[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?"  # 1. 1._ 1.0_1 .5_
    r"|[0-9]+_[0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?"  # 1_000
    r"|0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+"
    r"|\.(?:inf|Inf|INF|nan|NaN|NAN))"
)
_NUMERIC = frozenset("0123456789+-.")


class ScalarError(ValueError):
    """A plain scalar that must be written otherwise. `code` is `ambiguous_scalar` or `number`."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


def resolve(plain: str) -> str | int | float | bool | None:
    """Return the value of a plain scalar that is not empty. Raise ScalarError.

    `yes`, `no`, `on`, `off`, dates and times are text. Integers have at most 19 digits, floats are finite.
    """
    if plain in _WORDS:
        return _WORDS[plain]
    if plain[0] not in _NUMERIC:
        return plain
    if _INT.fullmatch(plain):
        if len(plain.lstrip("+-")) > MAX_DIGITS:
            raise ScalarError("number", f"an integer of more than {MAX_DIGITS} digits; quote it if it is a text")
        return int(plain)
    if _FLOAT.fullmatch(plain):
        value = float(plain)
        if value in (float("inf"), float("-inf")):
            raise ScalarError("number", "a number too large to represent; quote it if it is a text")
        return value
    if _DISPUTED.fullmatch(plain):
        short = plain if len(plain) <= 40 else plain[:39] + "\u2026"
        raise ScalarError("ambiguous_scalar", f"{short} is read differently by different versions of YAML; quote it")
    return plain
