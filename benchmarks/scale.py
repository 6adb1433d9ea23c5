"""How many calls a second, against the least that any judge would have to do with the same bytes.

Run it with `make bench-scale`. What is compared of a single call is measured side by side in one run, in turns; medians are printed.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import calls
import msgspec
import peer
import pyarrow as pa
import pyarrow.parquet as pq
import re2

from hotato import assert_ as A
from hotato import batch
from hotato.state_adapter import MockStateAdapter

SOURCES = ("regex", "phrase", "says", "before", "after", "url_matches")
Work = Callable[[bytes], object]


class Said(msgspec.Struct):
    """Of a turn what a judge cannot do without."""

    role: str
    text: str
    start: float | None = None
    end: float | None = None


class Done(msgspec.Struct):
    """Of a span what a judge cannot do without."""

    type: str
    name: str | None = None
    start_sec: float | None = None
    end_sec: float | None = None
    latency_ms: float | None = None
    arguments: dict[str, Any] | None = None
    result: dict[str, Any] | None = None


class Line(msgspec.Struct):
    """A call as one line of input."""

    call_id: str
    transcript: list[Said]
    spans: list[Done] | None = None
    state: dict[str, Any] | None = None


def main(argv: Sequence[str]) -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description="Measure judging at scale.")
    parser.add_argument("--profile", action="store_true", help="also show where the time of a judged call goes")
    parser.add_argument("--calls", type=int, default=12_000, help="calls judged by engines and workers")
    parser.add_argument("--memory", type=int, default=100_000, help="calls of the run whose memory is measured")
    told = "compare with hotato 1.20.0 of PyPI instead, installed into a folder (default: a temporary one)"
    parser.add_argument("--peer", nargs="?", const="", metavar="FOLDER", help=told)
    given = parser.parse_args(argv)
    if given.peer is not None:
        sys.exit(peer.compare(given.peer))
    print(f"Python {sys.version.split()[0]}; medians, side by side in one run")
    for size in (25, 200):
        one_call(size)
    growth()
    with tempfile.TemporaryDirectory() as folder:
        engines(Path(folder), given.calls)
        memory(Path(folder), given.memory)
    if given.profile:
        profile(200)


def one_call(size: int) -> None:
    """Print what a call costs from bytes to the bytes of its envelope, beside the floor and beside plain `re` by turn."""
    document = calls.document(size)
    plan, found = A.compile_assertions(document), sorted(set(regexes(document)))
    lines = [line for line in calls.lines(24) if b'"spans"' in line]
    whole = _whole(plan)
    rows = pa.RecordBatch.from_pylist([{"call": line.decode()} for line in (lines * 21)[:500]])
    packed = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_batches([rows]), packed)
    work = {"floor": _floor(whole(lines[0]), found), "re by turn": _by_turn(found), "whole judged call": whole}
    timed = [lambda f=f: _pass(f, lines) for f in work.values()]
    of_rows = {
        "rows of 500": lambda _: batch.judge(plan, rows),
        "statuses only": lambda _: batch.judge(plan, rows, statuses_only=True),
        "the same, of Parquet": lambda _: [
            batch.judge(plan, one, statuses_only=True)
            for one in pq.ParquetFile(pa.BufferReader(packed.getvalue())).iter_batches(500)
        ],
    }
    spent = side_by_side([*timed, *(lambda f=f: _pass(f, [b""]) / 500 for f in of_rows.values())], 3)
    floor, judged = spent[0], spent[2]
    print(f"\n{size} assertions, {len(found)} distinct regexes, a call of {statistics.mean(map(len, lines)):.0f} bytes")
    for name, seconds in zip([*work, *of_rows], spent, strict=True):
        ratio = f"{seconds / judged:7.2f} x a judged call" if name in of_rows else ""
        print(f"  {name:<20}{seconds * 1e6:9.0f} us {seconds / floor:7.2f} x the floor {ratio}".rstrip())
    print(
        f"  bars: a judged call {3 if size < 200 else 4} x the floor; of a judged call statuses 0.3 x, of Parquet 0.6 x"
    )


def _floor(envelope: bytes, found: Sequence[str]) -> Work:
    """Return the least to be done: decode into types, one scan of the text for all regexes at once, encode an envelope."""
    options = re2.Options()
    options.case_sensitive = False
    every = re2.Set.SearchSet(options)
    for source in found:
        every.Add(source)
    every.Compile()
    decode, encode = msgspec.json.Decoder(Line).decode, msgspec.json.Encoder().encode
    said = msgspec.json.decode(envelope)

    def work(line: bytes) -> object:
        every.Match("\n".join([turn.text for turn in decode(line).transcript]))
        return encode(said)

    return work


def _by_turn(found: Sequence[str]) -> Work:
    """Return what is mostly written first: `json.loads`, and `re.search` of every regex in every turn."""
    patterns = [re.compile(source, re.IGNORECASE) for source in found]

    def work(line: bytes) -> object:
        texts = [turn["text"] for turn in json.loads(line)["transcript"]]
        return [[pattern.search(text) for text in texts] for pattern in patterns]

    return work


def _whole(plan: A.Plan) -> Callable[[bytes], bytes]:
    """Return the work of a judged call: bytes in, the bytes of its envelope out."""
    return lambda line: A.judge_bytes(plan, line, state=MockStateAdapter)


def regexes(value: Any) -> Iterator[str]:
    """Yield every regex in a document."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in SOURCES and isinstance(inner, str):
                yield inner
            else:
                yield from regexes(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from regexes(inner)


def growth() -> None:
    """Print how the time to judge a call grows when one thing is ten times as large."""
    print("\nten times as many       time x   (linear: at most 10)")
    base, document = {"turns": 40, "spans": 60}, calls.document(25)
    for name in ("turns", "spans"):
        larger = {**base, name: base[name] * 10}
        times = side_by_side([_judging(document, **base), _judging(document, **larger)], 5)
        print(f"{name:<22}{times[1] / times[0]:8.1f}")
    times = side_by_side([_judging(document, **base), _judging(calls.document(250), **base)], 5)
    print(f"{'assertions and regexes':<22}{times[1] / times[0]:8.1f}")


def _judging(document: calls.Record, turns: int, spans: int) -> Callable[[], float]:
    plan, made = A.compile_assertions(document), calls.call(1, turns, spans)
    call = A.build_context(
        transcript=made["transcript"], spans=made["spans"], state_adapter=MockStateAdapter(made["state"])
    )
    return lambda: _pass(lambda _: A.judge_call(plan, call), [b""] * 3)


def engines(folder: Path, count: int) -> None:
    """Print calls a second of whole runs: one process, two, and Dask on this machine, start and files included."""
    calls.write(folder / "calls.jsonl", count)
    (folder / "document.json").write_text(json.dumps(calls.document(25)))
    print(f"\n{count} calls, 25 assertions, whole runs of hotato batch run")
    first = 0.0
    for name, workers in (("local", 1), ("local", 2), ("dask", 2)):
        start = time.perf_counter()
        batch.run(
            folder / "document.json",
            str(folder / "calls.jsonl"),
            folder / f"{name}{workers}",
            engine=name,
            workers=workers,
            batch_bytes=1 << 20,
        )
        spent = time.perf_counter() - start
        first = first or spent
        print(f"  {name:<6} {workers} workers {count / spent:9.0f} calls/s {first / spent:7.2f} x one process")
    table = (folder / "local1" / "results.parquet").stat().st_size
    print("  bars: two processes 1.7 x one; Dask 0.75 x two processes, for 100,000 calls")
    print(f"  results.parquet has {table / count:.0f} bytes a call")


def memory(folder: Path, count: int) -> None:
    """Print the peak memory of runs over short calls, one with ten times as many as the other."""
    line = b'{"call_id": "c%d", "transcript": [{"role": "agent", "text": "good morning to you"}]}\n'
    check = {"id": "greets", "kind": "phrase", "regex": "good"}
    (folder / "document.json").write_text(json.dumps(calls_document([check])))
    print("\npeak memory of one process over short calls")
    for size in (count // 10, count):
        with (folder / "short.jsonl").open("wb") as stream:
            stream.writelines(line % number for number in range(size))
        words = [str(folder / name) for name in ("document.json", "short.jsonl", f"out{size}")]
        start = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", _PEAK, *words], capture_output=True, text=True, check=True)
        spent = time.perf_counter() - start
        print(f"  {size:>9} calls {int(done.stdout) / 1024:8.0f} MB {size / spent:9.0f} calls/s")


_PEAK = """
import resource, sys
from hotato import batch
batch.run(*sys.argv[1:], workers=1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def calls_document(items: list[calls.Record]) -> calls.Record:
    """Return a document of assertions."""
    return {"version": 1, "assertions": items}


def profile(size: int) -> None:
    """Print which functions the time of judged calls goes to."""
    whole, lines = (
        _whole(A.compile_assertions(calls.document(size))),
        [line for line in calls.lines(60) if b'"spans"' in line],
    )
    _pass(whole, lines)
    recorder = cProfile.Profile()
    recorder.runcall(_pass, whole, lines * 5)
    pstats.Stats(recorder).sort_stats("tottime").print_stats(25)


def side_by_side(work: Sequence[Callable[[], float]], rounds: int) -> list[float]:
    """Return the median seconds of each piece of work; all pieces take turns, so that noise meets all alike."""
    for piece in work:
        piece()
    spent: list[list[float]] = [[] for _ in work]
    for _ in range(rounds):
        for piece, times in zip(work, spent, strict=True):
            times.append(piece())
    return [statistics.median(times) for times in spent]


def _pass(work: Work, lines: Sequence[bytes]) -> float:
    """Return the seconds of processor time of a call, over one pass through the lines."""
    start = time.process_time()
    for line in lines:
        work(line)
    return (time.process_time() - start) / len(lines)


if __name__ == "__main__":
    main(sys.argv[1:])
