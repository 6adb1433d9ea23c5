"""Fields that differ from those that are read in their case and their `_` alone: what they say would be lost."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from hotato.importers._importer import Path


class Known(msgspec.Struct):
    """The fields of a shape: below each what it holds if that is a shape as well, and which unknown names are one of them.

    `near` is filled as names are met; a name that is nearly none of them is there as an empty text.
    """

    below: dict[str, Known | None]
    folded: dict[str, str]
    near: dict[str, str]


def misnamed(value: Any, shape: Any) -> tuple[Path, str] | None:
    """Return the way to a field that is one of the shape's in other letters, and the right name; None without one.

    A field is only missed where the value has none of its right name. Other fields are let through.
    """
    known = _known(shape)
    return None if known is None else _missed(value, known)


def _missed(value: Any, known: Known) -> tuple[Path, str] | None:
    if type(value) is list:
        for index, one in enumerate(value):
            if type(one) in (dict, list) and (found := _missed(one, known)) is not None:
                return (index, *found[0]), found[1]
        return None
    if type(value) is not dict:
        return None
    for name, held in value.items():
        if name in known.below:
            below = known.below[name]
            if below is not None and type(held) in (dict, list) and (found := _missed(held, below)) is not None:
                return (name, *found[0]), found[1]
        elif held is not None:
            near = known.near.get(name)
            if near is None:
                near = known.folded.get(_folded(name), "")
                if len(known.near) < len(known.below) * 8:  # of files with names without end not all are kept
                    known.near[name] = near
            if near and near not in value:
                return (name,), near
    return None


def _folded(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()


@cache
def _known(shape: Any) -> Known | None:
    from msgspec import inspect

    made: dict[Any, Known] = {}

    def of(info: Any) -> Known | None:
        if isinstance(info, inspect.ListType):
            return of(info.item_type)
        if isinstance(info, inspect.UnionType):
            return next((found for one in info.types if (found := of(one)) is not None), None)
        if not isinstance(info, inspect.StructType):
            return None
        if info.cls not in made:
            names = [field.encode_name for field in info.fields]
            folded = {_folded(name): name for name in names}
            made[info.cls] = Known(below={}, folded=folded, near={})
            made[info.cls].below.update((field.encode_name, of(field.type)) for field in info.fields)
        return made[info.cls]

    return of(inspect.type_info(shape))
