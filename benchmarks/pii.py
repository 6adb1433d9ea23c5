"""How long looking for personal data takes, beside one search for runs of digits in the same text.

Run it by itself or with `make bench`. All detectors run: which were asked for decides a verdict, not what is masked.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence

import fixture

from hotato.match import pii
from hotato.model.call import Turn

ROUNDS, REPEAT = 41, 10
DIGITS = re.compile(r"\d+")
GOAL = 3

MIXED = {
    3: "my order number is 4471 and it came to 42.10",
    8: "the card is four two four two four two four two four two four two four two four two",
    13: "you can reach me at 212 555 0142",
    20: "mia.b@example.org is my address",
    27: "it was on 12/03/2026 at 10:30",
    33: "three parcels for two people at nine",
}
LONG = ("a.", "1 ", " ", "-", "@", "one ")


def main() -> None:
    """Print the ratios, and how time grows with one long turn."""
    words = [Turn(place, turn["role"], turn["text"]) for place, turn in enumerate(fixture.turns(40))]
    mixed = [Turn(t.index, t.role, f"{t.text} {MIXED[t.index]}" if t.index in MIXED else t.text) for t in words]
    print("\npersonal data, all detectors, 40 turns        us   x one search for runs of digits")
    for name, turns in (("words only", words), ("six turns with figures, three hits", mixed)):
        whole = "\n".join(turn.text for turn in turns)
        scan, find = _side_by_side([lambda w=whole: list(DIGITS.finditer(w)), lambda t=turns: pii.find(t)])
        print(f"{name:<38}{find * 1e6:10.0f} {find / scan:8.1f}   (goal: at most {GOAL})")
    print("\none turn of            seconds at 1 MB   x a tenth of it (linear: at most 10)")
    for unit in LONG:
        small, large = (_seconds((unit * size)[:size]) for size in (100_000, 1_000_000))
        print(f"{unit!r:<22}{large:16.2f} {large / small:16.1f}")


def _side_by_side(work: Sequence[Callable[[], object]]) -> list[float]:
    """Return the least CPU seconds of each piece of work; all pieces take turns, and noise only ever adds."""
    spent: list[list[float]] = [[] for _ in work]
    for piece in work:
        piece()
    for _ in range(ROUNDS):
        for piece, times in zip(work, spent, strict=True):
            start = time.process_time()
            for _ in range(REPEAT):
                piece()
            times.append((time.process_time() - start) / REPEAT)
    return [min(times) for times in spent]


def _seconds(text: str) -> float:
    start = time.process_time()
    pii.find([Turn(0, "caller", text)])
    return time.process_time() - start


if __name__ == "__main__":
    main()
