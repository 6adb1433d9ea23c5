"""Write what is generated from the kinds and importers: schemas, their pages and the list of codes.

    python tools/generate.py            write the files
    python tools/generate.py --check    write nothing; exit 1 and say what differs where a file is not up to date

The output depends on the sources alone: the same tree gives the same bytes on every machine.
"""

from __future__ import annotations

import difflib
import json
import sys
from pathlib import Path
from typing import Any

import importer_pages
from hotato import importers
from hotato.kinds import all_kinds, tag
from pages import codes_page, index_page, kind_page
from schemas import document_schema, envelope_schema, mutate_schema
from simulate_schemas import conversation_schema, conversation_test_schema, scenario_schema, suite_schema

ROOT = Path(__file__).resolve().parent.parent
PAGES = "docs/kinds"
IMPORTERS = "docs/importers"


def outputs() -> dict[str, str]:
    """Return the text of every generated file by its path under the root."""
    kinds = all_kinds()
    found = {
        "src/hotato/schema/assert-document.v1.json": _json(document_schema(kinds)),
        "src/hotato/schema/assert.v1.json": _json(envelope_schema(kinds)),
        "src/hotato/schema/mutate.v1.json": _json(mutate_schema()),
        "src/hotato/schema/scenario.v1.json": _json(scenario_schema()),
        "src/hotato/schema/conversation.v1.json": _json(conversation_schema()),
        "src/hotato/schema/conversation-test.v1.json": _json(conversation_test_schema(kinds)),
        "src/hotato/schema/suite.v1.json": _json(suite_schema()),
        f"{PAGES}/README.md": index_page(kinds),
        "docs/reference/codes.md": codes_page(kinds),
    }
    for kind in kinds:
        found[f"{PAGES}/{tag(kind)}.md"] = kind_page(kind, ROOT / "conformance" / "kinds")
    cases = ROOT / "conformance" / "importers"
    found[f"{IMPORTERS}/README.md"] = importer_pages.index_page(importers.names(), cases)
    for name in importers.names():
        found[f"{IMPORTERS}/{name}.md"] = importer_pages.importer_page(name, cases)
    return found


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=True) + "\n"


def left_over(wanted: dict[str, str]) -> list[str]:
    """Return the pages that no kind or importer stands for any more."""
    pages = [path for folder in (PAGES, IMPORTERS) for path in (ROOT / folder).glob("*.md")]
    there = sorted(path.relative_to(ROOT).as_posix() for path in pages)
    return [path for path in there if path not in wanted]


def check(wanted: dict[str, str]) -> int:
    """Print what differs from the files on disk; return 1 if anything does."""
    stale = [f"{path}: nothing of this name" for path in left_over(wanted)]
    for path, text in wanted.items():
        file = ROOT / path
        if not file.is_file():
            stale.append(f"{path}: missing")
        elif (old := file.read_text(encoding="utf-8")) != text:
            lines = list(difflib.unified_diff(old.splitlines(), text.splitlines(), lineterm="", n=0))
            changes = [line for line in lines[2:] if not line.startswith("@@")]
            stale.append(f"{path}: {len(changes)} lines differ, the first: {changes[0] if changes else 'the line end'}")
    if stale:
        print("Generated files are not up to date; run `make generate`.", *stale, sep="\n  ")
    return int(bool(stale))


def write(wanted: dict[str, str]) -> int:
    """Write every file that differs and remove pages that nothing stands for."""
    for path in left_over(wanted):
        (ROOT / path).unlink()
        print(f"removed {path}")
    for path, text in wanted.items():
        file = ROOT / path
        if file.is_file() and file.read_text(encoding="utf-8") == text:
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
        print(f"wrote {path}")
    return 0


def main(arguments: list[str]) -> int:
    """Run the command; return its exit code."""
    if arguments not in ([], ["--check"]):
        print("usage: generate.py [--check]", file=sys.stderr)
        return 2
    return check(outputs()) if arguments else write(outputs())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
