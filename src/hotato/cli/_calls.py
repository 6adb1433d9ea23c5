"""What the commands share that read files of other systems: their flags, and messages that name these flags."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from hotato.cli._parser import CommandError, Parser
from hotato.model.meta import CAPTURES

if TYPE_CHECKING:
    from hotato.importers._importer import Imported, Options

_SECONDS = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,18})?")
OWN = ("bridge", "hotato_bundle")
FILES = ("transcript.json", "voice_trace.jsonl")


def declare(parser: Parser, naming: str) -> None:
    """Declare what can be said of a file that another system wrote; `naming` is the flag that names its format."""
    value = parser.value
    value(naming, "NAME", "its format, where that cannot be told from the content", completes="format")
    value("--call-id", "ID", "which call, of a file that holds several")
    said = "who a speaker of the source is, such as SPEAKER_00=agent; may be repeated"
    value("--map-role", "LABEL=ROLE", said, many=True)
    value("--origin", "SECONDS", "the moment of the source's clock that counts as 0, where it does not say so itself")


def options(args: Namespace, prog: str) -> Options:
    """Return what the flags say of a file. Raise CommandError."""
    from hotato.importers import Options

    return Options(roles=_roles(args.map_role or (), prog), origin=_origin(args.origin, prog), call_id=args.call_id)


def _roles(pairs: Any, prog: str) -> dict[str, str]:
    from hotato.document.guess import Guesser
    from hotato.match.text import PARTIES, fold_role

    roles: dict[str, str] = {}
    for pair in pairs:
        label, _, role = pair.rpartition("=")
        if not label.strip() or not role.strip():
            raise CommandError(prog, "--map-role", "needs LABEL=ROLE, such as SPEAKER_00=agent")
        if label in roles:
            raise CommandError(prog, "--map-role", f"maps '{label}' twice")
        meant = Guesser().nearest(role, PARTIES)
        if meant and fold_role(role) not in PARTIES:
            raise CommandError(prog, "--map-role", f"'{role}' is neither agent nor caller", meant)
        roles[label] = role
    return roles


def _origin(text: str | None, prog: str) -> float | None:
    if text is None:
        return None
    if not _SECONDS.fullmatch(text):
        raise CommandError(prog, "--origin", "must be a number of seconds")
    return float(text)


def read(file: str, raw: bytes, name: str | None, told: Options, naming: str) -> Imported:
    """Return what the bytes of a file hold. Raise EvidenceError, also where something was said that is not so of the file.

    `name` is its format where the user says it, `naming` the flag for it.
    """
    from hotato import importers
    from hotato.errors import EvidenceError, Problem

    with in_terms_of(naming):
        imported = importers.read_raw(file, raw, name, told)
    said = ""
    if told.origin is not None and imported.format in OWN:
        said = "hotato's own files count from the start of the call, so --origin says nothing of them"
    if told.call_id not in (None, imported.call_id):
        said = "--call-id names another call, or the file does not say which call it is"
    if said:
        raise EvidenceError(Problem(code="value", file=file, message=said))
    return imported


@contextmanager
def in_terms_of(naming: str) -> Iterator[None]:
    """Let refusals of importers, which speak of --format, name the flag that the command has for it."""
    from msgspec.structs import replace

    from hotato.errors import EvidenceError

    try:
        yield
    except EvidenceError as error:
        raise EvidenceError(
            replace(
                problem,
                message=problem.message.replace("--format", naming),
                file=naming if problem.file == "--format" else problem.file,
            )
            for problem in error.problems
        ) from None


def vouched(imported: Imported) -> None:
    """Say on a trace's meta line that its source records every kind of event, as the user vouches."""
    imported.captures = dict.fromkeys(sorted(CAPTURES), True)


def note_lines(block: Mapping[str, Any]) -> list[str]:
    """Return the notes of a block of evidence, one a line: code, how often, and the sentence."""
    return [f"{note['code']} ({note.get('count', 1)}): {note.get('message', '')}" for note in block.get("notes", ())]


def many(count: int, noun: str) -> str:
    """Return a count with its noun."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
