"""From a YAML or JSON text to its tree."""

from __future__ import annotations

from hotato.document.text import clean, is_json
from hotato.document.tree import Tree
from hotato.errors import DocumentError


def scan(text: str, file: str = "") -> Tree:
    """Return the tree of a YAML or JSON text with the problems that left it readable; raise DocumentError for others."""
    text = clean(text, file)
    if is_json(text):
        from hotato.document.from_json import scan_json

        return scan_json(text, file)
    from hotato.document.from_yaml import scan_yaml

    return scan_yaml(text, file)


def read(text: str, file: str = "") -> Tree:
    """Return the tree of a YAML or JSON text. Raise DocumentError with all of its problems, in order."""
    tree = scan(text, file)
    if tree.problems:
        raise DocumentError(tree.problems)
    return tree
