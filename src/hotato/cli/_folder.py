"""The calls in a folder: a file each, of any format that is read, or a folder each with hotato's own files."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hotato.cli._calls import FILES, options

if TYPE_CHECKING:
    from hotato.importers._importer import Options
    from hotato.model.call import Call


def calls(folder: str, flag: str, roles: Sequence[str] | None, prog: str) -> tuple[list[str], list[Call]]:
    """Return names and calls, in the order of the names. Raise UsageError with what is wrong in any of the files.

    `roles` are what --map-role says, `flag` the flag that names the folder. Names that begin with a dot are passed over; in
    a folder of a call only transcript.json and voice_trace.jsonl are read, as `hotato call import` writes them.
    """
    from hotato.context.confined import confined
    from hotato.errors import Problem, UsageError

    told = options(Namespace(map_role=roles, origin=None, call_id=None), prog)
    place = confined(folder)
    if not place:
        said = "outside of the folder that files are read from"
        raise UsageError(Problem(code="file_outside", file=folder, message=said))
    try:
        names = sorted(name for name in os.listdir(place) if not name.startswith("."))
    except OSError as cause:
        said = (cause.strerror or "cannot be read").lower()
        code = "file_missing" if isinstance(cause, FileNotFoundError) else "file_kind"
        raise UsageError(Problem(code=code, file=folder, message=f"{said}; {flag} names a folder of calls")) from None
    found: list[Call] = []
    problems: list[Problem] = []
    for name in names:
        try:
            found.append(_call(os.path.join(folder, name), told))
        except UsageError as error:
            problems += error.problems
    if not names:
        problems.append(Problem(code="file_missing", file=folder, message=f"no call in the folder of {flag}"))
    if problems:
        raise UsageError(problems)
    return names, found


def _call(path: str, told: Options) -> Call:
    from hotato.cli import _evidence as evidence
    from hotato.errors import EvidenceError, Problem
    from hotato.model.call import Call

    if not os.path.isdir(path):
        return evidence.any_call(path, None, told)
    transcript, trace = (os.path.join(path, name) for name in FILES)
    parts = [evidence.transcript(transcript, told)] if os.path.exists(transcript) else []
    parts += [evidence.trace(trace)] if os.path.exists(trace) else []
    if not parts:
        raise EvidenceError(Problem(code="file_missing", file=path, message=f"neither {' nor '.join(FILES)} is in it"))
    whole = Call()
    evidence.together(whole, parts)
    return whole
