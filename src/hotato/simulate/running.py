"""A suite from its first run to its files, or from where it stopped: parallel, journalled, the same bytes however it is done."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from hotato import __version__
from hotato.context.writing import made_folder, unwritable, write_texts
from hotato.errors import EvidenceError, Problem, UsageError
from hotato.model.codec import encode
from hotato.model.limits import LIMITS, limit
from hotato.runs import processes
from hotato.runs.folder import begun, locked, prepare
from hotato.runs.journal import Journal
from hotato.simulate.conversation import INVALID
from hotato.simulate.gate import Rules
from hotato.simulate.ran import Piece, Ran, Spec, packed, pieces, unpacked, work
from hotato.simulate.results import JUNIT, PAGES, REPORT, RESULTS, Result, result_of, runs_of
from hotato.simulate.suite import Suite

WRITTEN = (RESULTS, JUNIT, REPORT)
_PAGE = re.compile(r"[A-Za-z0-9._-]+-[0-9]{4,}\.html")


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What a run is asked to do.

    `calls`: a folder of recorded calls that stand in for the simulated ones. `sound`: the folder in which speech is kept,
    where calls are to be spoken. `pages`: write a report of each run that does not pass.
    """

    suite: Suite
    repetitions: int = 0
    calls: str = ""
    sound: str = ""
    pages: bool = True
    workers: int = 1


Watch = Callable[[int, int, int, int], None]
"""Hears how many runs there are, how many are done, and how many of these fail and could not be played."""


def run(
    request: Request, rules: Rules, watch: Watch, out: str = "", *, force: bool = False, resume: bool = False
) -> Result:
    """Do all runs, write the files into a folder where one is given, and return the result. Raise UsageError."""
    recorded = _recorded(request)
    found = pieces(request.suite.tests, recorded, request.repetitions)
    if not found:
        raise UsageError(Problem(code="no_assertions", file="suite", message="no run: nothing would be checked"))
    if not out:
        return _result(request, rules, _done(request, found, watch, {}, None))
    with made_folder(out), locked(out):
        return _kept(request, rules, watch, (out, found, _head(request, recorded)), force=force, resume=resume)


def _kept(
    request: Request,
    rules: Rules,
    watch: Watch,
    told: tuple[str, list[Piece], dict[str, Any]],
    *,
    force: bool,
    resume: bool,
) -> Result:
    """Do the runs that a folder's journal does not know, and write the files."""
    out, found, head = told
    goes_on = resume and begun(out)
    if not goes_on:
        prepare(out, WRITTEN, "--resume", force=force)
        _drop_pages(out)
    journal = Journal(out, None if goes_on else head)
    try:
        if goes_on:
            _same(out, journal.head, head)
        if journal.is_done:
            result = _result(request, rules, runs_of(out, request.suite.document.suite_id))
        else:
            done = {place: unpacked(journal.outcome(place)) for place in journal.entries}
            result = _result(request, rules, _done(request, found, watch, done, journal))
        write_texts(_files(out, result))
        if not journal.is_done:
            journal.finish()
        return result
    except UsageError:
        if not goes_on and not journal.entries:  # there is nothing to go on with
            journal.forget()
            with contextlib.suppress(OSError):
                os.rmdir(os.path.join(out, PAGES))
        raise
    finally:
        journal.close()


def _done(
    request: Request, found: Sequence[Piece], watch: Watch, done: dict[int, list[Ran]], journal: Journal | None
) -> list[Ran]:
    """Return all runs, in the order of the suite."""
    total = sum(piece.stop - piece.start for piece in found)
    counts = [0, 0, 0]

    def count(runs: Sequence[Ran]) -> tuple[int, int, int]:
        told = len(runs), sum(run.status == "FAIL" for run in runs), sum(run.status == INVALID for run in runs)
        for place, number in enumerate(told):
            counts[place] += number
        watch(total, *counts)
        return told

    for runs in done.values():
        count(runs)
    spec = packed(_spec(request, journal.folder if journal is not None else ""))
    left = ((place, packed(piece)) for place, piece in enumerate(found) if place not in done)
    outcomes = processes.run(work, spec, left, min(request.workers, max(1, len(found) - len(done))))
    try:
        for place, raw in outcomes:
            done[place] = unpacked(raw)
            told = count(done[place])
            if journal is not None:
                journal.add(place, raw, told)
    except BaseException:
        if journal is not None:
            journal.flush()
        raise
    finally:
        outcomes.close()  # type: ignore[attr-defined]  # it is a generator
    return [run for place in range(len(found)) for run in done[place]]


def _spec(request: Request, out: str) -> Spec:
    pages = os.path.join(out, PAGES) if out and request.pages else ""
    if pages:
        _make(pages)
    tests = {
        ident: (os.path.abspath(request.suite.paths[ident]), test.sha256) for ident, test in request.suite.tests.items()
    }
    return Spec(
        tests=tests,
        repetitions=request.repetitions,
        calls=os.path.abspath(request.calls) if request.calls else "",
        sound=request.sound,
        pages=pages,
        limits={name: limit(name) for name in LIMITS},
    )


def _make(folder: str) -> None:
    if os.path.islink(folder):
        said = "a symbolic link, which is not written through"
        raise UsageError(Problem(code="file_kind", file=folder, message=said))
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as cause:
        raise unwritable(folder, cause) from None


def _result(request: Request, rules: Rules, runs: Sequence[Ran]) -> Result:
    return result_of(request.suite, runs, rules, _settings(request))


def _settings(request: Request) -> dict[str, Any]:
    return {
        "origin": "recorded" if request.calls else "simulated",
        "repetitions": request.repetitions,
        "audio": bool(request.sound),
    }


def _head(request: Request, recorded: Mapping[str, Sequence[str]] | None) -> dict[str, Any]:
    """Return what a run is a run of: where any of it changes, there is nothing to go on with."""
    from hashlib import sha256

    told = ""
    if recorded is not None:
        from hotato.simulate.recorded import digests

        told = sha256(encode(digests(request.calls, recorded)).encode()).hexdigest()
    return {
        "schema": "suite.v1",
        "hotato": __version__,
        "suite": request.suite.sha256,
        "calls": told,
        "settings": {**_settings(request), "pages": request.pages},
        "limits": {name: limit(name) for name in LIMITS},
    }


def _same(out: str, then: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise UsageError where a run is not the one that began."""
    for name, value in now.items():
        if then.get(name) != value:
            what = {"suite": "the suite or one of its tests", "calls": "a recorded call"}.get(name, f"'{name}'")
            pair = then.get(name), value
            if isinstance(pair[0], dict) and isinstance(value, dict):
                key = next(key for key in sorted({*pair[0], *value}) if pair[0].get(key) != value.get(key))
                what, pair = f"'{key}' of {name}", (pair[0].get(key), value.get(key))
            shown = [encode(one) if not isinstance(one, str) else one for one in pair]
            said = f"{what} has changed since the run began: it was {shown[0]} and is {shown[1]}; --force starts anew"
            raise EvidenceError(Problem(code="run_changed", file=out, message=said))


def _files(out: str, result: Result) -> dict[str, str]:
    from hotato.report.html import render_suite
    from hotato.report.junit import suite as as_junit

    texts = {
        REPORT: render_suite(result, PAGES),
        JUNIT: as_junit(result),
        RESULTS: encode(result, indent=2) + "\n",
    }
    return {os.path.join(out, name): text for name, text in texts.items()}


def _recorded(request: Request) -> Mapping[str, Sequence[str]] | None:
    """Return the names of recorded calls by test, None where calls are simulated. Raise UsageError."""
    if request.calls:
        from hotato.simulate.recorded import find

        return find(request.calls, request.suite.tests)
    missing = [
        Problem(
            code="missing_field",
            file=request.suite.paths[ident],
            message="names no scenario; --calls gives recorded calls",
        )
        for ident, test in request.suite.tests.items()
        if test.scenario is None
    ]
    if missing:
        raise UsageError(missing)
    return None


def _drop_pages(out: str) -> None:
    """Remove the pages that an earlier run wrote, and nothing else."""
    folder = os.path.join(out, PAGES)
    if os.path.islink(folder) or not os.path.isdir(folder):
        return
    for name in os.listdir(folder):
        if _PAGE.fullmatch(name):
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(folder, name))
