"""Render the reports that conformance/report/ holds as golden files, or check that they are what is rendered.

    python tools/golden.py            writes conformance/report/<format>/<case>.<ending>
    python tools/golden.py --check    exits 1 where a file is not what is rendered now

Case `hostile` comes from conformance/report/inputs/, the others from conformance/envelopes/. Pages of HTML are looked
after by the tests of the page.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from hotato import __version__, report
from hotato.report._places import in_document, trace_file, transcript_file
from hotato.report._view import View, view

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "conformance" / "report"
ENDS = {"md": "md", "junit": "xml", "sarif": "sarif", "github": "txt", "tap": "tap", "text": "txt"}
CASES = {
    "hostile": FOLDER / "inputs" / "hostile",
    "no-evidence": ROOT / "conformance" / "envelopes" / "no-evidence",
    "refund-call": ROOT / "conformance" / "envelopes" / "refund-call",
    "skipped-and-vacuous": ROOT / "conformance" / "envelopes" / "skipped-and-vacuous",
}


def view_of(case: str) -> View:
    """Return what the reports of a case show; files are named as they would be in the case's own folder."""
    folder = CASES[case]

    def read(name: str) -> Any:
        file = folder / name
        return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None

    places = None
    document = folder / "assertions.yaml"
    if document.exists():
        from hotato.document.reading import scan

        places = in_document(scan(document.read_text(encoding="utf-8"), document.name), document.name)
    here = os.getcwd()
    os.chdir(folder)
    try:
        turns, turns_at = transcript_file("transcript.json") if Path("transcript.json").exists() else (None, None)
        spans, spans_at = trace_file("voice_trace.jsonl") if Path("voice_trace.jsonl").exists() else (None, None)
    finally:
        os.chdir(here)
    return view(
        assertions=read("envelope.json"),
        transcript=turns,
        spans=spans,
        rubric=read("rubric.json"),
        base=read("base.json"),
        title=None if case != "hostile" else "</title><script>alert(1)</script> @octocat",
        places=places,
        turns_at=turns_at,
        spans_at=spans_at,
    )


def golden(case: str, form: str) -> tuple[Path, str]:
    """Return where a golden file is and what it holds; hotato's version is left out."""
    text = report.render(form, view_of(case))
    return FOLDER / form / f"{case}.{ENDS[form]}", text.replace(
        f'"semanticVersion": "{__version__}"', '"semanticVersion": ""'
    )


def main() -> int:
    """Write or check every golden file."""
    stale = []
    for case in CASES:
        for form in ENDS:
            file, text = golden(case, form)
            if file.exists() and file.read_bytes() == text.encode():
                continue
            stale.append(file.relative_to(ROOT).as_posix())
            if "--check" not in sys.argv[1:]:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(text.encode())
    print("\n".join(stale) or "golden files are up to date")
    return int(bool(stale) and "--check" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
