"""The runs of a suite's tests: played from scenarios or read from recorded calls, one piece of work at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from hotato.errors import EvidenceError, Problem
from hotato.model.limits import limits
from hotato.model.verdict import FAIL, INCONCLUSIVE, PASS
from hotato.simulate.checks import Test, load_test_file
from hotato.simulate.conversation import INVALID, Outcome, outcome
from hotato.simulate.evidence import SIMULATED, SimulatorInvalid, simulate
from hotato.simulate.success import by_dimension
from hotato.simulate.variants import Variant, variants

if TYPE_CHECKING:
    from hotato.simulate.cache import SoundCache

PIECE = 15  # runs that are done at once
JUDGED = (PASS, FAIL)


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one run of a test. Runs of one `cell` are repetitions of each other.

    `varied` is the cell without the way through the branches. `failed` and `open` hold `{id, code, reason}` of assertions
    that are FAIL and INCONCLUSIVE, `unmet` the conditions that are not met or undetermined, `sha256` tells the evidence
    from other evidence, `why` says why a run could not be played, `page` is the run's own report.
    """

    test: str
    run: str
    cell: str
    varied: str
    status: str
    sha256: str = ""
    failed: tuple[Mapping[str, str], ...] = ()
    open: tuple[Mapping[str, str], ...] = ()
    unmet: tuple[str, ...] = ()
    dimensions: Mapping[str, Mapping[str, int]] = {}
    why: str = ""
    page: str = ""


class Spec(msgspec.Struct, frozen=True, kw_only=True):
    """What all pieces share. `tests` maps ids to a path and the hash of what is in it; `sound` and `pages` are folders."""

    tests: Mapping[str, tuple[str, str]]
    repetitions: int = 0
    calls: str = ""
    sound: str = ""
    pages: str = ""
    limits: Mapping[str, int] = {}


class Piece(msgspec.Struct, frozen=True, array_like=True):
    """Some runs of a test, from `start` up to `stop` of all that it has; `names` are those of recorded calls."""

    test: str
    start: int
    stop: int
    names: tuple[str, ...] = ()


_spec_of = msgspec.msgpack.Decoder(Spec).decode
_piece_of = msgspec.msgpack.Decoder(Piece).decode
_runs_of = msgspec.msgpack.Decoder(list[Ran]).decode
_encode = msgspec.msgpack.Encoder().encode
_tests: dict[tuple[str, str], Test] = {}
_sounds: dict[str, SoundCache] = {}


def packed(what: Spec | Piece) -> bytes:
    """Return what workers are handed, as bytes."""
    return _encode(what)


def unpacked(outcome: bytes) -> list[Ran]:
    """Return the runs of a piece that is done."""
    return _runs_of(outcome)


def pieces(tests: Mapping[str, Test], recorded: Mapping[str, Sequence[str]] | None, repetitions: int) -> list[Piece]:
    """Return all runs of the tests as pieces of work, in the order of the tests. `recorded` are the names of calls by test."""
    found = []
    for ident, test in tests.items():
        names = recorded[ident] if recorded is not None else ()
        count = len(names) if recorded is not None else len(_variants(test, repetitions))
        for start in range(0, count, PIECE):
            stop = min(start + PIECE, count)
            found.append(Piece(ident, start, stop, tuple(names[start:stop])))
    return found


def work(spec: bytes, piece: bytes) -> bytes:
    """Do a piece, and return its runs as bytes. Raise UsageError."""
    told, part = _spec_of(spec), _piece_of(piece)
    with limits(**told.limits):
        return _encode(list(_runs(told, part)))


def _runs(spec: Spec, piece: Piece) -> Iterator[Ran]:
    test = _test(*spec.tests[piece.test])
    if piece.names:
        from hotato.simulate.recorded import call_of

        for place, name in enumerate(piece.names, piece.start):
            call, digest = call_of(os.path.join(spec.calls, piece.test, name))
            found = outcome(test, call, run=name, digest=digest)
            yield _ran(spec, test, found, (_cell(name), _cell(name), place), call)
        return
    for place, variant in enumerate(_variants(test, spec.repetitions)[piece.start : piece.stop], piece.start):
        yield _played(spec, test, variant, place)


def _played(spec: Spec, test: Test, variant: Variant, place: int) -> Ran:
    assert test.scenario is not None
    cell = variant.place, variant.cell
    try:
        made = simulate(test.scenario, variant)
        if spec.sound:
            from hotato.simulate.cache import SoundCache
            from hotato.simulate.measure import with_sound

            made = with_sound(test.scenario, made, _sounds.setdefault(spec.sound, SoundCache(spec.sound)))
    except SimulatorInvalid as error:
        why = "; ".join(problem.message for problem in error.problems)
        return Ran(test=test.document.id, run=variant.id, cell=cell[0], varied=cell[1], status=INVALID, why=why)
    call = made.call()
    found = outcome(test, call, origin=SIMULATED, run=variant.id, digest=made.digest())
    return _ran(spec, test, found, (*cell, place), call)


def _ran(spec: Spec, test: Test, found: Outcome, at: tuple[str, str, int], call: Any) -> Ran:
    """Return a run; `at` is its cell, what is varied there, and its place among the test's runs."""
    assert found.envelope is not None
    results = found.envelope["results"]
    told = {
        status: tuple(
            {"id": one["id"], "code": one["code"], "reason": one.get("reason", "")}
            for one in results
            if one["status"] == status
        )
        for status in (FAIL, INCONCLUSIVE)
    }
    cell, varied, place = at
    page = ""
    if spec.pages and found.status != PASS:
        page = f"{test.document.id}-{place + 1:04}.html"
        _write(os.path.join(spec.pages, page), f"{test.document.id}: {found.run}", found.envelope, call)
    return Ran(
        test=test.document.id,
        run=found.run,
        cell=cell,
        varied=varied,
        status=found.status,
        sha256=found.digest,
        failed=told[FAIL],
        open=told[INCONCLUSIVE],
        unmet=tuple(one["name"] for one in found.conditions if one["state"] != "met"),
        dimensions=by_dimension(results, test.dimensions),
        page=page,
    )


def _write(path: str, title: str, envelope: Mapping[str, Any], call: Any) -> None:
    """Write the report of a run. It is the same however often a piece is done, so that it may be there already."""
    from hotato.context.writing import write_text
    from hotato.report import build_report_html

    html, _ = build_report_html(suite=title, assertions=envelope, transcript=call.transcript, trace=call.spans)
    write_text(path, html)


def _variants(test: Test, repetitions: int) -> tuple[Variant, ...]:
    assert test.scenario is not None
    return variants(test.scenario, repetitions or test.document.repetitions)


def _cell(name: str) -> str:
    """Return the cell of a recorded call: the folder that it is in."""
    return name.rpartition("/")[0] or "base"


def _test(path: str, digest: str) -> Test:
    """Return a test, read once a process. Raise EvidenceError where it is not what it was when the run began."""
    found = _tests.get((path, digest))
    if found is None:
        found = load_test_file(path)
        if found.sha256 != digest:
            said = f"has changed since the run began: its SHA-256 was {digest} and is {found.sha256}"
            raise EvidenceError(Problem(code="run_changed", file=path, message=said))
        _tests[path, digest] = found
    return found
