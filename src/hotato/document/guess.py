"""Which of the allowed words a misspelt one was most likely meant to be."""

from __future__ import annotations

from collections.abc import Sequence

MAX_WORD = 64
MAX_STEPS = 1_000_000


class Guesser:
    """Guesses for one document. The work is counted, so that a hostile document costs bounded time on any machine."""

    def __init__(self) -> None:
        self._steps = MAX_STEPS

    def nearest(self, found: str, allowed: Sequence[str]) -> str:
        """Return the allowed word nearest to `found`, the first of equals; empty where none is near."""
        if len(found) > MAX_WORD:
            return ""
        flat = _flat(found)
        best, best_word = 1 + max(1, len(flat) // 3), ""
        for word in allowed:
            other = _flat(word)
            self._steps -= 1
            if abs(len(other) - len(flat)) >= best or len(other) > MAX_WORD:
                continue
            self._steps -= len(flat) * len(other)
            if self._steps < 0:
                return best_word
            cost = distance(flat, other)
            if cost < best:
                best, best_word = cost, word
        return best_word


def _flat(word: str) -> str:
    return word.casefold().replace("-", "_").replace(" ", "_")


def distance(a: str, b: str) -> int:
    """Return how many insertions, deletions, replacements and swaps of neighbours turn one word into the other."""
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, char in enumerate(a, 1):
        row = [i]
        for j, other in enumerate(b, 1):
            cost = min(row[j - 1] + 1, last[j] + 1, last[j - 1] + (char != other))
            if i > 1 and j > 1 and char == b[j - 2] and a[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]
