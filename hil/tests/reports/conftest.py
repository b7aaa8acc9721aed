"""Fixtures for report cases: docs/interop.md explains how to add one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from hil.tests.reports import captures, driver


@pytest.fixture
def analyze(tmp_path: Path) -> Callable[..., captures.Analysis]:
    """See [captures.analyze][]; the capture's file is in the test's folder."""
    return partial(captures.analyze, folder=tmp_path)


@pytest.fixture
def engine() -> Iterator[Callable[[str], driver.Device]]:
    """Start an engine of the firmware with these words of its configuration."""
    if not driver.DRIVE.exists():
        pytest.fail(f"{driver.DRIVE} is not built: run 'make device'")
    devices: list[driver.Device] = []

    def start(words: str) -> driver.Device:
        devices.append(driver.Device(words))
        return devices[-1]

    yield start
    for device in devices:
        device.end()
