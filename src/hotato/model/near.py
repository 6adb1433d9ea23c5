"""Which of some names another one is nearly."""

from __future__ import annotations

from collections.abc import Sequence

_CUTOFF = 0.85  # one letter more, less or other in a short name
_SWAPPED = 0.75  # two letters that stand in each other's place


def nearest(found: str, known: Sequence[str]) -> str:
    """Return the name that another one is but for its case, its edges between words or a letter or so; empty without one."""
    from difflib import get_close_matches

    flat = found[:64].casefold().replace("-", "_").replace(" ", "_")
    if flat in known:
        return flat
    alike = {one.replace("_", ""): one for one in known}
    same = alike.get(flat.replace("_", ""))
    if same:
        return same
    swapped = [one for one in known if sorted(one) == sorted(flat)]
    near = get_close_matches(flat, swapped, n=1, cutoff=_SWAPPED) or get_close_matches(flat, known, n=1, cutoff=_CUTOFF)
    return next(iter(near), "")
