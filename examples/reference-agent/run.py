"""Play the reference agent: 25 scenarios, 375 runs, offline; find exactly the four defects that were put into it.

    python examples/reference-agent/run.py [--no-audio] [--jobs N] [--cache FOLDER]

Exit codes: 0 exactly when the four defects fail in all their runs, by the assertions that are to find them, and nothing else
fails; 1 otherwise. Where speech is not installed nothing is spoken, and what reads timing is INCONCLUSIVE.
With --need-audio that is a failure as well: exit 2.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hotato.model.verdict import FAIL, INCONCLUSIVE
from hotato.simulate.cache import SoundCache
from hotato.simulate.checks import Test, load_test_file
from hotato.simulate.evidence import simulate
from hotato.simulate.measure import with_sound
from hotato.simulate.play import SimulatorInvalid
from hotato.simulate.sound import is_installed
from hotato.simulate.success import judged
from hotato.simulate.variants import variants

HERE = Path(__file__).resolve().parent
DEFECTS = {
    "refund-claimed-not-issued": {"refund-issued", "order-refunded"},
    "identity-skipped": {"verified-before-records"},
    "escalation-not-handed-off": {"handed-to-manager"},
    "payment-declined-mishandled": {"charge-without-error"},
}


class Run(NamedTuple):
    """One run: what failed and what has no verdict, by the ids of assertions; `invalid` where it could not be played."""

    name: str
    failed: frozenset[str] = frozenset()
    inconclusive: frozenset[str] = frozenset()
    digest: str = ""
    invalid: bool = False


def runs(test: Test, cache: SoundCache | None) -> Iterator[Run]:
    """Play and judge a test in every cell of its scenario; without a cache it is not spoken."""
    assert test.scenario is not None
    for variant in variants(test.scenario):
        try:
            call = simulate(test.scenario, variant)
            if cache is not None:
                call = with_sound(test.scenario, call, cache)
        except SimulatorInvalid:
            yield Run(variant.id, invalid=True)
            continue
        envelope, _ = judged(test, call.call())
        found = {
            status: frozenset(one["id"] for one in envelope["results"] if one["status"] == status)
            for status in (FAIL, INCONCLUSIVE)
        }
        yield Run(variant.id, found[FAIL], found[INCONCLUSIVE], call.digest())


def is_as_expected(name: str, found: list[Run]) -> bool:
    """Say whether a scenario's defect, and nothing else, failed in each of its runs."""
    wanted = DEFECTS.get(name, set())
    return len(found) == 15 and all(not run.invalid and run.failed == wanted for run in found)


def _worker(task: tuple[str, str | None]) -> tuple[str, list[Run]]:
    name, folder = task
    cache = None if folder is None else _caches.setdefault(folder, SoundCache(folder))
    return name, list(runs(load_test_file(HERE / "tests" / f"{name}.yaml"), cache))


_caches: dict[str, SoundCache] = {}


def play(folder: str | None, jobs: int) -> Iterator[tuple[str, list[Run]]]:
    """Yield each scenario's runs, sorted by name however many processes there are."""
    tasks = [(path.stem, folder) for path in sorted((HERE / "tests").glob("*.yaml"))]
    if jobs == 1:
        yield from map(_worker, tasks)
        return
    from multiprocessing import get_context

    with get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap(_worker, tasks)


def _row(name: str, found: list[Run]) -> str:
    failed = Counter(one for run in found for one in run.failed)
    inconclusive = sum(bool(run.inconclusive) for run in found)
    told = ", ".join(f"{one} {count}" for one, count in sorted(failed.items())) or "-"
    if invalid := sum(run.invalid for run in found):
        told += f"; SIMULATOR_INVALID {invalid}"
    right = "" if is_as_expected(name, found) else "  <- not as expected"
    return f"{name:<28} {len(found):>4} {sum(bool(run.failed) for run in found):>4} {inconclusive:>12}  {told}{right}"


def main() -> int:
    """Play everything, with a progress bar on a terminal, and print the table."""
    parser = argparse.ArgumentParser(prog="run.py")
    parser.add_argument("--no-audio", action="store_true", help="do not speak the calls; timing is INCONCLUSIVE then")
    parser.add_argument("--need-audio", action="store_true", help="exit 2 where the calls cannot be spoken")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes; default 2")
    parser.add_argument("--cache", default=None, help="where speech is kept; by default hotato's folder for caches")
    args = parser.parse_args()
    folder = None
    if not args.no_audio:
        if is_installed():
            from hotato.speech.cache import default_folder

            folder = args.cache or default_folder()
        else:
            print("not spoken: pip install 'hotato[audio,speech]'; what reads timing is INCONCLUSIVE", file=sys.stderr)
            if args.need_audio:
                return 2
    found: dict[str, list[Run]] = {}
    for name, one in play(folder, max(1, args.jobs)):
        found[name] = one
        if sys.stderr.isatty():
            done = sum(map(len, found.values()))
            print(f"\r[{'#' * (done * 40 // 375):<40}] {done}/375", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    print(f"{'scenario':<28} {'runs':>4} {'FAIL':>4} {'INCONCLUSIVE':>12}  failed assertions, and in how many runs")
    print("\n".join(_row(name, one) for name, one in found.items()))
    every = [run for one in found.values() for run in one]
    is_right = (
        len(every) == 375 and found.keys() >= DEFECTS.keys() and all(is_as_expected(*item) for item in found.items())
    )
    said = "the four defects and nothing else" if is_right else "not what is expected"
    print(f"{len(every)} runs, {sum(bool(run.failed) for run in every)} with a FAIL: {said}")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
