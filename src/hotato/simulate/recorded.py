"""Recorded calls for the tests of a suite: a folder a test, and in it a folder or a file a call."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from hotato.context.build import build_context
from hotato.context.files import sha256_of
from hotato.document.guess import Guesser
from hotato.errors import EvidenceError, Problem
from hotato.model.call import Call

PARTS = ("transcript.json", "voice_trace.jsonl", "state.json", "timing.json")
_EVIDENCE = PARTS[:2]  # one of these makes a folder a call


def find(root: str, tests: Iterable[str]) -> dict[str, list[str]]:
    """Return the names of each test's calls, relative to its folder, sorted. Raise EvidenceError.

    Every test needs calls, every folder of the root a test, and every folder below something: what is left out would not be
    missed. Names that begin with a dot are passed over.
    """
    wanted = list(tests)
    problems = []
    for name in _entries(root):
        if name not in wanted and os.path.isdir(os.path.join(root, name)):
            near = Guesser().nearest(name, wanted)
            said = "no test of the suite has this id"
            problems.append(Problem(code="file_kind", file=os.path.join(root, name), message=said, guess=near))
    found = {}
    for ident in wanted:
        place = os.path.join(root, ident)
        names, empty = _below(place, "") if os.path.isdir(place) else ([], [])
        found[ident] = sorted(names)
        said = "an empty folder: the call that was to be in it would not be missed"
        problems += [Problem(code="file_missing", file=os.path.join(place, name), message=said) for name in empty]
        if not names and not empty:
            said = f"holds no call of the test '{ident}'; its calls go into a folder of that name"
            problems.append(Problem(code="file_missing", file=root, message=said))
    if problems:
        raise EvidenceError(problems)
    return found


def digests(root: str, names: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the hash of each call's files, by test and name."""
    return {
        f"{ident}/{name}": _digest(os.path.join(root, ident, name)) for ident, calls in names.items() for name in calls
    }


def call_of(path: str) -> tuple[Call, str]:
    """Return a recorded call, and the hash of its files. Raise EvidenceError."""
    if not os.path.isdir(path):
        from hotato.importers import load_call

        return load_call(path), _digest(path)
    from hotato.model import codec
    from hotato.state.load import load_state_adapter

    transcript, trace, state, timing = (
        place if os.path.exists(place := os.path.join(path, name)) else None for name in PARTS
    )
    scored = None
    if timing is not None:
        from hotato.context.files import read_text

        try:
            scored = codec.decode(read_text(timing, error=EvidenceError))
        except codec.JsonError as cause:
            said = f"not JSON: {cause.message}"
            raise EvidenceError(
                Problem(code="timing", file=timing, line=cause.line, column=cause.column, message=said)
            ) from None
    call = build_context(
        transcript_path=transcript,
        trace_path=trace,
        timing=scored,
        state_adapter=None if state is None else load_state_adapter(state),
    )
    return call, _digest(path)


def _below(folder: str, above: str) -> tuple[list[str], list[str]]:
    """Return the names of the calls in a folder and those below it, and of folders that hold nothing."""
    names: list[str] = []
    empty: list[str] = []
    for name in _entries(folder):
        place, told = os.path.join(folder, name), f"{above}{name}"
        if not os.path.isdir(place) or any(os.path.exists(os.path.join(place, part)) for part in _EVIDENCE):
            names.append(told)
        elif not _entries(place):
            empty.append(told)
        else:
            inside, nothing = _below(place, f"{told}/")
            names += inside
            empty += nothing
    return names, empty


def _digest(path: str) -> str:
    parts = [os.path.join(path, name) for name in PARTS] if os.path.isdir(path) else [path]
    whole = [f"{os.path.basename(part)} {sha256_of(part)}\n" for part in parts if os.path.exists(part)]
    return sha256("".join(whole).encode()).hexdigest()


def _entries(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError as cause:
        said = (cause.strerror or "cannot be read").lower()
        code = "file_missing" if isinstance(cause, FileNotFoundError) else "file_kind"
        raise EvidenceError(Problem(code=code, file=folder, message=said)) from None
