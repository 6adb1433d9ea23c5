"""Faults of values become problems of a file: with place, path, assertion and guess."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hotato.document.guess import Guesser
from hotato.document.tree import Tree
from hotato.errors import DocumentError, Problem
from hotato.model.fault import Fault
from hotato.model.limits import limit

Where = tuple[str | int, ...]

_PLAIN_KEY = r"[A-Za-z_$][A-Za-z0-9_$-]*"
_AT_KEY = frozenset(
    {
        "unknown_field",
        "needless_field",
        "exclusive_fields",
        "pack_setting",
        "pack_file",
        "matcher_unknown",
        "matcher_mixed",
    }
)


def path_text(where: Where) -> str:
    """Return a place in the data as text: `assertions[2].expect["due date"]`."""
    out = ""
    for step in where:
        if isinstance(step, int):
            out += f"[{step}]"
        elif re.fullmatch(_PLAIN_KEY, step) and len(step) <= 40:
            out += f".{step}" if out else step
        else:
            out += f'["{shown(step)}"]'
    return out


def shown(text: str) -> str:
    """Return text that a user wrote as a message may show it: one line, printable, at most 40 characters."""
    short = text if len(text) <= 40 else text[:39] + "\u2026"
    return printable(short)


def printable(text: str) -> str:
    """Return text on one line, with what a terminal would not show, or would obey, written as an escape."""
    return text if text.isprintable() else "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


class Problems:
    """Collects what is wrong in the trees of one document. `raise_any` raises it all, sorted by file and place."""

    def __init__(self) -> None:
        self._found: list[Problem] = []
        self._textual: set[tuple[str, int, int]] = set()
        self._guesser = Guesser()
        self._most = limit("problems")

    def __bool__(self) -> bool:
        """Say whether anything was found."""
        return bool(self._found)

    def take(self, problems: Iterable[Problem]) -> None:
        """Add problems that have their places already; where they are, faults of the value read there are left out."""
        for problem in problems:
            self._found.append(problem)
            if problem.line:
                self._textual.add((problem.file, problem.line, problem.column))

    def add(self, tree: Tree, where: Where, fault: Fault, owner: str = "") -> None:
        """Add a fault of the value at `where`. `owner` names what it belongs to: `assertion 'refund'`."""
        inner = (*where, *fault.where)
        line, column = tree.position(inner, key=fault.code in _AT_KEY)
        if (tree.file, line, column) in self._textual:
            return
        few = len(self._found) < self._most
        guess = self._guesser.nearest(fault.found, fault.allowed) if few and fault.found else ""
        message = printable(f"{owner}: {fault.message}" if owner else fault.message)
        self._found.append(
            Problem(
                code=fault.code,
                message=message,
                file=tree.file,
                line=line,
                column=column,
                path=path_text(inner),
                guess=guess,
            )
        )

    def raise_any(self) -> None:
        """Raise DocumentError with every problem added so far, if there is any."""
        if self._found:
            raise DocumentError(in_order(self._found))


def in_order(problems: Sequence[Problem]) -> list[Problem]:
    """Return problems by file and place. Beyond the limit, 1000, the rest is counted, not listed."""
    most = limit("problems")
    kept = sorted(problems, key=lambda p: (p.file, p.line, p.column))
    if len(kept) > most:
        more = f"{len(kept) - most} more problems are not listed"
        last = kept[most]
        kept[most:] = [
            Problem(code="too_many_problems", message=more, file=last.file, line=last.line, column=last.column)
        ]
    return kept
