"""Bundled packs, as the commands name them."""

from __future__ import annotations

from hotato import packs
from hotato.errors import DocumentError, Problem


def pack_text(name: str, sorts: tuple[packs.Sort, ...] = ("assertions",)) -> str:
    """Return the YAML text of a bundled pack. Raise DocumentError, with a guess."""
    for sort in sorts:
        if name in packs.names(sort):
            return packs.text(sort, name)
    from hotato.document.guess import Guesser

    known = [one for sort in sorts for one in packs.names(sort)]
    said = f"no pack is called '{name}'; there are {', '.join(known)}"
    guess = Guesser().nearest(name, known) or next((one for one in known if name and name in one), "")
    raise DocumentError(Problem(code="unknown_pack", file="pack", message=said, guess=guess))


def about(sort: packs.Sort, name: str) -> str:
    """Return what the comment at the top of a pack says, up to its first full stop."""
    first = packs.text(sort, name).partition("\n")[0]
    return first.lstrip("# ")
