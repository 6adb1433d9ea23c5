"""A real browser for the tests of the HTML report: Debian's Chromium, driven by playwright."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage"
).split()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no browser: the HTML report is tested in Chromium (apt-get install chromium)")
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield made
        made.close()


class Opened:
    """A page in the browser, and all that it said and asked for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.on("request", lambda request: self.asked.append(request.url))


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Open a page's text as a file, as a double click does. Afterwards it must have said nothing and asked for nothing."""
    opened: list[tuple[Opened, str]] = []

    def open_(text: str, *, width: int = 1280, height: int = 900, scheme: str = "light", script: bool = True) -> Opened:
        file = tmp_path / f"page-{len(opened)}.html"
        file.write_text(text, encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, java_script_enabled=script
        )
        made = Opened(context.new_page())
        opened.append((made, file.as_uri()))
        made.page.goto(file.as_uri(), wait_until="load")
        return made

    yield open_
    for made, url in opened:
        made.page.context.close()
        assert made.said == []
        assert [asked for asked in made.asked if asked not in (url, "data:,")] == []
