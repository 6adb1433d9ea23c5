"""Judge every call of the corpora and hold the engine's verdicts against the corpora's own.

    python examples/corpora/judge.py [--corpora FOLDER] [NAME ...]

Exit 0 where all agree but for the disagreements that were looked into, 1 where there are others, 2 without the corpora.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from corpus import ABSENT, CORPORA, Judge, Score, score, unexplained

NAMES = ("taubench", "star", "sgd", "eva", "whissle_voice", "tau2voice")


def make(name: str, folder: Path) -> Judge:
    """Return the judge of a corpus by its name."""
    made: Judge = import_module(name).Judge(folder)
    return made


def lines(judge: Judge, kept: Score) -> Iterator[str]:
    """Yield what is to be told of one corpus."""
    agreed, disagreed = sum(kept.agreed.values()), sum(map(len, kept.disagreed.values()))
    statuses = ", ".join(f"{kept.statuses[status]} {status}" for status in ("PASS", "FAIL", "INCONCLUSIVE"))
    yield f"{kept.name}: {kept.calls} calls in {kept.seconds:.1f} s, {kept.calls / kept.seconds:.0f} calls/s"
    yield f"  results: {statuses}"
    yield f"  comparisons with the corpus: {agreed} agree, {disagreed} do not"
    for check in sorted({*kept.agreed, *kept.disagreed}):
        apart = len(kept.disagreed.get(check, ()))
        why = f" ({judge.known[check].why})" if check in judge.known else ""
        yield f"    {check}: {kept.agreed[check]} agree" + (f", {apart} do not{why}" if apart else "")
    for what, count in sorted(kept.noted.items()):
        yield f"  {what}: {count}"
    for sentence in unexplained(judge, kept):
        yield f"  NOT EXPLAINED: {sentence}"


def main(argv: list[str]) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(description="Judge every call of the corpora.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which corpora: {', '.join(NAMES)}; default all")
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="the folder that holds them")
    given = parser.parse_args(argv)
    unknown = sorted(set(given.names) - set(NAMES))
    if unknown:
        parser.error(f"no corpus is called {unknown[0]}; there are {', '.join(NAMES)}")
    if not given.corpora.is_dir():
        sys.stderr.write(ABSENT.format(folder=given.corpora) + "\n")
        return 2
    calls, seconds, wrong = 0, 0.0, 0
    for name in given.names or NAMES:
        judge = make(name, given.corpora)
        kept = score(judge, given.corpora)
        sys.stdout.write("\n".join(lines(judge, kept)) + "\n")
        sys.stdout.flush()
        calls, seconds, wrong = calls + kept.calls, seconds + kept.seconds, wrong + len(unexplained(judge, kept))
    sys.stdout.write(f"all: {calls} calls in {seconds:.1f} s, {calls / seconds:.0f} calls/s\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
