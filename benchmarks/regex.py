"""How long patterns take over one call: beside a pass of a set of RE2's, beside `re` turn by turn, and on hostile texts.

Run it by itself or with `make bench`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence

import fixture

from hotato.match.regex import compile_pattern, regex_degree
from hotato.match.turns import Transcript
from hotato.model.call import Turn

ROUNDS, REPEAT = 41, 5
GOAL = 3
PATTERNS = [
    r"\bthank(?:s| you)\b",
    r"recorded for (?:quality|training)",
    r"\border (?:number )?\d{3,8}\b",
    r"\b(?:guarantee[ds]?|I promise)\b",
    r"date of birth",
    r"\b(?:manager|supervisor|a human)\b",
    r"refund.*(?:card|account)",
    r"\$\d+(?:\.\d\d)?",
    r"anything else (?:I|we) can",
    r"\b(?:sorry|apologi[sz]e)\b",
    r"\bcancel(?:led|ling)?\b",
    r"one[- ]time (?:code|password)",
    r"(?:call|ring) you back",
    r"have a (?:nice|good|great) \w+",
]
HOSTILE = {r"^(\w+\s?)*$": "call ", r"refund.*cancel.*confirm.*receipt": "refund cancel confirm ", r"(?:a|aa)+b": "a"}


def main() -> None:
    """Print the ratios, and how time grows with one long hostile turn."""
    turns = [Turn(place, turn["role"], turn["text"]) for place, turn in enumerate(fixture.turns(40))]
    ours = [compile_pattern(source) for source in PATTERNS]
    plain = [re.compile(source, re.IGNORECASE) for source in PATTERNS]

    def judge() -> object:
        lane = Transcript(turns, join=True).lane(None)
        return [lane.first(pattern) for pattern in ours]

    def by_turn() -> object:
        return [next((turn for turn in turns if pattern.search(turn.text)), None) for pattern in plain]

    rows: list[tuple[str, Callable[[], object]]] = [("hotato", judge), ("re, turn by turn", by_turn)]
    scan = _set(turns, plain)
    if scan is not None:
        rows.append(("a set of RE2, each hit confirmed", scan))
    spent = _side_by_side([work for _, work in rows])
    print(f"\n{len(PATTERNS)} ordinary patterns, {len(turns)} turns          us   hotato takes")
    for (name, _), seconds in zip(rows, spent, strict=True):
        goal = {"re, turn by turn": "at most 1", "a set of RE2, each hit confirmed": f"at most {GOAL}"}.get(name)
        print(f"{name:<38}{seconds * 1e6:10.0f} {spent[0] / seconds:8.2f} x{f'   (goal: {goal})' if goal else ''}")
    print("\none turn that would hang `re`, degree     ms at 100 KB   x a tenth of it (linear: at most 10)")
    for source, unit in HOSTILE.items():
        small, large = (_seconds(source, (unit * size)[:size] + "!") for size in (10_000, 100_000))
        print(f"{source:<34}{regex_degree(source)!s:>5}{large * 1e3:14.1f} {large / small:16.1f}")


def _set(turns: Sequence[Turn], plain: Sequence[re.Pattern[str]]) -> Callable[[], object] | None:
    try:
        import re2
    except ImportError:
        return None
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    every = re2.Set.SearchSet(options)
    for pattern in plain:
        every.Add(pattern.pattern)
    every.Compile()
    return lambda: [[plain[hit].search(turn.text) for hit in every.Match(turn.text) or ()] for turn in turns]


def _side_by_side(work: Sequence[Callable[[], object]]) -> list[float]:
    """Return the least CPU seconds of each piece of work; all pieces take turns, and noise only ever adds."""
    spent: list[list[float]] = [[] for _ in work]
    for _ in range(ROUNDS):
        for piece, times in zip(work, spent, strict=True):
            start = time.process_time()
            for _ in range(REPEAT):
                piece()
            times.append((time.process_time() - start) / REPEAT)
    return [min(times) for times in spent]


def _seconds(source: str, text: str) -> float:
    pattern = compile_pattern(source)
    pattern.search(text[:1000])
    start = time.process_time()
    pattern.search(text)
    return time.process_time() - start


if __name__ == "__main__":
    main()
