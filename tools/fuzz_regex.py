"""Hold the linear search of regexes against Python's `re`, on patterns and texts made up at random.

    python tools/fuzz_regex.py [PAIRS]      so many pairs of a pattern and a text; 1,000,000 by default
    python tools/fuzz_regex.py 5000 --seed 7

A pair whose verdict or whose first place differs is printed and ends the run with 1. A span whose end differs is counted:
it happens where the body of a loop can match nothing. For a pattern with a scoped `(?a:...)` or `(?u:...)`, on which CPython's `search`
contradicts its `match`, `match` at each place is what counts.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import warnings
from typing import Any

from hotato.match.regex import compile_pattern, regex_fault
from hotato.match.regex._linear import Linear
from hotato.match.regex._parse import parse
from hotato.match.text import nfc

LETTERS = (
    "aabbkKsSiI1_ .-\n\x1c\t" + "\u017f\u0131\u212a\u0130\u00df\u1e9e\u03c2\u03c3\u00e9\u0664\u00b2\xa0\u00b5\U0001d7d9"
)
ATOMS = [
    "a", "b", "ab", "k", "K", "s", "i", "1", " ", ".", r"\.", r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", "[ab]", "[^a]", "[a-k]",
    r"[^\W\d]", r"[\s\S]", r"[^\s]", "[k\u017f]", r"[\d.]", "^", "$", r"\A", r"\Z", r"\b", r"\B", "\u017f", "\u0131", "\u212a",
    "\u00df", "\u03c3", "\u00e9", r"\u00b2", r"\n", "_", "[[:a]", "",
]  # fmt: skip
REPEATS = ["*", "+", "?", "{2}", "{0,2}", "{1,}", "{,2}", "{2,3}"]
GROUPS = [
    "(", "(", "(?:", "(?:", "(?:", "(?P<n>", "(?i:", "(?-i:", "(?s:", "(?m:", "(?a:", "(?u:", "(?=", "(?!", "(?<=", "(?<!",
]  # fmt: skip
HEADS = ["", "", "", "", "(?s)", "(?m)", "(?a)", "(?x)", "(?i)"]


def pattern(chance: random.Random) -> str:
    """Return a pattern, now and then one that `re` refuses."""
    return chance.choice(HEADS) + _part(chance, 3)


def _part(chance: random.Random, depth: int) -> str:
    out = []
    for _ in range(chance.randint(1, 3)):
        pick = chance.random()
        if depth and pick < 0.3:
            piece = chance.choice(GROUPS) + _part(chance, depth - 1) + ")"
        elif depth and pick < 0.4:
            piece = "(?:" + "|".join(_part(chance, depth - 1) for _ in range(chance.randint(2, 3))) + ")"
        else:
            piece = chance.choice(ATOMS)
        if chance.random() < 0.3:
            piece += chance.choice(REPEATS) + chance.choice(["", "", "?"])
        out.append(piece)
    return "".join(out)


def text(chance: random.Random) -> str:
    """Return a text of up to nine characters, so that `re` is done soon on any pattern."""
    return "".join(chance.choices(LETTERS, k=chance.randint(0, 9)))


def differs(source: str, flags: int, words: str, place: int, linear: Linear) -> str:
    """Return how the linear search differs from `re`: `verdict`, `start`, `span`, or nothing."""
    plain = re.compile(source, flags)
    ours = linear.search(words, place)
    if "(?a:" in source or "(?u:" in source:
        at = next((n for n in range(place, len(words) + 1) if plain.match(words, n)), None)
        theirs = None if at is None else plain.match(words, at)
    else:
        theirs = plain.search(words, place)
    if (ours is None) is not (theirs is None):
        return "verdict"
    if ours is None or theirs is None:
        return ""
    if ours.start() != theirs.start():
        return "start"
    return "" if ours.end() == theirs.end() else "span"


def _parsed(source: str, flags: int) -> tuple[Any, int]:
    tree, compiled = parse(source, flags)
    return tree, compiled.flags


def main(arguments: list[str]) -> int:
    """Run the fuzzer; return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("pairs", nargs="?", type=int, default=1_000_000, help="how many pairs")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)), help="repeats a run")
    given = parser.parse_args(arguments)
    chance = random.Random(given.seed)
    warnings.simplefilter("ignore")
    print(f"{given.pairs} pairs, --seed {given.seed}", flush=True)
    pairs = patterns = matches = spans = failed = 0
    while pairs < given.pairs:
        source, flags = nfc(pattern(chance)), chance.choice([0, re.IGNORECASE])
        if regex_fault(source):
            continue
        patterns += 1
        linear = Linear(*_parsed(source, flags), source)
        quick = compile_pattern(source, case_sensitive=not flags, speech=False)
        for _ in range(10):
            words = text(chance)
            place = chance.choice([0, 0, 0, min(1, len(words))])
            found = differs(source, flags, words, place, linear)
            pairs += 1
            matches += linear.search(words, place) is not None
            spans += found == "span"
            dispatched = quick.search(words, place) is not None
            if found in ("verdict", "start") or dispatched is not (linear.search(words, place) is not None):
                failed += 1
                print(f"{found or 'dispatcher'}: {source!r} flags {flags} on {words!r} from {place}", flush=True)
    told = f"{pairs} pairs, {patterns} patterns, {matches} matches, {spans} with another end"
    print(f"{told}, {failed or 'no'} failures")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
