"""The page of trials whose truth is known, in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from hil.base.paths import ROOT
from hil.tests.support import chromium
from hil.tests.support.answers import BUSY, make_page
from hil.tests.support.chromium import open_page


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium.started() as started:
        yield started


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of trials whose truth is known."""
    return make_page(tmp_path_factory.mktemp("a page"))


def _places() -> list[str]:
    return ["built", *(["results"] if (ROOT / "results/report/index.html").is_file() else [])]


@pytest.fixture(params=_places())
def place(request: pytest.FixtureRequest) -> Path:
    if request.param == "results":
        return ROOT / "results" / "report"
    return request.getfixturevalue("built")


@pytest.fixture
def page(browser: Browser, built: Path) -> Iterator[Page]:
    opened = open_page(browser, built, BUSY + "&battery_w=1")
    yield opened
    assert opened.reports == []
    opened.context.close()
