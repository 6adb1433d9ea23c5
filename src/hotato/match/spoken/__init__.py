"""Numbers, amounts, dates, codes and addresses as people say them, read with a map back to the characters.

One file a language; the folder is the registry. The reader knows no word of any language: it is given a table.
What goes beyond numbers is in modules of its own, which are imported where they are wanted.
"""

from __future__ import annotations

import os
from importlib import import_module

from hotato.match.spoken._language import Language
from hotato.match.spoken._numbers import Number, numbers
from hotato.match.spoken._runs import Run, runs

__all__ = ["DEFAULT", "Language", "Number", "Run", "language", "languages", "numbers", "runs"]

DEFAULT = "english"


def languages() -> tuple[str, ...]:
    """Return the name of every language that has a table, sorted."""
    found = {entry.split(".")[0] for entry in os.listdir(__path__[0]) if entry.endswith((".py", ".pyc"))}
    return tuple(sorted(name for name in found if not name.startswith("_")))


def language(name: str = DEFAULT) -> Language:
    """Return the table of a language that `languages` lists. Raise KeyError."""
    if name not in languages():
        raise KeyError(name)
    table: Language = import_module(f"{__name__}.{name}").TABLE
    return table
