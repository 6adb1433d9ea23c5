"""What is wrong with one piece of evidence: as much of it as is listed, the rest counted."""

from __future__ import annotations

from collections.abc import Iterable

from hotato.errors import EvidenceError, Problem
from hotato.model.limits import limit, raising


class Faults:
    """Collects the problems of a file or value up to the limit, so that a million of them take no memory."""

    def __init__(self, file: str) -> None:
        self.listed: list[Problem] = []
        self._file = file
        self._left = limit("problems")
        self._more = 0

    def add(self, problem: Problem) -> None:
        """Add a problem, or count it."""
        if self._left > 0:
            self._left -= 1
            self.listed.append(problem)
        else:
            self._more += 1

    def extend(self, problems: Iterable[Problem]) -> None:
        """Add several."""
        for problem in problems:
            self.add(problem)

    @property
    def is_full(self) -> bool:
        """Say whether no more is listed: what else is wrong is not worth looking for."""
        return self._left <= 0

    def raise_any(self) -> None:
        """Raise EvidenceError with what was added, by line, if anything was."""
        if not self.listed:
            return
        found = sorted(self.listed, key=lambda p: p.line)
        if self.is_full:
            more = f"{self._more} more problems" if self._more else "what else is wrong"
            said = f"{more} {'are' if self._more else 'is'} not listed; {raising('problems')}"
            found.append(Problem(code="too_many_problems", file=self._file, message=said))
        raise EvidenceError(found)
