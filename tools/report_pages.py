"""Pages of the HTML report, as they are kept under conformance/report/html. Run it to write them again.

report_pages.py            write the pages
report_pages.py --check    say which are not what the renderer gives, exit 1
"""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path
from typing import Any

from hotato import assert_ as A
from hotato.report import html
from hotato.report._lanes import Lanes, lanes_of
from hotato.report._view import Place, view

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "conformance" / "report" / "html"
CALL = ROOT / "conformance" / "envelopes" / "refund-call"
RUBRIC = {
    "schema": "rubric.v1",
    "results": [
        {
            "id": "stays-polite",
            "kind": "judge_rubric",
            "status": "PASS",
            "deterministic": False,
            "dimension": "conversation",
            "criterion": "The agent stays polite throughout.",
            "rationale": "Every turn of the agent is courteous.",
            "model": "small-judge",
            "confidence": 0.92,
            "citations": [{"turn": 2}, {"span_id": "s_1"}, "s_99"],
        }
    ],
}


def envelope(folder: Path = CALL) -> dict[str, Any]:
    """Return the envelope kept in a folder of conformance/envelopes."""
    kept: dict[str, Any] = json.loads((folder / "envelope.json").read_text(encoding="utf-8"))
    return kept


def earlier() -> dict[str, Any]:
    """Return an envelope in which `quick` passed still and `happy` failed."""
    base = copy.deepcopy(envelope())
    for result in base["results"]:
        if result["id"] in ("quick", "happy"):
            result["status"] = {"FAIL": "PASS", "PASS": "FAIL"}[result["status"]]
    return base


def call() -> dict[str, Any]:
    """Return the turns and spans of the call, as arguments of `view`."""
    ctx = A.build_context(transcript_path=CALL / "transcript.json", trace_path=CALL / "voice_trace.jsonl")
    return {"transcript": ctx.transcript, "spans": ctx.spans}


def scored() -> Lanes:
    """Return what is shown of a recording that comes with hotato."""
    from hotato.timing import Label, Recording, score
    from hotato.timing.suite import folder_of

    path = Path(folder_of("barge-in")) / "hard-interruption.flac"
    return lanes_of(score(Recording(stereo=path), Label(max_time_to_yield_sec=0.4)))


def pages() -> dict[str, str]:
    """Return the name and the text of each page."""
    kept = envelope()
    ids = [result["id"] for result in kept["results"]]
    places = {name: Place("assertions.yaml", 3 + 4 * number, 5) for number, name in enumerate(ids)}
    rows = [
        {"call_id": f"call-{number}", "envelope": kept, "href": f"calls/{number}.html", "base": earlier()}
        for number in range(3)
    ]
    return {
        "refund-call.html": html.render(view(assertions=kept, **call(), title="A refund", places=places)),
        "against-a-base.html": html.render(view(assertions=kept, base=earlier(), rubric=RUBRIC, **call())),
        "call-alone.html": html.render(view(**call())),
        "results-alone.html": html.render(view(assertions=envelope(CALL.parent / "skipped-and-vacuous"))),
        "recording.html": html.render(view(assertions=kept, **call(), lanes=scored())),
        "index.html": html.render_index(rows, "Three calls"),
    }


def main() -> int:
    """Write or check the pages."""
    stale = []
    for name, text in pages().items():
        file = PAGES / name
        if "--check" not in sys.argv:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode("utf-8"))
        elif not file.is_file() or file.read_bytes() != text.encode("utf-8"):
            stale.append(name)
    for name in stale:
        print(f"conformance/report/html/{name} is not what the renderer gives")
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main())
