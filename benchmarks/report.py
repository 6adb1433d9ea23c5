"""The HTML report at 25, 500 and 5,000 results of a call of 4,000 turns: time to make it, its size, and how it opens.

report.py              time and size
report.py --browser    and in Chromium: time to the load event, a filter, a jump, and the frames of scrolling
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from hotato.model.call import Span, Turn
from hotato.report import html
from hotato.report._view import View, view

SIZES = (25, 500, 5_000)
ROUNDS = 5
WORDS = "the parcel left our house on Monday and should be with you by the end of the week at the latest".split()
STATUSES = ("PASS", "PASS", "PASS", "FAIL", "INCONCLUSIVE")
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage"
).split()


def large(results: int, turns: int = 4_000) -> View:
    """Return a view of a long call: a span every fourth turn, and results of several kinds that rest on them."""
    said = [
        Turn(n, ("agent", "caller")[n % 2], " ".join(WORDS[: 4 + n % 15]) + f", number {n}", n * 3.0, n * 3.0 + 2.4)
        for n in range(turns)
    ]
    done = [
        Span(
            n, "tool_call", f"tool_{n % 7}", n * 12.0 + 1, n * 12.0 + 2, {"arguments": {"n": n}, "result": {"ok": True}}
        )
        for n in range(turns // 4)
    ]
    return view(assertions=envelope(results, turns), transcript=said, spans=done, title=f"{results} results")


def envelope(results: int, turns: int) -> dict[str, Any]:
    """Return an envelope of so many results, one in five a FAIL."""
    made = [one(n, turns) for n in range(results)]
    statuses = [result["status"] for result in made]
    counts = {status.lower(): statuses.count(status) for status in ("PASS", "FAIL", "INCONCLUSIVE")}
    return {
        "schema": "assert.v1",
        "exit_code": 1 if counts["fail"] else 0,
        "inconclusive_policy": "report",
        "results": made,
        "summary": {"deterministic": counts, "judge": {"pass": 0, "fail": 0}, "note": f"{results} results"},
    }


def one(n: int, turns: int) -> dict[str, Any]:
    """Return a result: a phrase, or a tool call with the closest call beside it."""
    status = STATUSES[n % 5]
    result: dict[str, Any] = {"id": f"check-{n}", "kind": "phrase", "status": status, "deterministic": True}
    result |= {"dimension": ("outcome", "policy", "conversation")[n % 3], "code": "absent"}
    if status != "PASS":
        result["reason"] = "the phrase was found nowhere in what the agent said (turns: 2000)"
    if status == "FAIL":
        near = {"path": "n", "expected": n, "expected_type": "number", "observed": str(n), "observed_type": "string"}
        span = f"s_{n * 13 % (turns // 4)}"
        result |= {"kind": "tool_call", "span_ids": [span], "closest": {"span_id": span, "differences": [near]}}
    elif status == "PASS":
        result["turn"] = n * 17 % turns
    return result


def main() -> None:
    """Print the figures."""
    print("results   turns   render      a result      size")
    html.render(large(1, 4))
    for results in SIZES:
        shown, times = large(results), []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            page = html.render(shown)
            times.append(time.perf_counter() - start)
        median = statistics.median(times)
        size = len(page.encode("utf-8")) / 1e6
        print(f"{results:7,} {4_000:7,} {median * 1e3:6.0f} ms {median / results * 1e6:9.0f} us {size:6.2f} MB")
        if "--browser" in sys.argv:
            for name, figure in opened(page).items():
                print(f"{'':17}{name:<34}{figure:7.0f} ms")


SCROLL = """async ([selector, by]) => {
  const pane = selector ? document.querySelector(selector) : document.scrollingElement;
  const frames = [];
  let last = performance.now();
  for (let n = 0; n < 90; n++) {
    pane.scrollTop += by;
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    frames.push(now - last);
    last = now;
  }
  frames.sort((a, b) => a - b);
  return { median: frames[45], most: frames[88], top: pane.scrollTop };
}"""
TIMED = """async (code) => {
  const start = performance.now();
  new Function(code)();
  document.body.getBoundingClientRect();
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - start;
}"""


def opened(text: str) -> dict[str, float]:
    """Return what a browser takes for a page, in milliseconds."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("chromium is missing (apt-get install chromium)")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "page.html"
        file.write_text(text, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        context = browser.new_context(viewport={"width": 1440, "height": 900}, bypass_csp=True)
        page = context.new_page()
        page.goto(file.as_uri(), wait_until="load")
        found = measured(page)
        browser.close()
    return found


def measured(page: Any) -> dict[str, float]:
    """Return the figures of a page that is open, in milliseconds."""
    found = {"load event": page.evaluate("performance.getEntriesByType('navigation')[0].loadEventStart")}
    found["first paint"] = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
    found["a filter"] = page.evaluate(TIMED, "document.querySelector('[data-filter-status=PASS]').click()")
    found["the filter off"] = page.evaluate(TIMED, "document.querySelector('[data-filter-status=PASS]').click()")
    found["a jump to the last turn"] = page.evaluate(TIMED, "document.querySelector('[data-ev=\"t-3999\"]')"
                                                     ".dispatchEvent(new MouseEvent('click', {bubbles: true}))")  # fmt: skip
    for name, selector in (("the page", ""), ("the call", ".log")):
        frames = page.evaluate(SCROLL, [selector, 400 if not selector else -400])
        found[f"scrolling {name}, median frame"] = frames["median"]
        found[f"scrolling {name}, 98th of 100"] = frames["most"]
    return found


if __name__ == "__main__":
    main()
