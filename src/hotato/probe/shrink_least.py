"""Delta debugging: from a list for which something holds to a short part of it for which it holds still."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import msgspec

_T = TypeVar("_T")


class Least(msgspec.Struct, Generic[_T], frozen=True):
    """What is left of a list, after how many tries, and whether no single item more can be left out."""

    kept: list[_T]
    tries: int
    is_least: bool


def least(items: Sequence[_T], holds: Callable[[Sequence[_T]], bool], most: int) -> Least[_T]:
    """Return a part of a list, in its order, for which `holds` is true; it is true of the whole list.

    Ever smaller stretches are left out where it stays true, down to single items, until none can be. At most `most` tries
    are made. The tries depend on the items and the answers alone.
    """
    kept, tries = list(items), 0
    size = len(kept)
    while size:
        place, is_changed = 0, False
        while place < len(kept):
            if tries >= most:
                return Least(kept, tries, False)
            fewer = kept[:place] + kept[place + size :]
            tries += 1
            if holds(fewer):
                kept, is_changed = fewer, True
            else:
                place += size
        if size == 1 and is_changed:
            continue
        size = min(size // 2, len(kept)) if size > 1 else 0
    return Least(kept, tries, True)
