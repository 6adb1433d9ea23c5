"""Feed every reader with damaged files and say what came of it, a line a format.

    python tools/fuzz.py [SECONDS]          so many seconds a format; 60 by default
    python tools/fuzz.py 10 --format vapi   one format; may be given several times

A format is one that is imported, or one of hotato's own: assertions, rule packs, state, transcripts, traces, formulas.

A file is damaged where its structure is: values change their type, keys are lost or renamed, parts move between files,
nest too deep or repeat; now and then bytes are cut or flipped. It begins with the captures in ../shared/samples that are of
the format, where that folder is there, and with the cases in conformance/importers/. Whatever a file holds, it is read or
refused: any exception but UsageError is a failure, as are more memory or time than an input of that size can need, or a
second reading that differs. An input that fails is kept under build/fuzz/, and the run ends with 1.
"""

from __future__ import annotations

import argparse
import base64
import os
import random
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec

import fuzz_readers
from fuzz_readers import READERS
from hotato import importers
from hotato.errors import EvidenceError
from hotato.importers import _container as container
from hotato.importers._call import call_of
from hotato.importers._importer import Options
from hotato.model import codec
from hotato.testing import read_suite
from mutate import Seed, damaged

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "conformance" / "importers"
SAMPLES = ROOT.parent / "shared" / "samples"
KEPT = Path("build") / "fuzz"
MOST_MEMORY = 512 * 1024 * 1024  # beyond what the process holds when it begins
MOST_SECONDS = 20  # for one input
MOST_SAMPLE = 4 * 1024 * 1024
MOST_FAILURES = 5
OPTIONS = (
    Options(),
    Options(roles={"A": "agent", "spk_0": "agent", "0": "caller", "unknown": "caller"}),
    Options(origin=1.5),
    Options(call_id="none"),
)


class Failure(msgspec.Struct, frozen=True):
    """An input that was neither read nor refused, and what happened."""

    raw: bytes
    told: str


class Outcome(msgspec.Struct):
    """What came of one format."""

    name: str
    inputs: int = 0
    read: int = 0
    slowest: float = 0.0
    failures: list[Failure] = msgspec.field(default_factory=list)

    def line(self) -> str:
        """Return the line that is printed for the format."""
        told = f"{self.inputs} inputs, {self.read} read, slowest {self.slowest * 1e3:.0f} ms"
        return f"{self.name:<20} {told}, {len(self.failures) or 'no'} failures"


class TooSlow(BaseException):
    """An input took longer than MOST_SECONDS. No importer may catch it."""


def run(name: str, seeds: list[Seed], chance: random.Random, *, seconds: float = 0, rounds: int = 0) -> Outcome:
    """Return what comes of damaged files, for so many seconds or so many rounds."""
    outcome = Outcome(name)
    end = time.monotonic() + seconds
    while outcome.inputs < rounds or time.monotonic() < end:
        raw = damaged(seeds, chance)
        # a format that is named is read even where the content no longer looks like it
        named = name if chance.random() < 0.7 else None
        start = time.monotonic()
        told, is_read = _tried(name, raw, named, chance.choice(OPTIONS), twice=chance.random() < 0.1)
        outcome.slowest = max(outcome.slowest, time.monotonic() - start)
        outcome.inputs += 1
        outcome.read += is_read
        if told:
            outcome.failures.append(Failure(raw, told))
            if len(outcome.failures) == MOST_FAILURES:
                break
    return outcome


def _tried(name: str, raw: bytes, named: str | None, options: Options, *, twice: bool) -> tuple[str, bool]:
    """Return what went wrong with an input, empty for nothing, and whether it was read."""
    try:
        if name in READERS:
            return fuzz_readers.tried(name, raw, twice=twice)
        found = importers.read_raw("f", raw, named, options)
        call_of(found)
        codec.encode([found.transcript, found.spans, found.captures, found.meta])
        if twice and importers.read_raw("f", raw, named, options) != found:
            return "a second reading differs", True
    except EvidenceError:
        return "", False
    except (Exception, TooSlow):
        return traceback.format_exc(), False
    return "", True


def seeds_of_cases(name: str) -> list[Seed]:
    """Return the files of a format's conformance cases, those that are refused included."""
    if name in READERS:
        return fuzz_readers.seeds(name)
    file = CASES / name / "cases.yaml"
    return [_of_case(case) for case in read_suite(file)["cases"]] if file.is_file() else []


def _of_case(case: dict[str, Any]) -> Seed:
    if "base64" in case:
        return Seed(base64.b64decode(case["base64"]))
    if "lines" in case:
        return Seed(b"", case["lines"], "lines")
    given = case["input"]
    return Seed(given.encode()) if isinstance(given, str) else Seed(b"", [given], "document")


def seeds_of_samples(names: Iterable[str]) -> dict[str, list[Seed]]:
    """Return the captures beside this checkout by their format; nothing where there are none."""
    found: dict[str, list[Seed]] = {name: [] for name in names}
    for file in sorted(SAMPLES.glob("*/*")) if SAMPLES.is_dir() else []:
        if file.name == "SOURCE.txt" or not file.is_file() or file.stat().st_size > MOST_SAMPLE:
            continue
        content = container.opened(file.name, file.read_bytes()).content
        try:
            name = importers.detect(content)
        except EvidenceError:
            continue
        if name in found:
            found[name].append(
                Seed(content.raw, content.values, content.shape) if content.values else Seed(content.raw)
            )
    return found


def _limited() -> None:
    """Bound this process's memory, and let no input take forever."""
    held = (
        int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() if sys.platform == "linux" else 0
    )
    resource.setrlimit(resource.RLIMIT_AS, (held + MOST_MEMORY, resource.RLIM_INFINITY))
    signal.signal(signal.SIGALRM, _ring)


def _ring(_: int, __: FrameType | None) -> None:
    raise TooSlow


def _one(job: tuple[str, list[Seed], int, float]) -> Outcome:
    name, seeds, seed, seconds = job
    return run(name, seeds, random.Random(f"{seed} {name}"), seconds=seconds)


def _keep(outcome: Outcome) -> None:
    for failure in outcome.failures:
        KEPT.mkdir(parents=True, exist_ok=True)
        file = KEPT / f"{outcome.name}-{sha256(failure.raw).hexdigest()[:12]}"
        file.write_bytes(failure.raw)
        print(f"\n{file}\n{failure.told}")


def main(arguments: list[str]) -> int:
    """Run the fuzzer; return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("seconds", nargs="?", type=float, default=60, help="seconds for each format")
    parser.add_argument("--format", action="append", choices=[*READERS, *importers.names()], help="only this format")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)), help="repeats a run")
    parser.add_argument("--jobs", type=int, default=2, help="formats at the same time")
    given = parser.parse_args(arguments)
    names = given.format or [*READERS, *importers.names()]
    samples = seeds_of_samples(name for name in names if name not in READERS)
    jobs = [(name, samples.get(name, []) + seeds_of_cases(name), given.seed, given.seconds) for name in names]
    missing = [name for name, seeds, _, _ in jobs if not seeds]
    where = "" if SAMPLES.is_dir() else "; ../shared/samples is not there, so only from the cases of conformance/"
    print(f"{given.seconds:g} s a format, --seed {given.seed}{where}", flush=True)
    failed = bool(missing)
    with ProcessPoolExecutor(given.jobs, initializer=_limited) as pool:
        for outcome in pool.map(_one, [job for job in jobs if job[1]]):
            print(outcome.line(), flush=True)
            _keep(outcome)
            failed |= bool(outcome.failures)
    for name in missing:
        print(f"{name:<20} has neither captures nor cases")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
