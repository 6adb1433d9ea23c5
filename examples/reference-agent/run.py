"""Play the reference agent: 25 scenarios, 375 runs, offline; find exactly the four defects that were put into it.

    python examples/reference-agent/run.py [--no-audio] [--jobs N] [--cache FOLDER] [--out FOLDER]

Exit codes: 0 exactly when the four defects fail in all their runs, by the assertions that are to find them, and nothing else
fails; 1 otherwise. Where speech is not installed nothing is spoken, and what reads timing is INCONCLUSIVE.
With --need-audio that is a failure as well: exit 2.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hotato.simulate.gate import Rules
from hotato.simulate.results import lines
from hotato.simulate.running import Request, run
from hotato.simulate.sound import is_installed
from hotato.simulate.suite import load_suite_file

HERE = Path(__file__).resolve().parent
DEFECTS = {
    "refund-claimed-not-issued": {"refund-issued", "order-refunded"},
    "identity-skipped": {"verified-before-records"},
    "escalation-not-handed-off": {"handed-to-manager"},
    "payment-declined-mishandled": {"charge-without-error"},
}
RUNS = 15  # of each scenario


def unexpected(result: Mapping[str, Any]) -> list[str]:
    """Return what is not as it should be: a defect that a run does not show by its assertions, or another failure."""
    found = []
    for test in result["tests"]:
        if test["counts"]["runs"] != RUNS:
            found.append(f"{test['id']} has {test['counts']['runs']} runs instead of {RUNS}")
    for one in result["runs"]:
        wanted, failed = DEFECTS.get(one["test"], set()), {check["id"] for check in one["failed"]}
        if one["why"] or failed != wanted:
            found.append(f"{one['test']} {one['run']}: {one['why'] or ', '.join(sorted(failed)) or 'nothing fails'}")
    missing = sorted(DEFECTS.keys() - {test["id"] for test in result["tests"]})
    return found + [f"{name} was not played" for name in missing]


def progress(total: int, done: int, failed: int, _: int) -> None:
    """Draw a bar, where a terminal is there."""
    if sys.stderr.isatty():
        print(
            f"\r[{'#' * (done * 40 // total):<40}] {done}/{total}, {failed} fail", end="", file=sys.stderr, flush=True
        )


def main() -> int:
    """Play everything, and print the table."""
    parser = argparse.ArgumentParser(prog="run.py")
    parser.add_argument("--no-audio", action="store_true", help="do not speak the calls; timing is INCONCLUSIVE then")
    parser.add_argument("--need-audio", action="store_true", help="exit 2 where the calls cannot be spoken")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes; default 2")
    parser.add_argument("--cache", default=None, help="where speech is kept; by default hotato's folder for caches")
    parser.add_argument(
        "--out", default="", help="write results, the report and the pages of failing runs to this folder"
    )
    args = parser.parse_args()
    sound = ""
    if not args.no_audio:
        if is_installed():
            from hotato.speech.cache import default_folder

            sound = args.cache or default_folder()
        else:
            print("not spoken: pip install 'hotato[audio,speech]'; what reads timing is INCONCLUSIVE", file=sys.stderr)
            if args.need_audio:
                return 2
    request = Request(suite=load_suite_file(HERE / "suite.yaml"), sound=sound, workers=max(1, args.jobs))
    result = run(request, Rules(), progress, args.out, force=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    print("\n".join(line for line in lines(result) if not line.startswith(("gate ", "exit "))))
    wrong = unexpected(result)
    print("\n".join(["the four defects and nothing else"] if not wrong else ["not what is expected:", *wrong]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
