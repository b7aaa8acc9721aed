"""The browser of the page's tests: the chromium of the system, or the one that CHROMIUM names."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright


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
