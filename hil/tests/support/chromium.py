"""The browser of the page's tests: the chromium of the system, or the one that CHROMIUM names."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright


@contextmanager
def started() -> Iterator[Browser]:
    """The browser, without a window, until the block is left."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    assert program, "no chromium here: install it, or name one in CHROMIUM"
    with sync_playwright() as playwright:
        sandbox = [] if os.getuid() else ["--no-sandbox"]  # chromium's own does not run as root
        browser = playwright.chromium.launch(executable_path=program, args=sandbox)
        yield browser
        browser.close()


def open_page(browser: Browser, folder: Path, address: str = "", **context: object) -> Page:
    """The page at an address, usable; its `reports` collects what the console says and what it asks
    of a network."""
    page = browser.new_context(**context).new_page()
    page.set_default_timeout(10_000)
    page.reports = []
    page.on("console", lambda message: page.reports.append(message.text))
    page.on("pageerror", lambda error: page.reports.append(str(error)))
    page.on("requestfailed", lambda request: page.reports.append(request.url))
    page.on(
        "request",
        lambda r: (
            None if r.url.startswith(("file:", "data:", "blob:")) else page.reports.append(r.url)
        ),
    )
    page.goto((folder / "index.html").as_uri() + address)
    page.wait_for_selector("body[data-ready]")
    return page
