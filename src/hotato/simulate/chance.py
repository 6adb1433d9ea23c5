"""Chance that is none: every draw follows from the seed and from what is drawn, on every machine, in any order."""

from __future__ import annotations

from hashlib import sha256

_WHOLE = 1 << 64


def draw(seed: int, *what: object) -> int:
    """Return 64 bits that follow from a seed and from the names and numbers of what is drawn."""
    return int.from_bytes(sha256("\0".join(map(str, (seed, *what))).encode()).digest()[:8], "big")


def happens(probability: float, seed: int, *what: object) -> bool:
    """Say whether something of a probability comes about."""
    return draw(seed, *what) < round(probability * _WHOLE)


def between(least: int, most: int, seed: int, *what: object) -> int:
    """Return a whole number between two, both included."""
    return least + draw(seed, *what) * (most - least + 1) // _WHOLE
