"""A case file: an assertions document that names, under `evidence`, the files of the call that it judges."""

from __future__ import annotations

import os
from typing import Any

import msgspec

from hotato.document.guess import Guesser
from hotato.document.reading import scan
from hotato.document.tree import Tree
from hotato.errors import DocumentError, EvidenceError, Problem
from hotato.model import given
from hotato.model.call import Call

ENDS = (".hotato.yaml", ".hotato.yml")
KEY = "evidence"


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """The evidence that a case file names. Paths start at the file's folder; what is not named is None."""

    call: str | None = None
    call_format: str | None = None
    call_id: str | None = None
    transcript: str | None = None
    trace: str | None = None
    state: str | None = None
    timing: str | None = None
    map_role: dict[str, str] | None = None
    capture_complete: bool = False


_PATHS = ("call", "transcript", "trace", "state", "timing")


def is_case(path: str) -> bool:
    """Say whether a file's name is that of a case file."""
    return path.endswith(ENDS)


def read_case(text: str, file: str) -> tuple[Tree, Evidence]:
    """Return the document of a case file, without its evidence, and the evidence. Raise DocumentError."""
    tree = scan(text, file)
    if not isinstance(tree.value, dict) or KEY not in tree.value:
        line, column = tree.position(())
        said = "a case file names its evidence, such as {transcript: transcript.json}"
        problem = Problem(code="missing_field", file=file, line=line, column=column, path=KEY, message=said)
        raise DocumentError([*tree.problems, problem])
    problems = [*tree.problems, *_problems(tree, tree.value[KEY], file)]
    if problems:
        raise DocumentError(problems)
    value = dict(tree.value)
    evidence = msgspec.convert(value.pop(KEY), Evidence, strict=True)
    tree.value = value
    return tree, evidence


def _problems(tree: Tree, value: Any, file: str) -> list[Problem]:
    """Return what is wrong with the evidence that a case file names."""

    def problem(code: str, said: str, *where: str, guess: str = "") -> Problem:
        line, column = tree.position((KEY, *where), key=code == "unknown_field")
        path = ".".join((KEY, *where))
        return Problem(code=code, file=file, line=line, column=column, path=path, message=said, guess=guess)

    if not isinstance(value, dict):
        return [problem("wrong_type", "must be a mapping of names to files")]
    found: list[Problem] = []
    known = tuple(field.name for field in msgspec.structs.fields(Evidence))
    for key, item in value.items():
        if key not in known:
            said = f"unknown evidence; there is {', '.join(known)}"
            found.append(problem("unknown_field", said, key, guess=Guesser().nearest(key, known)))
        elif key == "capture_complete":
            if type(item) is not bool:
                found.append(problem("wrong_type", "must be true or false", key))
        elif key == "map_role":
            if not isinstance(item, dict) or not all(type(role) is str and role for role in item.values()):
                found.append(problem("wrong_type", "must map speakers to roles", key))
        elif type(item) is not str or not item or item == "-":
            found.append(problem("wrong_type", "must be the path of a file" if key in _PATHS else "must be text", key))
    found += [
        problem("needless_field", "means nothing without call", key)
        for key in ("call_format", "call_id")
        if key in value and "call" not in value
    ]
    if not found and not any(key in value for key in _PATHS):
        found.append(problem("missing_field", f"names no file; there is {', '.join(_PATHS)}"))
    return found


def call_of(evidence: Evidence, folder: str) -> Call:
    """Return the call that the evidence holds. Raise EvidenceError."""
    from hotato.cli import _evidence
    from hotato.importers import Options

    def path(name: str) -> str:
        return os.path.join(folder, name)

    roles = evidence.map_role or {}
    told = Options(roles=roles, call_id=evidence.call_id)
    parts: list[Call] = []
    if evidence.call is not None:
        named = path(evidence.call), evidence.call_format, told
        parts.append(_evidence.call(*named, capture_complete=evidence.capture_complete))
    if evidence.transcript is not None:
        parts.append(_evidence.transcript(path(evidence.transcript), Options(roles=roles) if roles else None))
    if evidence.trace is not None:
        parts.append(_evidence.trace(path(evidence.trace), capture_complete=evidence.capture_complete))
    return joined(
        parts,
        state=None if evidence.state is None else path(evidence.state),
        timing=None if evidence.timing is None else path(evidence.timing),
    )


def joined(parts: list[Call], *, state: Any = None, timing: Any = None) -> Call:
    """Return one call of its parts. Raise EvidenceError.

    `state` is a path, a mapping of rows or an adapter; `timing` a path or the envelope of a scored run.
    """
    from hotato.cli._evidence import together
    from hotato.context.build import build_context

    if state is not None and not hasattr(state, "query"):
        from hotato.state.load import load_state_adapter

        state = load_state_adapter(state)
    if isinstance(timing, (str, os.PathLike)):
        timing = _timing(os.fspath(timing))
    whole = build_context(state_adapter=state, timing=timing)
    for part in parts:
        given.typed(Call, part, "call", "a path, or a context from build_context", EvidenceError)
    twice = together(whole, parts)
    if twice:
        said = f"the call holds a {twice} as well; give one of them"
        raise EvidenceError(Problem(code="both_given", file=twice, message=said))
    return whole


def _timing(path: str) -> Any:
    from hotato.context.files import read_text
    from hotato.model import codec

    try:
        return codec.decode(read_text(path, error=EvidenceError))
    except codec.JsonError as error:
        said = f"not JSON: {error.message}"
        raise EvidenceError(
            Problem(code=error.code, file=path, line=error.line, column=error.column, message=said)
        ) from None
