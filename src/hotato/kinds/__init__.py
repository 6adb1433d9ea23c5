"""The kinds of assertion: one file each. The folder is the registry; a kind is imported when it is first named."""

from __future__ import annotations

import os
from importlib import import_module

from hotato.kinds._kind import FAMILIES, Kind

_loaded: dict[str, type[Kind]] = {}


def names() -> tuple[str, ...]:
    """Return the name of every kind, sorted."""
    found = {entry.split(".")[0] for entry in os.listdir(__path__[0]) if entry.endswith((".py", ".pyc"))}
    return tuple(sorted(name for name in found if not name.startswith("_")))


def get(name: str) -> type[Kind]:
    """Return the kind of a name that `names` lists. Raise KeyError."""
    if name not in _loaded:
        if name not in names():
            raise KeyError(name)
        module = import_module(f"{__name__}.{name}")
        kinds = [k for k in vars(module).values() if isinstance(k, type) and issubclass(k, Kind) and k is not Kind]
        _loaded[name] = next(k for k in kinds if k.__module__ == module.__name__)
    return _loaded[name]


def all_kinds() -> tuple[type[Kind], ...]:
    """Return every kind, family by family, the core first. Imports them all."""
    return tuple(sorted(map(get, names()), key=lambda k: (FAMILIES.index(k.family), tag(k))))


def tag(kind: type[Kind]) -> str:
    """Return a kind's name as documents write it."""
    return str(kind.__struct_config__.tag)
