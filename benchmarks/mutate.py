"""How long it takes to change a call in 500 ways and judge 25 assertions after each, incrementally and from scratch.

Run it by itself or with `make bench`.
"""

from __future__ import annotations

import time

import fixture

from hotato import assert_ as A
from hotato.probe.mutate import mutate

ROUNDS = 5


def main() -> None:
    """Print the figures."""
    plan = A.compile_assertions(fixture.document(fixture.assertions(25)))
    call = A.build_context(transcript=fixture.turns(60), spans=fixture.spans(40))
    print("\nmutation: 25 assertions, a call of 60 turns and 40 spans; least wall time of 5")
    figures = {}
    for changes, incremental in ((500, True), (500, False), (1000, True)):
        spent = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            report = mutate(plan, call, most=changes, incremental=incremental)
            spent.append(time.perf_counter() - start)
        figures[changes, incremental] = min(spent)
        how = "only what reads what changed" if incremental else "every assertion"
        print(f"  {report.mutations} changes, judging {how}: {min(spent):.2f} s, score {report.score}")
    print(f"  twice the changes take {figures[1000, True] / figures[500, True]:.2f} times as long")


if __name__ == "__main__":
    main()
