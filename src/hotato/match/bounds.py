"""How many of something there may be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import msgspec

from hotato.model.fault import Fault

Count = Annotated[int, msgspec.Meta(ge=0)]


class Range(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`{min, max}`, both inclusive, at least one of them."""

    min: Count | None = None
    max: Count | None = None


Bound = Count | Range


def allows(bound: int | Range, count: int) -> bool:
    """Say whether a count lies in a bound."""
    if isinstance(bound, int):
        return count == bound
    return (bound.min is None or count >= bound.min) and (bound.max is None or count <= bound.max)


def words(bound: int | Range) -> str:
    """Return a bound in words: `exactly 2`, `at least 1`, `1 to 3`."""
    if isinstance(bound, int):
        return f"exactly {bound}"
    if bound.max is None:
        return f"at least {bound.min}"
    return f"at most {bound.max}" if bound.min is None else f"{bound.min} to {bound.max}"


def bound_faults(bound: int | Range | None, where: str) -> Iterator[Fault]:
    """Yield what is wrong with a bound beyond its types."""
    if isinstance(bound, Range):
        if bound.min is None and bound.max is None:
            yield Fault((where,), "bound", "an empty bound; give min, max or both")
        elif bound.min is not None and bound.max is not None and bound.min > bound.max:
            yield Fault((where,), "bound", f"min {bound.min} is greater than max {bound.max}, so no count is allowed")
        elif bound.max is None and bound.min == 0:
            yield Fault((where,), "bound", "at least 0 allows every count, so the check could not fail")
