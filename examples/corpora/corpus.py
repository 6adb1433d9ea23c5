"""What the judges of the single corpora share: reading records, making evidence of them, and keeping the score."""

from __future__ import annotations

import gzip
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec

from hotato import assert_ as A
from hotato.state_adapter import MockStateAdapter

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CORPORA = ROOT.parent / "shared" / "corpora"
ABSENT = "The corpora were not judged: there is no folder {folder}."

Record = dict[str, Any]
Results = dict[str, dict[str, Any]]


class Finding(NamedTuple):
    """One comparison: what the corpus says of a call, and what the engine says of it."""

    check: str
    expected: Any
    found: Any


class Known(NamedTuple):
    """Disagreements that were looked into: how many there are, and what the corpus gets wrong there."""

    times: int
    why: str


class Score:
    """The score of one corpus.

    `statuses` counts the results of the engine, `agreed` the comparisons by check, `disagreed` names the calls by check,
    `noted` counts what has no right or wrong. `seconds` is the time for all calls, reading the file included.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.calls = 0
        self.seconds = 0.0
        self.statuses: Counter[str] = Counter()
        self.agreed: Counter[str] = Counter()
        self.disagreed: dict[str, list[str]] = {}
        self.noted: Counter[str] = Counter()

    def judge(self, plan: A.Plan, call: A.Context) -> Results:
        """Return the results of one call by assertion id, and count their statuses."""
        results = {result["id"]: result for result in A.judge_call(plan, call)["results"]}
        self.statuses.update([result["status"] for result in results.values()])
        return results

    def note(self, what: str) -> None:
        """Count something that is worth knowing and is neither agreement nor disagreement."""
        self.noted[what] += 1

    def keep(self, call_id: str, finding: Finding) -> None:
        """Count one comparison."""
        if type(finding.expected) is type(finding.found) and finding.expected == finding.found:
            self.agreed[finding.check] += 1
        else:
            self.disagreed.setdefault(finding.check, []).append(call_id)


class Judge(Protocol):
    """The judge of one corpus: what is compiled once is compiled when it is made."""

    name: str
    known: Mapping[str, Known]

    def findings(self, record: Record, score: Score) -> Iterator[Finding]:
        """Judge one call and yield each comparison with what the corpus says."""


def read(folder: Path, name: str) -> Iterator[Record]:
    """Yield the calls of one corpus file."""
    decode = msgspec.json.Decoder().decode
    with gzip.open(folder / f"{name}.jsonl.gz", "rb") as lines:
        for line in lines:
            yield decode(line)


def score(judge: Judge, folder: Path) -> Score:
    """Judge every call of a corpus."""
    kept = Score(judge.name)
    start = time.perf_counter()
    for record in read(folder, judge.name):
        for finding in judge.findings(record, kept):
            kept.keep(record["call_id"], finding)
        kept.calls += 1
    kept.seconds = time.perf_counter() - start
    return kept


def unexplained(judge: Judge, kept: Score) -> list[str]:
    """Return a sentence for each check whose number of disagreements is not the known one."""
    out = []
    for check in sorted({*kept.disagreed, *judge.known}):
        found = kept.disagreed.get(check, [])
        known = judge.known[check].times if check in judge.known else 0
        if len(found) != known:
            out.append(f"{judge.name}, {check}: {len(found)} disagreements, {known} are known; {', '.join(found[:5])}")
    return out


def document(name: str) -> A.Plan:
    """Compile one of the documents that lie beside this file."""
    path = HERE / "documents" / f"{name}.yaml"
    return A.compile_assertions(path.read_text(encoding="utf-8"), file=str(path), join_segments=False)


def plan(assertions: Iterable[Record]) -> A.Plan:
    """Compile assertions made for one call. A turn is judged by itself, as the corpora label single turns."""
    return A.compile_assertions({"version": 1, "assertions": list(assertions)}, join_segments=False)


def by_sequence(items: Iterable[Record]) -> list[Record]:
    """Return turns or spans with their `seq` as the clock, for calls that have none."""
    return [{**item, "start": item["seq"], "start_sec": item["seq"], "end": None, "end_sec": None} for item in items]


def ending(reason: str, seq: int) -> Record:
    """Return the span for the way in which a call ended, where the corpus keeps that beside the trace."""
    return {"type": "termination", "reason": reason, "start_sec": seq}


def last_seq(record: Record) -> int:
    """Return the position of the last thing that happened."""
    return max((item.get("seq", -1) for item in [*record["transcript"], *record["spans"]]), default=-1)


def rows(snapshot: Record, resources: Iterable[str]) -> Record:
    """Return a snapshot of a database as a state adapter reads it: one row `{key, record}` for each entry."""
    return {resource: list(_rows(snapshot.get(resource, {}))) for resource in resources}


def _rows(value: Any) -> Iterator[Record]:
    if isinstance(value, dict):
        yield from ({"key": key, "record": entry} for key, entry in value.items())
    elif isinstance(value, list):
        yield from ({"key": place, "record": entry} for place, entry in enumerate(value))
    else:
        yield {"key": "value", "record": value}


def adapter(before: Record, after: Record) -> MockStateAdapter:
    """Return a state adapter over two snapshots, both with every resource of either."""
    resources = sorted({*before, *after})
    return MockStateAdapter({"before": rows(before, resources), "after": rows(after, resources)})


def entries(before: Record, after: Record) -> Iterator[tuple[str, Any, Any, Any]]:
    """Yield `(resource, key, entry before, entry after)` for every entry of either snapshot; None where there is none."""
    resources = sorted({*before, *after})
    old, new = rows(before, resources), rows(after, resources)
    for resource in resources:
        was = {row["key"]: row for row in old[resource]}
        now = {row["key"]: row for row in new[resource]}
        for key in dict.fromkeys([*was, *now]):
            yield resource, key, was.get(key), now.get(key)


def passed(status: bool) -> str:
    """Return the status that an assertion must have where what it says is so or is not so."""
    return "PASS" if status else "FAIL"
