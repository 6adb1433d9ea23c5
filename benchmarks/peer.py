"""How long another implementation of assert.v1 takes for the same calls and documents, and whether it says the same.

It is the public package hotato 1.20.0 on PyPI, which has this project's name. It is installed only where this is asked for, by
`make bench-peer` or `python benchmarks/scale.py --peer`, into an environment of its own. Each of the two judges in a process
of its own, which has read the document and warmed up before it is timed; they take turns, and medians of processor time are
printed. No call is judged twice by one process. Each reads the records of a call in its own spelling.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

VERSION = "1.20.0"
LEFT_OUT = ("claim", "until", "within", "during", "between")  # kinds of ours that the other does not know
ROUNDS, CALLS = 9, 24
BARS = {"25 assertions": 12, "200 assertions": 20, "400 regexes": 100}
Judge = Callable[[bytes], bytes]


class UnreachableError(Exception):
    """The package cannot be installed here."""


class Judging:
    """A process that judges calls by one document, and tells its processor time."""

    def __init__(self, python: str, side: str, document: Any) -> None:
        words = [python, *(["-I"] if side != "ours" else []), __file__, side]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._ask(document)

    def judge(self, lines: list[str]) -> tuple[float, list[list[Any]]]:
        """Return the seconds of processor time that a call took, and of each call its ids, kinds and statuses."""
        seconds, statuses = self._ask(lines)
        return seconds / len(lines), statuses

    def close(self) -> None:
        """Let the process end."""
        self._process.communicate()

    def _ask(self, question: Any) -> Any:
        given, taken = self._process.stdin, self._process.stdout
        assert given is not None
        assert taken is not None
        given.write(json.dumps(question) + "\n")
        given.flush()
        answer = taken.readline()
        if not answer:
            raise SystemExit("a process that judges ended before it was asked to; its error stands above")
        return json.loads(answer)


def compare(folder: str) -> int:
    """Install the package into a folder, a temporary one where none is given, and print both; return an exit code."""
    with tempfile.TemporaryDirectory() as temporary:
        try:
            python = _installed(Path(folder or temporary))
        except UnreachableError as error:
            print(f"nothing is compared, since hotato {VERSION} could not be installed: {error}", file=sys.stderr)
            return 2
        print(f"Python {sys.version.split()[0]}; processor time from the bytes of a call to those of its envelope,")
        print(f"medians of {ROUNDS} rounds of {CALLS} calls, in turns; kinds left out: {', '.join(LEFT_OUT)}")
        for (name, bar), document in zip(BARS.items(), documents(), strict=True):
            _side_by_side(name, bar, document, python)
    return 0


def documents() -> Iterator[dict[str, Any]]:
    """Yield what both judge by: 25 assertions, 200, and 400 phrases with a regex each."""
    import calls
    import scale

    known = [_plain(item) for item in calls.document(500)["assertions"] if item["kind"] not in LEFT_OUT]
    for size in (25, 200):
        yield scale.calls_document(known[:size])
    found = dict.fromkeys(scale.regexes(calls.document(1000)))
    spoken = [regex for regex in found if not regex.startswith("/")][:400]
    assert len(spoken) == 400
    yield scale.calls_document(
        [{"id": f"phrase-{place}", "kind": "phrase", "regex": regex} for place, regex in enumerate(spoken)]
    )


def _plain(item: dict[str, Any]) -> dict[str, Any]:
    """Return an assertion without operators and paths into arguments, which the other reads as plain values and names."""
    plain = {
        "tool_call": {"args_subset": {"attempt": 0}},
        "state": {"expect": {"status": "refunded"}},
        "entity_accuracy": {"reference": {"city": "Leeds"}},
    }
    return {**item, **plain.get(item["kind"], {})}


def _lines(side: str, first: int) -> list[str]:
    """Return calls, with the records where a side looks for them: before and after over all resources, or in each of them."""
    import calls

    made = [calls.call(number) for number in range(first, first + CALLS)]
    for call in made if side != "ours" else ():
        states = call["state"]
        call["state"] = {name: {when: states[when][name] for when in states} for name in states["after"]}
    return [json.dumps(call) for call in made]


def _installed(folder: Path) -> str:
    """Return the Python of an environment with the package; make it where it is not yet. Raise UnreachableError."""
    python = str(folder / "hotato-of-pypi" / ("Scripts" if os.name == "nt" else "bin") / "python")
    told = [python, "-Ic", "import importlib.metadata as m; print(m.version('hotato'))"]
    if Path(python).exists() and _run(told, None).stdout.strip() == VERSION:
        return python
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    quiet = ("-q", "--disable-pip-version-check", "--retries=1", "--no-deps")
    for words in (
        [sys.executable, "-m", "venv", "--clear", str(folder / "hotato-of-pypi")],
        [python, "-m", "pip", "install", *quiet, f"hotato=={VERSION}"],
    ):
        done = _run(words, environment)
        if done.returncode:
            said = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
            raise UnreachableError(said[-1].removeprefix("ERROR: ") if said else f"exit code {done.returncode}")
    return python


def _run(words: list[str], environment: dict[str, str] | None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, check=False, capture_output=True, text=True, env=environment)


def _side_by_side(name: str, bar: int, document: dict[str, Any], python: str) -> None:
    """Print the medians of both, their ratio, and how many of their results agree."""
    sides = {"ours": sys.executable, "theirs": python, "checked once": python}
    judging = {side: Judging(interpreter, side, document) for side, interpreter in sides.items()}
    spent: dict[str, list[float]] = {side: [] for side in sides}
    statuses: dict[str, list[Any]] = {side: [] for side in sides}
    for turn in range(ROUNDS + 1):  # the first one warms up
        for side, one in judging.items():
            seconds, found = one.judge(_lines(side, turn * CALLS))
            spent[side] += [seconds] if turn else []
            statuses[side] += [result for results in found for result in results]
    for one in judging.values():
        one.close()
    ours, *others = (statistics.median(times) for times in spent.values())
    print(f"\n{name}, {len({item['kind'] for item in document['assertions']})} kinds")
    print(f"  {'this package':<36}{ours * 1e6:9.0f} us")
    print(f"  {f'hotato {VERSION}':<36}{others[0] * 1e6:9.0f} us {others[0] / ours:7.1f} x   bar: {bar} x")
    print(f"  {'the same, the document checked once':<36}{others[1] * 1e6:9.0f} us {others[1] / ours:7.1f} x")
    assert statuses["theirs"] == statuses["checked once"]
    _agreement(statuses["ours"], statuses["theirs"])


def _agreement(ours: list[list[str]], theirs: list[list[str]]) -> None:
    """Print how many results have the same status, and of the others how many there are of each kind."""
    assert [one[:2] for one in ours] == [one[:2] for one in theirs]
    differ = Counter(f"{a[1]}: {a[2]} here, {b[2]} there" for a, b in zip(ours, theirs, strict=True) if a[2] != b[2])
    print(f"  {len(ours) - differ.total()} of {len(ours)} results have the same status")
    for words, count in sorted(differ.items()):
        print(f"    {count:6} {words}")


def _serve(side: str, given: IO[str], taken: IO[str]) -> None:
    """Read a document, then lists of calls, a line each; answer each list with the seconds it took and the statuses."""
    document = json.loads(given.readline())
    judge = _ours(document) if side == "ours" else _theirs(document, each_time=side == "theirs")
    print("true", file=taken, flush=True)
    for line in given:
        raw = [text.encode() for text in json.loads(line)]
        start = time.process_time()
        envelopes = [judge(one) for one in raw]
        seconds = time.process_time() - start
        read = [json.loads(envelope)["results"] for envelope in envelopes]
        statuses = [[[one["id"], one["kind"], one["status"]] for one in results] for results in read]
        print(json.dumps([seconds, statuses]), file=taken, flush=True)


def _ours(document: Any) -> Judge:
    from hotato import assert_ as A
    from hotato.state_adapter import MockStateAdapter

    plan = A.compile_assertions(document)
    return lambda raw: A.judge_bytes(plan, raw, state=MockStateAdapter)


def _theirs(document: Any, *, each_time: bool) -> Judge:
    """Return what the other package offers: one function that checks the document each time, or the parts of it, where the
    document is checked once. What the parts are given stands after whatever it refers to.
    """
    from hotato import assert_ as A
    from hotato.state_adapter import MockStateAdapter

    def context(raw: bytes) -> Any:
        call = json.loads(raw)
        adapter = MockStateAdapter(call["state"])
        return A.build_context(transcript=call["transcript"], spans=call.get("spans"), state_adapter=adapter)

    if each_time:
        return lambda raw: json.dumps(A.run_assertions(document, context(raw))).encode()
    assertions = A.validate_assertions_doc(document)[1]

    def in_parts(raw: bytes) -> bytes:
        call, results = context(raw), {}
        for item in assertions:
            results[item["id"]] = A.evaluate_assertion(item, call, results_by_id=results)
        return json.dumps(A.envelope_from_results(list(results.values()))).encode()

    return in_parts


if __name__ == "__main__":
    _serve(sys.argv[1], sys.stdin, sys.stdout)
