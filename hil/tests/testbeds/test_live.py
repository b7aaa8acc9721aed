"""Does the testbed `live` run the same trials on the wall clock, and clean up afterwards?"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from hil.base.errors import InputError, LabError
from hil.bundle import verify
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.rig.links import air
from hil.system import tools
from hil.testbeds import runner
from hil.testbeds.live import LiveTestbed

PARAMETERS = {
    "protocol": "mqtt",
    "qos": 1,
    "payload_bytes": 30,
    "interval_ms": 100,
    "duration_s": 2,
    "link": "air",
    "wifi_standard": "g",
    "keepalive_s": 60,
}
WANTED = Trial("livetest", {"protocol": "mqtt"}, 1, effective(PARAMETERS, "live"), "live")
# Still runs when a busy host has seen its broker and waited.
LONGER = replace(WANTED, parameters=effective(PARAMETERS | {"duration_s": 6}, "live"))


def namespaces() -> set[str]:
    """Names of this process's rigs."""
    run = subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True)
    names = {line.split()[0] for line in run.stdout.splitlines() if line}
    return {name for name in names if name.startswith(f"tw{os.getpid()}-")}


@pytest.fixture
def live() -> LiveTestbed:
    if os.geteuid() != 0:
        pytest.skip("needs root")
    built = tools.built(air.PROGRAM) and runner.FIRMWARE["lx106"].exists()
    assert built, "build the cell and the firmware"
    return LiveTestbed()


def test_it_needs_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(InputError, match="needs root"):
        LiveTestbed().prepare()


@pytest.mark.root
def test_a_trial_on_the_wall_clock(live: LiveTestbed, tmp_path: Path) -> None:
    done = runner.run(WANTED, live, tmp_path)
    found = verify.check(done.folder)
    assert found.outcome in ("ok", "invalid"), found.reason  # invalid: this host was busy
    assert found.sent == found.received == 20
    assert namespaces() == set()


def children_named(name: str) -> list[int]:
    """Processes below this one whose program is `name`."""
    run = subprocess.run(
        ["pgrep", "-P", str(os.getpid()), "-x", name], capture_output=True, text=True, check=False
    )
    return [int(pid) for pid in run.stdout.split()]


def shoot(number: int) -> threading.Thread:
    """Send a signal to the broker of a trial, once it runs."""

    def act() -> None:
        deadline = time.monotonic() + 20
        while not children_named("mosquitto") and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(1.5)
        for pid in children_named("mosquitto"):  # a busy host may have begun the trial again
            os.kill(pid, number)

    thread = threading.Thread(target=act)
    thread.start()
    return thread


@pytest.mark.root
def test_a_server_that_dies_is_a_failed_trial(live: LiveTestbed, tmp_path: Path) -> None:
    thread = shoot(signal.SIGSEGV)
    done = runner.run(LONGER, live, tmp_path)
    thread.join()
    assert done.outcome == "failed"
    assert "mosquitto died with status -11" in done.reason
    assert namespaces() == set()


@pytest.mark.root
def test_a_server_that_is_killed_is_no_result(live: LiveTestbed, tmp_path: Path) -> None:
    thread = shoot(signal.SIGKILL)
    with pytest.raises(LabError, match="mosquitto was killed, perhaps because memory ran out"):
        runner.run(LONGER, live, tmp_path)
    thread.join()
    assert list(tmp_path.iterdir()) == []
    assert namespaces() == set()
