"""Where the assertions, turns and spans of a report stand in the files that hold them."""

from __future__ import annotations

from typing import Any

from hotato.context.files import MOST_CONFIG, read_text
from hotato.document.reading import scan
from hotato.document.tree import Tree
from hotato.errors import DocumentError, EvidenceError
from hotato.model import codec
from hotato.report._view import Place


def document_file(path: str) -> dict[str, Place]:
    """Return the place of each assertion of a document file. Raise DocumentError where it cannot be read."""
    return in_document(scan(read_text(path, most=MOST_CONFIG, error=DocumentError), path), path)


def in_document(tree: Tree, file: str) -> dict[str, Place]:
    """Return the place of each assertion of a document: id -> where it begins."""
    items = tree.value.get("assertions") if isinstance(tree.value, dict) else None
    found: dict[str, Place] = {}
    for index, item in enumerate(items if isinstance(items, list) else ()):
        ident = item.get("id") if isinstance(item, dict) else None
        if isinstance(ident, str):
            found.setdefault(ident, Place(file, *tree.position(("assertions", index))))
    return found


def transcript_file(path: str) -> tuple[Any, list[Place]]:
    """Return the turns of a transcript file and the place of each. Raise EvidenceError."""
    from hotato.context.transcript import read_transcript

    text = read_text(path, error=EvidenceError)
    turns = read_transcript(text, path)
    return turns, in_transcript(text, path, len(turns))


def in_transcript(text: str, file: str, count: int) -> list[Place]:
    """Return the place of each of a transcript's turns; the file alone where its text is no list of so many turns."""
    try:
        tree = scan(text, file)
    except DocumentError:
        return whole(file, count)
    where: tuple[str | int, ...] = ()
    value = tree.value
    while isinstance(value, dict) and len(where) < 3:
        key = "segments" if "segments" in value else "transcript"
        value, where = value.get(key), (*where, key)
    if not isinstance(value, list) or len(value) != count:
        return whole(file, count)
    return [Place(file, *tree.position((*where, index))) for index in range(count)]


def trace_file(path: str) -> tuple[Any, list[Place]]:
    """Return the spans of a trace file and the place of each. Raise EvidenceError."""
    from hotato.context.trace import read_trace

    text = read_text(path, error=EvidenceError)
    spans, _ = read_trace(text, path)
    return spans, in_trace(text, path, len(spans))


def in_trace(text: str, file: str, count: int) -> list[Place]:
    """Return the place of each of a trace's spans; the file alone where its text has not one line for each."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line and not line.isspace()]
    if lines and _is_meta(lines[0][1]):
        lines = lines[1:]
    return [Place(file, number, 1) for number, _ in lines] if len(lines) == count else whole(file, count)


def whole(file: str, count: int) -> list[Place]:
    """Return the file alone as the place of each of so many things."""
    return [Place(file)] * count


def _is_meta(line: str) -> bool:
    try:
        record = codec.decode(line)
    except codec.JsonError:
        return False
    return isinstance(record, dict) and record.get("_meta") is True
