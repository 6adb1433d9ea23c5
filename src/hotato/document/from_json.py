"""JSON text to a tree. The codec decodes; a second, slower scan finds places, only when a problem is reported."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from hotato.document.problems import in_order
from hotato.document.tree import Tree
from hotato.errors import DocumentError, Problem
from hotato.model.codec import JsonError, decode
from hotato.model.limits import limit

if TYPE_CHECKING:
    from hotato.document.json_places import Scanner

_MOST_DIGITS = 4300
_CODES = {
    "json_duplicate_key": "duplicate_key",
    "json_number": "number",
    "json_depth": "too_deep",
    "json_values": "too_many_nodes",
}


def scan_json(text: str, file: str) -> Tree:
    """Return the tree of a cleaned JSON text. Raise DocumentError where the text cannot be read to its end."""
    try:
        value = decode(text)
    except JsonError as error:
        return _refused(text, file, error)
    most = limit("document_values")
    if _holds_halves(text) or (len(text) > most and _nodes(text) >= most):
        scanner = _scanned(text, file)
        if any(p.code == "too_many_nodes" for p in scanner.problems):
            raise DocumentError(in_order(scanner.problems))
        return Tree(value, file, lambda: scanner.root, tuple(in_order(scanner.problems)))
    return Tree(value, file, lambda: _scanned(text, file).root)


def _scanned(text: str, file: str) -> Scanner:
    from hotato.document.json_places import Scanner

    scanner = Scanner(text, file)
    scanner.run()
    return scanner


def _holds_halves(text: str) -> bool:
    """Say whether half of a surrogate pair may be written in the text."""
    return "\\u" in text and re.search(r"\\u[dD][89a-fA-F]", text) is not None


def _nodes(text: str) -> int:
    """Return at least as many as there are values in the text."""
    return sum(map(text.count, "{[,:"))


def _refused(text: str, file: str, error: JsonError) -> Tree:
    """Return the tree of a text that breaks a rule beyond JSON's grammar. Raise DocumentError if it breaks that too."""
    found: list[Problem] = []
    if error.code != "json_syntax":
        scanner = _scanned(text, file)
        found = scanner.problems
        if any(p.code in ("too_deep", "too_many_nodes") for p in scanner.problems):
            raise DocumentError(in_order(scanner.problems))
        try:
            value = json.loads(text, parse_int=_int)
        except json.JSONDecodeError as syntax:
            error = JsonError("json_syntax", syntax.msg, syntax.lineno, syntax.colno)
        else:
            # what the codec refused is never let in, should the scan not find the place of it
            unplaced = Problem(code=_CODES[error.code], message=error.message, file=file, line=1, column=1)
            return Tree(value, file, lambda: scanner.root, tuple(in_order(scanner.problems or [unplaced])))
    said = f"{error.message}; a text that begins with {text.lstrip()[:1]} is read as JSON"
    syntax_problem = Problem(code="json_syntax", message=said, file=file, line=error.line, column=error.column)
    raise DocumentError(in_order([*found, syntax_problem]))


def _int(digits: str) -> int:
    return int(digits) if len(digits) <= _MOST_DIGITS else 0
