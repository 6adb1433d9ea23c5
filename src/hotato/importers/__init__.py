"""Importers: what vendors, frameworks, speech-to-text and OpenTelemetry write, read as a call. One file a format.

The folder is the registry: a file without an underscore is an importer of its name, imported when it is first needed.
"""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from math import fsum
from typing import Any, Protocol

from hotato.errors import EvidenceError, Problem
from hotato.importers._importer import Content, Damage, Imported, Note, Options
from hotato.importers._refusals import damaged, unreadable, way
from hotato.model import given
from hotato.model.call import Call, StateAdapter

__all__ = [
    "Content", "Damage", "Imported", "Importer", "Note", "Options", "detect", "get", "load_call", "names", "read_file",
    "read_raw", "way",
]  # fmt: skip

HINT = "--format NAME names the format"


class Importer(Protocol):
    """What an importer declares; `_importer` says what each is."""

    RANK: int

    def matches(self, content: Content) -> str:
        """Say why the content is of the format; empty where it is not."""

    def read(self, content: Content, options: Options) -> Imported:
        """Return what the content gives."""


def names() -> list[str]:
    """Return the names of all formats, sorted."""
    return list(_names())


@cache
def _names() -> tuple[str, ...]:
    found = os.scandir(os.path.dirname(__file__))
    return tuple(sorted(entry.name[:-3] for entry in found if entry.name.endswith(".py") and entry.name[0] != "_"))


def get(name: str) -> Importer:
    """Return the importer of a format. Raise EvidenceError, with the nearest name, where there is none."""
    known = _names()
    if name not in known:
        from difflib import get_close_matches

        guess = next(iter(get_close_matches(name, known, n=1)), "")
        said = f"no format is named '{name}'"
        raise EvidenceError(Problem(code="format_unknown", file="--format", message=said, guess=guess))
    return import_module(f"hotato.importers.{name}")


def gives(name: str) -> tuple[str, ...]:
    """Return which of `transcript` and `trace` a format can carry."""
    return getattr(get(name), "GIVES", ("transcript", "trace"))


def format_of(name: str, raw: bytes) -> str:
    """Return the format of a file's bytes, be they damaged or not; empty where it cannot be told."""
    from hotato.importers import _container as container

    try:
        return detect(container.opened(name, raw).content)
    except (EvidenceError, container.Unreadable):
        return ""


def detect(content: Content, only: Collection[str] | None = None) -> str:
    """Return the format of content, told from the content alone. Raise EvidenceError where none fits, or two do.

    Formats are tried in the order of their RANK; those of one decade of ranks are peers, and of peers only one may fit.
    `only` names the formats that are wanted.
    """
    wanted = [name for name in names() if only is None or name in only]
    ranked = sorted((get(name).RANK, name) for name in wanted)
    fitting = [(rank, name, why) for rank, name in ranked if (why := get(name).matches(content))]
    if not fitting:
        raise EvidenceError(_unknown(content, wanted))
    rank, first, why = fitting[0]
    peers = [(name, reason) for other, name, reason in fitting[1:] if other // 10 == rank // 10]
    if peers:
        second, reason = peers[0]
        said = f"could be {first} ({why}) or {second} ({reason}); {HINT}"
        raise EvidenceError(Problem(code="format_ambiguous", file=content.name, message=said))
    return first


def read_file(
    path: Any,
    format: str | None = None,  # noqa: A002
    options: Options | None = None,
    only: Collection[str] | None = None,
) -> Imported:
    """Return what a file gives, its format told from its content unless named. Raise EvidenceError, never anything else.

    `only` names the formats that are wanted: a trace file is not looked for among transcripts.
    """
    from hotato.context.files import read_bytes

    raw = read_bytes(path, error=EvidenceError)
    if format is not None:
        given.typed(str, format, "format", "the name of a format", EvidenceError)
    if options is not None:
        given.typed(Options, options, "options", "hotato.importers.Options", EvidenceError)
    return read_raw(os.fspath(path), raw, format, options, only)


def load_call(
    path: Any,
    format: str | None = None,  # noqa: A002
    options: Options | None = None,
    *,
    only: Collection[str] | None = None,
    capture_complete: bool = False,
    state_adapter: StateAdapter | None = None,
) -> Call:
    """Return the call that a file holds, ready to be judged. Raise EvidenceError.

    `capture_complete` vouches that the source records every kind of event, whatever it is known for.
    """
    from hotato.importers._call import call_of

    given.flag(capture_complete, "capture_complete")
    imported = read_file(path, format, options, only)
    return call_of(imported, capture_complete=capture_complete, state_adapter=state_adapter, file=os.fspath(path))


def read_raw(
    name: str,
    raw: bytes,
    format: str | None = None,  # noqa: A002
    options: Options | None = None,
    only: Collection[str] | None = None,
) -> Imported:
    """Return what a file's bytes give; `name` stands for the file in messages. As `read_file` otherwise."""
    with _undisturbed():
        return _read_raw(name, raw, format, options, only)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Keep the collector of circular garbage still: all that is built stays alive, and looking through it again and again
    would take longer than the reading.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _read_raw(
    name: str,
    raw: bytes,
    format: str | None,  # noqa: A002
    options: Options | None,
    only: Collection[str] | None,
) -> Imported:
    from hotato.importers import _container as container

    if format in (None, "otlp") and (only is None or "otlp" in only) and b'"resourceSpans"' in raw[:40]:
        from hotato.importers.otlp import quick

        found = quick(raw, options or Options())
        if found is not None:
            return found
    try:
        opened = container.opened(name, raw)
    except container.Unreadable as fault:
        raise EvidenceError(unreadable(name, fault)) from None
    content = opened.content
    if opened.fault is not None and format is None and not any(_textual(content, only)):
        raise EvidenceError(unreadable(name, opened.fault)) from None
    chosen = format or detect(content, only)
    importer = get(chosen)
    if opened.fault is not None and not importer.matches(content):
        raise EvidenceError(unreadable(name, opened.fault)) from None
    try:
        imported = importer.read(content, options or Options())
    except Damage as damage:
        raise EvidenceError(damaged(content, damage)) from None
    if format is not None and not imported.transcript and not imported.spans and not importer.matches(content):
        said = f"holds nothing that {format} is read for; without {HINT.partition(' ')[0]} it is told from the content"
        raise EvidenceError(Problem(code="format_unknown", file=name, message=said))
    return _finite(imported) if opened.is_loose else imported


def _textual(content: Content, only: Collection[str] | None) -> Iterator[str]:
    """Yield why text that is no JSON is of a format all the same."""
    for name in names():
        if only is None or name in only:
            yield get(name).matches(content)


def _finite(imported: Imported) -> Imported:
    from hotato.importers._container import finite

    imported.transcript, turns = finite(imported.transcript)
    imported.spans, spans = finite(imported.spans)
    imported.meta, meta = finite(imported.meta)
    if turns + spans + meta:
        said = "numbers are NaN or infinite in the source and were left out"
        imported.notes = [*imported.notes, Note("number_not_finite", said, turns + spans + meta)]
    return imported


def _unknown(content: Content, wanted: list[str]) -> Problem:
    """Return the problem of content that is of no format, with the two formats whose field names it has most of."""
    if content.text is not None and not content.text.strip():
        return Problem(code="format_unknown", file=content.name, message="an empty file")
    keys = _keys(content.values[:20])
    words = {name: keys & _words(name) for name in wanted}
    often = Counter(word for shared in words.values() for word in shared)
    scored = sorted(
        (-fsum(1 / often[word] for word in shared), name, sorted(shared, key=lambda word: (often[word], word)))
        for name, shared in words.items()
        if shared
    )
    said = "of no format that is known" if content.text is not None else "neither text nor a trace in protobuf"
    if scored:
        near = " and ".join(f"{name} (has {', '.join(shared[:4])})" for _, name, shared in scored[:2])
        said += f"; nearest: {near}"
    return Problem(code="format_unknown", file=content.name, message=f"{said}; {HINT}")


def _keys(values: Any, depth: int = 3) -> set[str]:
    if depth == 0:
        return set()
    if type(values) is dict:
        return set(values).union(*(_keys(value, depth - 1) for value in values.values()))
    if type(values) is list:
        return set().union(*(_keys(value, depth) for value in values[:5] if type(value) is dict))
    return set()


def _words(name: str) -> set[str]:
    """Return the words that an importer looks for when it is asked whether content is of its format."""
    code = get(name).matches.__code__
    found: set[str] = set()
    left: list[Any] = list(code.co_consts[1:])
    while left:
        item = left.pop()
        if type(item) is str and item.isidentifier():
            found.add(item)
        elif type(item) in (tuple, frozenset):
            left += item
        elif hasattr(item, "co_consts"):
            left += item.co_consts
    return found
