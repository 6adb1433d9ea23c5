"""How fast hotato is, in ratios: to a bare interpreter, to decoding the same bytes, and to itself ten times larger.

Run it with `make bench`. Every pair is measured side by side in one run, in turns; medians are printed.
"""

from __future__ import annotations

import compileall
import json
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import fixture
import msgspec
import otlp
import pii
import regex

import mutate
from hotato import assert_ as A
from hotato import importers
from hotato.model import codec

PROCESSES = 25
ROUNDS = 41


def main() -> None:
    """Print all figures."""
    print(f"Python {sys.version.split()[0]}; medians; CPU time of whole processes, wall time inside one\n")
    processes()
    inside()
    growth()
    imports()
    pii.main()
    regex.main()
    mutate.main()


def processes() -> None:
    """Print what starting costs, with compiled modules, as an installed package has them."""
    compileall.compile_dir(Path(A.__file__).parent, quiet=2)
    with tempfile.TemporaryDirectory() as folder:
        files = _files(Path(folder))
        run = [
            sys.executable,
            "-m",
            "hotato",
            "assert",
            "run",
            "--transcript",
            files["transcript"],
            "--trace",
            files["trace"],
        ]
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "import msgspec": [sys.executable, "-c", "import msgspec"],
            "import hotato.assert_": [sys.executable, "-c", "import hotato.assert_"],
            "assert run, JSON document": [*run, "--assertions", files["json"]],
            "assert run, YAML document": [*run, "--assertions", files["yaml"]],
        }
        spent = _side_by_side([lambda argv=argv: _cpu(argv) for argv in commands.values()], PROCESSES)
    bare = spent[0]
    print("process                      CPU ms    over bare    times bare")
    for name, seconds in zip(commands, spent, strict=True):
        print(f"{name:<27}{seconds * 1e3:8.1f} {(seconds - bare) * 1e3:+10.1f} ms {seconds / bare:12.1f}")


def inside() -> None:
    """Print what judging one call costs, beside decoding it with `json.loads` and scanning its text."""
    turns, spans, items = fixture.turns(40), fixture.spans(60), fixture.assertions(25)
    transcript, lines = json.dumps(turns), [json.dumps(span) for span in spans]
    trace = "\n".join(lines)
    plan = A.compile_assertions(fixture.document(items))
    call = A.build_context(transcript=turns, spans=spans)
    patterns = {re.compile(source, re.IGNORECASE) for source in _regexes(items)}
    texts = [turn["text"] for turn in turns]
    whole_text = "\n".join(texts)

    def loads() -> object:
        return json.loads(transcript), [json.loads(line) for line in lines]

    def scan_turns() -> object:
        return [[pattern.search(text) for text in texts] for pattern in patterns]

    def scan_whole() -> object:
        return [pattern.search(whole_text) for pattern in patterns]

    def whole() -> object:
        values = codec.decode_lines(trace, lines)
        return A.judge_call(plan, A.build_context(transcript=codec.decode(transcript), spans=values))

    work: list[Callable[[], object]] = [loads, scan_turns, scan_whole, lambda: A.judge_call(plan, call), whole]
    decode, by_turn, at_once, judge, everything = _side_by_side([lambda f=f: _wall(f, 20) for f in work], ROUNDS)
    compiling = statistics.median(_wall(lambda: A.compile_assertions(fixture.document(items)), 1) for _ in range(9))
    print(
        f"\none call: 40 turns, 60 spans, {len(transcript) + len(trace)} bytes; 25 assertions, {len(patterns)} distinct regexes"
    )
    print(f"compile the document once    {compiling * 1e6:8.0f} us")
    print(f"json.loads of the call       {decode * 1e6:8.0f} us")
    print(f"re.search, turn by turn      {by_turn * 1e6:8.0f} us  (all distinct regexes)")
    print(f"re.search, whole text        {at_once * 1e6:8.0f} us  (all distinct regexes)")
    print(f"judge the call               {judge * 1e6:8.0f} us  {judge / decode:.2f} x json.loads")
    print(f"decode, normalise and judge  {everything * 1e6:8.0f} us  {everything / decode:.2f} x json.loads")
    for name, scan in (("turn by turn", by_turn), ("whole text", at_once)):
        goal = 2 * decode + scan
        print(f"  against 2 x json.loads + one scan {name}: {everything / goal:.2f} (goal: below 1)")


def growth() -> None:
    """Print how the time to judge grows when one thing is ten times as large."""
    base = {"turns": 40, "spans": 60, "assertions": 25}
    print("\nten times as many       time x   (linear: at most 10)")
    for name, size in base.items():
        larger = {**base, name: size * 10}
        times = _side_by_side([_judging(**base), _judging(**larger)], 15)
        print(f"{name:<22}{times[1] / times[0]:8.1f}")
    chains = [_plan_judging(fixture.chain(size), 40, 60) for size in (300, 3000)]
    times = _side_by_side(chains, 7)
    print(f"{'chained when':<22}{times[1] / times[0]:8.1f}   (300 to 3,000)")
    many = [_compiling(size) for size in (300, 3000)]
    times = _side_by_side(many, 5)
    print(f"{'assertions, compiled':<22}{times[1] / times[0]:8.1f}   (300 to 3,000, each with a regex of its own)")


def imports() -> None:
    """Print what importing OTLP in JSON costs, beside decoding the same bytes with msgspec."""
    sizes = (340, 3400)  # spans; the larger is about 2 MB
    raws = [json.dumps(fixture.otlp(size)).encode() for size in sizes]
    work = [lambda raw=raw: _wall(lambda: importers.read_raw("trace.json", raw), 1) for raw in raws]
    decode = lambda: _wall(lambda: msgspec.json.decode(raws[1]), 1)  # noqa: E731  # one of a row
    small, large, decoded = _side_by_side([*work, decode], 15)
    size = len(raws[1]) / 1e6
    print(f"\nOTLP in JSON, {size:.1f} MB, {sizes[1]} spans, each a tool call, a request or a model call")
    print(f"msgspec.json.decode          {decoded * 1e3:8.1f} ms {size / decoded:8.0f} MB/s")
    print(f"import                       {large * 1e3:8.1f} ms {size / large:8.0f} MB/s")
    print(f"  speed of the import / of decoding: {decoded / large:.2f} (goal: at least 0.25)")
    print(f"  ten times as many spans: {large / small:.1f} times as long (linear: at most 10)\n")
    otlp.main()


def _judging(turns: int, spans: int, assertions: int) -> Callable[[], float]:
    return _plan_judging(fixture.assertions(assertions), turns, spans)


def _plan_judging(items: list[dict[str, object]], turns: int, spans: int) -> Callable[[], float]:
    plan = A.compile_assertions(fixture.document(items))
    made = A.build_context(transcript=fixture.turns(turns), spans=fixture.spans(spans))
    return lambda: _wall(lambda: A.judge_call(plan, made), 5)


def _compiling(size: int) -> Callable[[], float]:
    items = [{"id": f"a{n}", "kind": "phrase", "regex": f"order number {n}"} for n in range(size)]
    return lambda: _wall(lambda: A.compile_assertions(fixture.document(items)), 1)


def _regexes(items: Sequence[dict[str, object]]) -> set[str]:
    named = {str(item[name]) for item in items for name in ("regex", "phrase", "before", "after") if name in item}
    return named | {str(sign["phrase"]) for item in items for sign in item.get("all_of", ()) if "phrase" in sign}  # type: ignore[attr-defined]


def _files(folder: Path) -> dict[str, str]:
    document = fixture.document(fixture.assertions(25))
    meta = {"_meta": True, "schema": "hotato.voice_trace.v1"}
    texts = {
        "transcript": json.dumps(fixture.turns(40)),
        "trace": "\n".join(json.dumps(line) for line in [meta, *fixture.spans(60)]),
        "json": json.dumps(document),
        "yaml": A.render_assertions_yaml(document),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return {name: str(folder / name) for name in texts}


def _side_by_side(work: Sequence[Callable[[], float]], rounds: int) -> list[float]:
    """Return the median seconds of each piece of work; all pieces take turns, so that noise meets all alike."""
    for piece in work:
        piece()
    spent: list[list[float]] = [[] for _ in work]
    for _ in range(rounds):
        for piece, times in zip(work, spent, strict=True):
            times.append(piece())
    return [statistics.median(times) for times in spent]


def _wall(work: Callable[[], object], repeat: int) -> float:
    start = time.perf_counter()
    for _ in range(repeat):
        work()
    return (time.perf_counter() - start) / repeat


def _cpu(argv: Sequence[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode > 1:
        raise SystemExit(f"{argv} ended with {done.returncode}: {done.stderr.decode()[-400:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
