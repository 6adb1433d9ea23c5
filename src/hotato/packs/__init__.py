"""Rule packs and assertion packs that come with hotato: YAML files, in one folder for each sort of pack."""

from __future__ import annotations

import os
from typing import Literal

Sort = Literal["policy", "assertions"]
_HERE = __path__[0]


def names(sort: Sort) -> tuple[str, ...]:
    """Return the names of the packs of a sort, sorted."""
    return tuple(sorted(entry[:-5] for entry in os.listdir(_folder(sort)) if entry.endswith(".yaml")))


def text(sort: Sort, name: str) -> str:
    """Return the YAML text of a pack that `names` lists. Raise KeyError."""
    if name not in names(sort):
        raise KeyError(name)
    with open(f"{_folder(sort)}/{name}.yaml", encoding="utf-8") as file:  # pathlib is slow to import
        return file.read()


def _folder(sort: Sort) -> str:
    return f"{_HERE}/{sort}"
