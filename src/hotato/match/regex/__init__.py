"""Regular expressions of users: checked once, compiled once, searched as few times as possible, and never for long.

The meaning is that of Python's `re.search` on one turn, one URL or one error message. Three facts about a pattern, read
from its parse tree, make a call cheap to judge: `needles` (every match contains one of these strings, so a text without
them needs no search), `words` (it is one of these strings and nothing else, so that no search is needed at all) and
`local` (what surrounds a match cannot change it, so that all turns can be searched at once).

A fourth one bounds its cost: up to `safe` characters, `re` itself cannot take more than a fixed number of steps, and runs.
A longer text is searched by a machine of our own whose time is in proportion to the text and whose verdict is the same.
Which of the two runs depends on the pattern and the length of the text alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from hotato.match.regex._bound import ALWAYS, degree, longest
from hotato.match.regex._facts import can_match, facts, words
from hotato.match.regex._faults import MAX_PATTERN, regex_fault
from hotato.match.regex._parse import parse
from hotato.match.text import fold_pattern, nfc

if TYPE_CHECKING:
    from hotato.match.regex._linear import Linear

__all__ = [
    "MAX_PATTERN",
    "Match",
    "Pattern",
    "compile_pattern",
    "lacks",
    "regex_can_match",
    "regex_common",
    "regex_degree",
    "regex_fault",
]

# equal to s and i when case is ignored, but not lowered to them alone: U+0130 is lowered to i and the dot U+0307
_OUTSIDE_ASCII = "\u017f\u0131\u0307"


class Match(Protocol):
    """What checks ask of a match: a `re.Match`, or what our own search found."""

    def start(self) -> int:
        """Return where it begins."""

    def end(self) -> int:
        """Return where it ends."""

    def group(self, group: int | str = 0, /) -> Any:
        """Return what a group holds, the whole match for 0, None for a group that took no part."""

    def span(self, group: int | str = 0, /) -> tuple[int, int]:
        """Return where a group begins and ends, -1 and -1 for a group that took no part."""


class Pattern(msgspec.Struct, frozen=True, eq=False):
    """A compiled regex. `search(text, place)` is `re.Pattern.search`; the other fields as the module says.

    `words` are in lower case where case is ignored, as `folds` says.
    """

    source: str
    search: Callable[..., Match | None]
    needles: tuple[str, ...] = ()
    local: bool = False
    safe: int = ALWAYS
    words: tuple[str, ...] = ()
    folds: bool = True


def compile_pattern(source: str, *, case_sensitive: bool = False, speech: bool = True) -> Pattern:
    """Compile a checked pattern. `speech` folds its typography as turns are folded; else it is only composed (NFC)."""
    text = fold_pattern(source) if speech else nfc(source)
    tree, compiled = parse(text, 0 if case_sensitive else re.IGNORECASE)
    flags = compiled.flags
    needles, local = facts(tree, flags)
    safe = longest(tree, flags)
    search: Any = compiled.search
    if safe < ALWAYS:
        search = _dispatcher(search, lambda: (tree, flags, source), needles, safe)
    return Pattern(source, search, needles, local, safe, words(tree, flags), bool(flags & re.IGNORECASE))


def regex_can_match(source: str) -> bool:
    """Say whether some text may match a pattern; false only where none can, such as after `a^` or `(?!)`."""
    tree, compiled = parse(fold_pattern(source), re.IGNORECASE)
    return can_match(tree, compiled.flags)


def regex_common(source: str, *, case_sensitive: bool = False) -> int:
    """Say with how many letters in a row, 1 or 2, any text of ASCII matches a pattern, such as `.+`; 0: not known to."""
    from hotato.match.regex._common import letters

    tree, compiled = parse(fold_pattern(source), 0 if case_sensitive else re.IGNORECASE)
    return letters(tree, compiled.flags)


def regex_degree(source: str) -> int | None:
    """Return with what power of a text's length the steps of `re` at one place can grow; None where nothing bounds them."""
    tree, compiled = parse(fold_pattern(source), re.IGNORECASE)
    return degree(tree, compiled.flags)


def lacks(lowered: str, needles: tuple[str, ...]) -> bool:
    """Say whether a text, given in lower case, surely has none of the needles, so that no match can be in it."""
    return bool(needles) and is_even(lowered) and not any(needle in lowered for needle in needles)


def is_even(lowered: str) -> bool:
    """Say whether a text, given in lower case, tells by its ASCII letters where needles are, each in its own place."""
    return lowered.isascii() or not any(char in lowered for char in _OUTSIDE_ASCII)


def _dispatcher(
    plain: Callable[..., Any],
    parsed: Callable[[], tuple[Any, int, str]],
    needles: tuple[str, ...],
    safe: int,
) -> Callable[..., Match | None]:
    linear: list[Linear] = []

    def search(text: str, place: int = 0) -> Match | None:
        if len(text) <= safe:
            found: Match | None = plain(text, place)
            return found
        if needles and lacks(text.lower(), needles):
            return None
        if not linear:
            from hotato.match.regex._linear import Linear

            linear.append(Linear(*parsed()))
        return linear[0].search(text, place)

    return search
