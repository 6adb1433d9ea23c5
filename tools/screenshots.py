"""Write the pictures of the HTML report in docs/images, from the call that `hotato demo` judges. Needs chromium."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from hotato import assert_ as A
from hotato.report import html
from hotato.report._view import view
from hotato.state_adapter import load_state_adapter

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / "src" / "hotato" / "demo"
IMAGES = ROOT / "docs" / "images"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]


def demo() -> str:
    """Return the report of the demo's call."""
    ctx = A.build_context(
        transcript_path=DEMO / "transcript.json",
        trace_path=DEMO / "voice_trace.jsonl",
        state_adapter=load_state_adapter(DEMO / "state.json"),
    )
    kept = A.run_assertions_from_file(DEMO / "assertions.yaml", ctx)
    return html.render(
        view(assertions=kept, transcript=ctx.transcript, spans=ctx.spans, title="Refund for a table lamp")
    )


def main() -> None:
    """Write one picture for each colour scheme."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("chromium is missing (apt-get install chromium)")
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "report.html"
        file.write_text(demo(), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport={"width": 1280, "height": 1080}, color_scheme=scheme)
            page.goto(file.as_uri())
            page.click("#r-refund-for-this-order h4 a")
            page.wait_for_timeout(200)
            page.mouse.move(0, 0)
            page.screenshot(path=IMAGES / f"report-{scheme}.png")
            print(f"docs/images/report-{scheme}.png")
        browser.close()


if __name__ == "__main__":
    main()
