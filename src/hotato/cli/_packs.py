"""Bundled packs, as the commands name them."""

from __future__ import annotations

from typing import TYPE_CHECKING

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


def regexes(sort: packs.Sort, name: str) -> dict[str, int | None]:
    """Return the regexes that a pack searches for, each with its degree: see docs/regexes.md. None: no bound is known."""
    from hotato.document.load import load
    from hotato.document.reading import read
    from hotato.match.regex import compile_pattern, regex_degree
    from hotato.plan.compile import compile_plan
    from hotato.plan.resources import Resources, bundled

    if sort == "policy":
        return {rule.regex: regex_degree(rule.regex) for rule in bundled(name).rules}
    found: dict[str, int | None] = {}

    class Listing(Resources):
        def pattern(self, source: str, *, case_sensitive: bool = False, speech: bool = True) -> Pattern:
            found[source] = regex_degree(source)
            return compile_pattern(source, case_sensitive=case_sensitive, speech=speech)

    resources = Listing()
    compile_plan(load(read(packs.text("assertions", name), name).value, resources), resources)
    return found


if TYPE_CHECKING:
    from hotato.match.regex import Pattern
