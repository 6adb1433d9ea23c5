"""A run over many calls from its beginning, or from where it stopped, to its files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, Protocol

import msgspec

from hotato import __version__
from hotato.batch import _document as documents
from hotato.batch import _sources as sources
from hotato.batch._asked import check, check_engine
from hotato.batch._finish import finish
from hotato.batch._folder import SUMMARY, WRITTEN
from hotato.batch._read import shown
from hotato.batch._work import Spec, packed, unpacked
from hotato.context.files import MOST_CONFIG, read_text
from hotato.context.writing import made_folder
from hotato.errors import DocumentError, EvidenceError, Problem, UsageError
from hotato.model import codec
from hotato.model.limits import LIMITS, limit, limits
from hotato.plan.compile import Plan
from hotato.runs.folder import DATA, JOURNAL, LOCK, locked, may_prepare, prepare
from hotato.runs.journal import Journal
from hotato.runs.processes import cores

BATCH_BYTES = 4 * 1024 * 1024


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What a run is asked to do. `min_pass_rate` maps ids to the least that the lower bound of the pass rate may be."""

    calls: tuple[str, ...]
    judged: documents.Judged
    kind: str = ""
    call_format: str = ""
    capture_complete: bool = False
    envelopes: bool = False
    batch_bytes: int = BATCH_BYTES
    max_errors: int = 0
    min_pass_rate: Mapping[str, float] = {}


class Engine(msgspec.Struct, frozen=True):
    """How a run is done. None of it changes a byte of the results."""

    name: str = "local"
    workers: int = 0
    address: str = ""


class Watcher(Protocol):
    """Whoever watches a run."""

    def begin(self, total: int, done: int, calls: int) -> None:
        """Hear how many bytes of input there are, how many are done, and how many calls these had."""

    def add(self, size: int, calls: int, failed: int, errors: int) -> None:
        """Hear of a piece that is done."""


class Unwatched:
    """Nobody watches."""

    def begin(self, total: int, done: int, calls: int) -> None:
        """Do nothing."""

    def add(self, size: int, calls: int, failed: int, errors: int) -> None:
        """Do nothing."""


def run(
    request: Request, plan: Plan, out: str, engine: Engine, watcher: Watcher, *, force: bool = False
) -> dict[str, Any]:
    """Judge all calls, write the files of the run into a folder, and return the summary. Raise UsageError."""
    check(request, plan, engine)
    _import(engine.name)
    how = f"hotato batch resume {out}"
    is_new = not os.path.isdir(out)
    with made_folder(out):
        found = _survey(request, out, engine) if is_new else []  # of what is refused here, no folder stays behind
        with locked(out):
            may_prepare(out, WRITTEN, how, force=force)
            found = found or _survey(request, out, engine)
            prepare(out, WRITTEN, how, force=force)  # only now: nothing of an earlier run goes for one that is refused
            journal = Journal(out, _head(request, found))
            try:
                return _go(journal, request, plan, found, (engine, watcher))
            finally:
                journal.close()


def resume(out: str, engine: Engine, watcher: Watcher) -> dict[str, Any]:
    """Go on with a run that stopped, and return its summary. Raise UsageError where what it reads has changed since."""
    if not os.path.isfile(os.path.join(out, JOURNAL)):
        said = "no run has begun here; start it with hotato batch run"
        raise UsageError(Problem(code="journal", file=out, message=said))
    check_engine(engine)
    _import(engine.name)
    with locked(out):
        journal = Journal(out)
        if journal.is_done:
            journal.drop()
            journal.close()
            return summary_of(out)
        try:
            request, plan = _request(journal.head, out)
            with limits(**{name: value for name, value in journal.head["limits"].items() if name in LIMITS}):
                found = _survey(request, out, engine)
                _same_inputs(journal.head["inputs"], msgspec.to_builtins(found))
                return _go(journal, request, plan, found, (engine, watcher))
        finally:
            journal.close()


def summary_of(out: str) -> dict[str, Any]:
    """Return the summary of a run that is finished. Raise UsageError."""
    place = os.path.join(out, SUMMARY)
    try:
        found: dict[str, Any] = codec.decode(read_text(place))
    except codec.JsonError:
        raise UsageError(Problem(code="journal", file=place, message="is not as it was written")) from None
    return found


def root_of(paths: list[str]) -> str:
    """Return the folder, with its last slash, that all paths begin with."""
    first, last = min(paths), max(paths)
    length = next((place for place, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[: max(first.rfind("/", 0, length), first.rfind(os.sep, 0, length)) + 1]


def _go(
    journal: Journal, request: Request, plan: Plan, found: list[sources.Input], how: tuple[Engine, Watcher]
) -> dict[str, Any]:
    """Do the pieces that are not done, and write the files."""
    engine, watcher = how
    root = root_of([one.path for one in found])
    spec = packed(
        Spec(
            request.judged,
            root,
            request.call_format,
            request.capture_complete,
            request.envelopes,
            journal.head["limits"],
        )
    )
    every = list(sources.pieces(found, request.batch_bytes))
    sizes = {piece.number: _size(piece) for piece in every}
    done = journal.entries
    watcher.begin(sum(sizes.values()), sum(sizes[n] for n in done), sum(entry.calls for entry in done.values()))
    encode = msgspec.msgpack.Encoder().encode
    left = ((piece.number, encode(piece)) for piece in every if piece.number not in done)
    outcomes = _import(engine.name)(spec, left, msgspec.structs.replace(engine, workers=_workers(engine)))
    try:
        for number, raw in outcomes:
            tally = unpacked(raw).tally
            counts = tally.calls, tally.failed, sum(tally.errors.values())
            journal.add(number, raw, counts)
            watcher.add(sizes[number], *counts)
    except BaseException:
        journal.flush()
        raise
    finally:
        outcomes.close()
    journal.flush()
    sources.check(found, _workers(engine))
    return finish(journal, plan, _about(journal.head, root), [piece.number for piece in every])


def _import(name: str) -> Callable[[bytes, Iterator[tuple[int, bytes]], Engine], Any]:
    """Return what runs pieces in an engine. Raise UsageError where its package is not installed."""
    try:
        module: Any = import_module(f"hotato.batch._{name}")
        if name != "local":
            import_module(name)
    except ImportError as cause:
        said = f"needs a package that is not installed ({cause.name}): pip install 'hotato[{name}]'"
        raise UsageError(Problem(code="extra_missing", file="--engine", message=said)) from None
    return module.run  # type: ignore[no-any-return]


def _workers(engine: Engine) -> int:
    return engine.workers or cores()


def _survey(request: Request, out: str, engine: Engine) -> list[sources.Input]:
    """Return what the input is, without the run's own files where its folder is inside. Raise EvidenceError."""
    mine, here = {JOURNAL, DATA, LOCK, *WRITTEN}, os.path.realpath(out)
    found = sorted({path for given in request.calls for path in sources.find(given)})
    paths = [
        path for path in found if os.path.basename(path) not in mine or os.path.realpath(os.path.dirname(path)) != here
    ]
    if not paths:
        said = "no call is found there: the files are those of the run itself"
        raise EvidenceError(Problem(code="file_missing", file=found[0], message=said))
    return sources.survey(paths, _workers(engine), request.kind)


def _size(piece: sources.Piece) -> int:
    """Return how many bytes of input a piece is, about."""
    if piece.kind == sources.LINES:
        return piece.end - piece.start
    return sum(piece.sizes) if piece.kind == sources.CALL else piece.sizes[0] // 16 + 1


def _head(request: Request, found: list[sources.Input]) -> dict[str, Any]:
    judged = request.judged
    return {
        "schema": "batch.v1",
        "hotato": __version__,
        "assertions": {
            "file": judged.file,
            "sha256": documents.digest(judged),
            "packs": list(judged.packs),
            "inconclusive_policy": judged.inconclusive_policy,
            "strict": judged.strict,
            "join_segments": judged.join_segments,
            "text": "" if judged.file else judged.text,
        },
        "calls": list(request.calls),
        "settings": {
            "kind": request.kind,
            "call_format": request.call_format,
            "capture_complete": request.capture_complete,
            "envelopes": request.envelopes,
            "batch_bytes": request.batch_bytes,
            "max_errors": request.max_errors,
            "min_pass_rate": dict(request.min_pass_rate),
        },
        "limits": {name: limit(name) for name in LIMITS},
        "inputs": msgspec.to_builtins(found),
    }


def _request(head: Mapping[str, Any], out: str) -> tuple[Request, Plan]:
    """Return what a run was asked to do. Raise UsageError where its document or hotato itself has changed."""
    if head["hotato"] != __version__:
        said = f"was begun by hotato {head['hotato']}, and this is {__version__}: verdicts may differ"
        raise UsageError(Problem(code="run_changed", file=out, message=said))
    told = head["assertions"]
    text = told["text"] or read_text(told["file"], most=MOST_CONFIG, error=DocumentError)
    judged, plan = documents.taken(
        text,
        told["file"],
        told["packs"],
        inconclusive_policy=told["inconclusive_policy"],
        strict=told["strict"],
        join_segments=told["join_segments"],
    )
    now = documents.digest(judged)
    if now != told["sha256"]:
        raise sources.changed(DocumentError, told["file"], told["sha256"], now)
    settings = {**head["settings"], "calls": tuple(head["calls"]), "judged": judged}
    return Request(**settings), plan


def _same_inputs(then: list[dict[str, Any]], now: list[dict[str, Any]]) -> None:
    """Raise EvidenceError where the input is not what it was."""
    old, new = ({one["path"]: one for one in inputs} for inputs in (then, now))
    for path in sorted({*old, *new}):
        if path not in new or path not in old:
            said = "was read when the run began, and is gone" if path in old else "was not there when the run began"
            raise EvidenceError(Problem(code="run_changed", file=path, message=said))
        if old[path] != new[path]:
            raise sources.changed(EvidenceError, path, old[path]["sha256"], new[path]["sha256"])


def _about(head: Mapping[str, Any], root: str) -> dict[str, Any]:
    """Return what the summary says of a run, without anything of the machine it ran on."""
    inputs = head["inputs"]
    named = msgspec.json.encode([[shown(one["path"], root), one["sha256"]] for one in inputs])
    told = head["assertions"]
    return {
        "hotato": head["hotato"],
        "assertions": {"file": os.path.basename(told["file"]), "sha256": told["sha256"], "packs": told["packs"]},
        "inputs": {
            "files": len(inputs),
            "bytes": sum(one["size"] for one in inputs),
            "sha256": hashlib.sha256(named).hexdigest(),
        },
        "settings": head["settings"],
    }
