"""The fields of a span's record: which can be left out, and the record without some of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

# what a span is and when it was; without them a record is no span, or another one
KEPT = ("type", "name", "start_sec", "end_sec", "time_sec", "time_inferred", "seq")
Path = tuple[str, ...]


def paths(data: Mapping[str, Any], above: Path = ()) -> Iterator[Path]:
    """Yield the path of every field that can be left out, those that hold others first. What stands in lists is no field."""
    for name, value in data.items():
        if above or name not in KEPT:
            path = (*above, name)
            yield path
            if isinstance(value, Mapping):
                yield from paths(value, path)


def pruned(data: Mapping[str, Any], kept: Collection[Path], above: Path = ()) -> dict[str, Any]:
    """Return a record with the fields kept, each only where those that hold it are kept too."""
    found = {}
    for name, value in data.items():
        path = (*above, name)
        if (not above and name in KEPT) or path in kept:
            found[name] = pruned(value, kept, path) if isinstance(value, Mapping) else value
    return found
