"""docs/reliability.md names tests; they exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(test_\w+\.py)(?:::(test_\w+))?`", PAGE)


def test_every_test_that_the_page_names_exists() -> None:
    assert len(NAMED) > 40
    for file, name in NAMED:
        path = ROOT / "tests" / file
        assert path.exists(), file
        if name:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
            assert name in found, f"{file}::{name}"


def test_every_row_of_promises_names_what_holds_it() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith(("| ---", "| promise"))]
    assert rows
    assert [row for row in rows if "`test_" not in row] == []
