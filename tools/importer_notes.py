"""Which notes an importer can give: the codes that stand in the functions it can come to, found in the sources.

A function counts as reached where its name stands in a function that is. Codes therefore may be listed that no file brings
about, but none is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import hotato.importers

FOLDER = Path(hotato.importers.__file__).parent
PACKAGE = "hotato.importers"
TABLES = ("NOTES", "WORDED")


class Module:
    """One file of the folder: what it defines by name, and what its other names stand for."""

    def __init__(self, name: str) -> None:
        self.defined: dict[str, ast.AST] = {}
        self.modules: dict[str, str] = {}
        self.taken: dict[str, tuple[str, str]] = {}
        tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
        for statement in tree.body:
            self.defined |= dict.fromkeys(_names(statement), statement)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module == PACKAGE:
                self.modules |= {alias.asname or alias.name: alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{PACKAGE}."):
                origin = str(node.module).rpartition(".")[2]
                self.taken |= {alias.asname or alias.name: (origin, alias.name) for alias in node.names}

    def named(self, own: str, node: ast.AST) -> Iterator[tuple[str, str]]:
        """Yield the definitions, as module and name, that a piece of this file, which is called `own`, names."""
        for part in ast.walk(node):
            if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id in self.modules:
                yield self.modules[part.value.id], part.attr
            elif isinstance(part, ast.Name) and part.id in self.taken:
                yield self.taken[part.id]
            elif isinstance(part, ast.Name) and part.id in self.defined:
                yield own, part.id


def _names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]


@cache
def _module(name: str) -> Module:
    return Module(name)


@cache
def sentences() -> dict[str, str]:
    """Return the sentence of every note by its code, sorted; where tables share a code, that of calls counts."""
    found: dict[str, str] = {}
    for name in ("_notes", *sorted(path.stem for path in FOLDER.glob("_*.py") if path.stem != "__init__")):
        module = import_module(f"{PACKAGE}.{name}")
        for table in TABLES:
            found = {**getattr(module, table, {}), **found}
    return dict(sorted(found.items()))


@cache
def notes_of(importer: str) -> dict[str, str]:
    """Return the notes that an importer can give, by code, with the sentences that are shown for them."""
    known = sentences()
    seen: set[tuple[str, str]] = set()
    left = [(importer, "read")]
    codes: set[str] = set()
    while left:
        place = left.pop()
        name, wanted = place
        if place in seen or not (FOLDER / f"{name}.py").is_file() or wanted not in _module(name).defined:
            continue
        seen.add(place)
        if wanted in TABLES:
            continue
        node = _module(name).defined[wanted]
        codes |= {part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and part.value in known}
        left += _module(name).named(name, node)
    own = {module for module, name in seen if name == "NOTES"}
    for module in sorted(own - {"_notes"}):
        known = {**known, **import_module(f"{PACKAGE}.{module}").NOTES}
    return {code: known[code] for code in sorted(codes)}
