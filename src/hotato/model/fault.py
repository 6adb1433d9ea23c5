"""One thing wrong inside a value of a document, before it has a line and a column."""

from __future__ import annotations

import msgspec


class Fault(msgspec.Struct, frozen=True):
    """`where` is the way into the value (keys and positions), `found` what to guess from among `allowed`."""

    where: tuple[str | int, ...]
    code: str
    message: str
    found: str = ""
    allowed: tuple[str, ...] = ()
