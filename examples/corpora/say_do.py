"""Claims beside deeds on whole conversations: the confusion table of `claim` on STAR, and of `until` on SGD.

    python examples/corpora/say_do.py [--corpora FOLDER]

Exit 0 where every label of the corpora is met, 1 where one is not, 2 without the corpora.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
from corpus import ABSENT, CORPORA, HERE, Record, by_sequence, read
from sgd import _acts as acts

from hotato import assert_ as A

ROWS = ("caught", "missed", "passed", "false alarm", "unknown")


class Table(msgspec.Struct):
    """How judged things came out: `counts` by row, `wrong` names the calls of those that came out wrong."""

    counts: Counter[str]
    wrong: list[str]
    unlabelled: Counter[str]
    calls: int = 0
    seconds: float = 0.0

    def keep(self, call: str, is_true: bool, status: str) -> None:
        """Count one judged thing that the corpus calls true or false."""
        row = {
            ("FAIL", False): "caught",
            ("FAIL", True): "false alarm",
            ("PASS", True): "passed",
            ("PASS", False): "missed",
        }
        name = row.get((status, is_true), "unknown")
        self.counts[name] += 1
        if name not in ("caught", "passed"):
            self.wrong.append(call)


def star(folder: Path) -> Table:
    """Judge what the agents of STAR claim, each call whole."""
    table = Table(Counter(), [], Counter())
    plans: dict[str, A.Plan] = {}
    for path in sorted((HERE / "documents").glob("say-do-star-*.yaml")):
        compiled = A.compile_assertions(path.read_text(encoding="utf-8"), join_segments=False)
        plans |= {node.id: compiled for node in compiled.nodes}
    for record in read(folder, "star"):
        labels = record["expected"]["claims"]
        wanted = list({id(plans[one["label"]]): plans[one["label"]] for one in labels}.values())
        if not wanted:
            continue
        begun = time.process_time()
        call = A.build_context(transcript=record["transcript"], spans=record["spans"])
        results = {r["id"]: r for compiled in wanted for r in A.judge_call(compiled, call)["results"]}
        table.seconds += time.process_time() - begun
        table.calls += 1
        _star_call(record, results, table)
    return table


def _star_call(record: Record, results: dict[str, Record], table: Table) -> None:
    """Hold each labelled claim against the claims that the results name, and count what is named and has no label."""
    numbers = [turn["seq"] for turn in record["transcript"]]
    named = {
        (label, numbers[one["turn"]]): result["status"]
        for label, result in results.items()
        for one in result.get("claims", ())
    }
    for claim in record["expected"]["claims"]:
        place = claim["label"], claim["seq"]
        whole = results[claim["label"]]["status"]  # a FAIL names only the claims that are false
        table.keep(record["call_id"], claim["consistent"], named.pop(place, "PASS" if whole == "FAIL" else "not found"))
    table.unlabelled.update(status for status in named.values())


def sgd(folder: Path) -> Table:
    """Judge that the agents of SGD act only after a yes, and the same without that yes."""
    table = Table(Counter(), [], Counter())
    text = (HERE / "documents" / "say-do-sgd.yaml").read_text(encoding="utf-8")
    plans: dict[str, A.Plan] = {}
    for record in read(folder, "sgd"):
        roles = {turn["seq"]: turn["role"] for turn in record["transcript"]}
        told = list(acts(record["expected"]["dialog_acts"], roles))
        done = [raw for raw in record["spans"] if raw["transactional"]]
        table.calls += bool(done)
        for raw in done:
            if raw["name"] not in plans:
                plans[raw["name"]] = A.compile_assertions(text.replace("ACTION", raw["name"]), join_segments=False)
            agreed = raw["seq"] - 1
            silent = [span for span in told if span["start_sec"] != agreed]
            for acted, is_true in ((told, True), (silent, False)):
                spans = [*acted, *by_sequence([raw])]
                begun = time.process_time()
                call = A.build_context(transcript=by_sequence(record["transcript"]), spans=spans)
                status = A.judge_call(plans[raw["name"]], call)["results"][0]["status"]
                table.seconds += time.process_time() - begun
                table.keep(record["call_id"], is_true, status)
    return table


def lines(name: str, table: Table) -> Iterator[str]:
    """Yield what is to be told of one table."""
    yield f"{name}: {table.calls} calls, {1000 * table.seconds / table.calls:.2f} ms a call"
    yield "  " + ", ".join(f"{row} {table.counts[row]}" for row in ROWS)
    if table.unlabelled:
        yield "  without a label: " + ", ".join(
            f"{count} {status}" for status, count in sorted(table.unlabelled.items())
        )
    if table.wrong:
        yield "  wrong: " + ", ".join(table.wrong[:20])


def main(argv: list[str]) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(description="Judge claims beside deeds on whole conversations.")
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="the folder that holds them")
    given = parser.parse_args(argv)
    if not given.corpora.is_dir():
        sys.stderr.write(ABSENT.format(folder=given.corpora) + "\n")
        return 2
    tables = {"star, claims": star(given.corpora), "sgd, acts after a yes": sgd(given.corpora)}
    for name, table in tables.items():
        sys.stdout.write("\n".join(lines(name, table)) + "\n")
    return 1 if any(table.wrong for table in tables.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
