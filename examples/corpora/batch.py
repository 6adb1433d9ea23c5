"""Judge the corpora as they are, each domain by its document, with `hotato batch run`: one table of results and rates.

    python examples/corpora/batch.py [--corpora FOLDER] [--workers N]

"Of nothing" counts the passes with nothing to check. Nothing is compared here and nothing is derived; `judge.py` does both. Exit 0 where every call could be read, 1 where one
could not, 2 without the corpora.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from corpus import ABSENT, CORPORA, HERE, read

from hotato import batch
from hotato.model import codec

# corpus -> the documents for all its calls, and the beginnings of documents whose name ends in a domain
DOCUMENTS = {
    "taubench": ((), ("taubench-",)),
    "star": (("star",), ("star-", "say-do-star-")),
    "sgd": (("say-do-sgd",), ()),
    "eva": ((), ("eva-",)),
    "whissle_voice": (("whissle",), ("whissle-",)),
    "tau2voice": (("tau2voice",), ()),
}


def main(argv: list[str]) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(description="Judge the corpora with hotato batch run.")
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="the folder that holds them")
    parser.add_argument("--workers", type=int, default=0, help="processes; by default one for each core")
    given = parser.parse_args(argv)
    if not given.corpora.is_dir():
        sys.stderr.write(ABSENT.format(folder=given.corpora) + "\n")
        return 2
    names = ("document", "calls", "assertions", "pass", "of nothing", "fail", "inconclusive", "errors", "calls/s")
    sys.stdout.write("| " + " | ".join(names) + " |\n" + "| --- " + "| ---: " * 8 + "|\n")
    totals, wrong, began = [0, 0, 0, 0, 0], 0, time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        for document, calls in _work(given.corpora, Path(folder)):
            start = time.perf_counter()
            made = batch.run(
                document,
                str(calls),
                f"{calls}.{document.stem}",
                workers=given.workers,
                max_errors=10**6,
                join_segments=False,
            )
            spent = time.perf_counter() - start
            results, total = made["results"], made["calls"]["total"]
            counts = [results[name] for name in ("pass", "vacuous", "fail", "inconclusive")]
            totals = [a + b for a, b in zip(totals, [total, *counts], strict=True)]
            wrong += made["calls"]["errors"]
            cells = [document.stem, total, len(made["checks"]), *counts, made["calls"]["errors"], round(total / spent)]
            sys.stdout.write("| " + " | ".join(map(str, cells)) + " |\n")
            sys.stdout.flush()
    spent = time.perf_counter() - began
    cells = ["all", totals[0], "", *totals[1:], wrong, round(totals[0] / spent)]
    sys.stdout.write("| " + " | ".join(map(str, cells)) + " |\n")
    return 1 if wrong else 0


def _work(corpora: Path, folder: Path) -> Iterator[tuple[Path, Path]]:
    """Yield each document with a file of the calls that it is for."""
    for corpus, (whole, by_domain) in DOCUMENTS.items():
        files: dict[str, Path] = {}
        for record in read(corpora, corpus):
            for domain in {"", str(record.get("domain") or "")}:
                files.setdefault(domain, folder / f"{corpus}{domain and '-'}{domain}.jsonl")
                with files[domain].open("a", encoding="ascii") as stream:
                    stream.write(codec.encode(record) + "\n")
        yield from ((HERE / "documents" / f"{name}.yaml", files[""]) for name in whole)
        for beginning in by_domain:
            for domain in sorted(files):
                document = HERE / "documents" / f"{beginning}{domain}.yaml"
                if domain and document.exists():
                    yield document, files[domain]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
