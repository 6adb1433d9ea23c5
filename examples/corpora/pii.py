"""Look for personal data in every conversation of the corpora and count what is found, by detector.

    python examples/corpora/pii.py [--corpora FOLDER] [--show] [NAME ...]

`--show` prints each distinct hit with the words around it, for a person to review; keep that output to yourself.
Exit 0, or 2 without the corpora.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from corpus import ABSENT, CORPORA, read

from hotato.match import pii
from hotato.match.spoken import languages
from hotato.model.call import Turn

NAMES = ("taubench", "star", "sgd", "eva", "whissle_voice", "tau2voice")
AROUND = 60


class Count:
    """What was found in one corpus: hits by detector and code, and the distinct ones with the words around them."""

    def __init__(self) -> None:
        self.turns = 0
        self.seconds = 0.0
        self.hits: Counter[tuple[str, str, bool]] = Counter()
        self.shown: Counter[tuple[str, str, str]] = Counter()

    def add(self, turns: list[Turn]) -> None:
        """Count the hits of one call."""
        start = time.perf_counter()
        found = pii.find(turns)
        self.seconds += time.perf_counter() - start
        self.turns += len(turns)
        for hit in found:
            self.hits[hit.detector, hit.code, hit.said] += 1
            turn, first, last = hit.spans[0]
            text = turns[turn].text
            before, after = text[max(0, first - AROUND) : first], text[last : last + 20]
            self.shown[hit.detector, hit.value, f"{before}<<{text[first:last]}>>{after}".replace("\n", " ")] += 1


def count(folder: Path, name: str) -> Count:
    """Look through one corpus."""
    made = Count()
    for record in read(folder, name):
        said = [turn for turn in record["transcript"] if turn.get("text")]
        made.add([Turn(place, turn["role"], turn["text"]) for place, turn in enumerate(said)])
    return made


def main(argv: list[str]) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(description="Look for personal data in every conversation of the corpora.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which corpora: {', '.join(NAMES)}; default all")
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="the folder that holds them")
    parser.add_argument("--show", action="store_true", help="print each distinct hit with the words around it")
    given = parser.parse_args(argv)
    if not given.corpora.is_dir():
        sys.stderr.write(ABSENT.format(folder=given.corpora) + "\n")
        return 2
    sys.stdout.write(f"languages read: {', '.join(languages())}\n")
    for name in given.names or NAMES:
        made = count(given.corpora, name)
        sys.stdout.write(f"{name}: {made.turns} turns in {made.seconds:.1f} s\n")
        for (detector, code, said), hits in sorted(made.hits.items()):
            way = "said" if said else "written"
            rate = hits / made.turns * 1000
            sys.stdout.write(f"  {detector:<12} {code:<14} {way:<8} {hits:6} {rate:8.2f} per 1,000 turns\n")
        for (detector, _, text), times in sorted(made.shown.items()) if given.show else ():
            sys.stdout.write(f"    {detector} x{times}: {text}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
