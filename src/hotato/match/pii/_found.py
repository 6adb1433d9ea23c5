"""What a detector says about one place of a stretch."""

from __future__ import annotations

import msgspec


class Found(msgspec.Struct, frozen=True, gc=False):
    """A number or an address from `start` to `end` of a stretch.

    `code` is how it was recognised. `value` is what it says, separators left out; it is private and is never shown.
    `said` is true where any of it was said as words.
    """

    code: str
    start: int
    end: int
    value: str
    said: bool = False

    def __repr__(self) -> str:
        """Return what may be shown: nothing of the value."""
        return f"Found({self.code!r}, {self.start}, {self.end})"
