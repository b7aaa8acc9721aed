"""The services of a host with boards: what they may do, by systemd, and what a cell leaves."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from hil.rig.links.wifi import Cell, WifiLink
from hil.tests.farm.farm import Farm

HOST = Path(__file__).with_name("host")
# The exposure that `systemd-analyze security` may find, of 10. A cell makes a namespace as root.
LIMITS = {
    "labgrid-coordinator.service": 1.5,
    "labgrid-exporter.service": 1.5,
    "thinwire-cell@.service": 6.5,
    "thinwire-serial@.service": 1.5,
}


def analyze(*words: str) -> subprocess.CompletedProcess[str]:
    assert shutil.which("systemd-analyze"), "systemd-analyze is missing: install systemd"
    command = ["systemd-analyze", *words]
    return subprocess.run(command, cwd=HOST, capture_output=True, text=True, check=False)


def test_every_service_has_a_limit() -> None:
    assert {path.name for path in HOST.glob("*.service")} == set(LIMITS)


@pytest.mark.parametrize("unit", LIMITS)
def test_a_service_may_do_little(unit: str) -> None:
    said = analyze("security", "--offline=yes", f"./{unit}").stdout
    found = re.search(r"exposure level for \S+: ([\d.]+)", said)
    assert found, said
    assert float(found[1]) <= LIMITS[unit]


@pytest.mark.parametrize("unit", LIMITS)
def test_a_service_is_well_formed(unit: str) -> None:
    """Nothing is wrong with it but that its program is not at /opt/thinwire here."""
    lines = [
        line for line in analyze("verify", f"./{unit}").stderr.splitlines() if unit[:8] in line
    ]
    assert [line for line in lines if "is not executable: No such file" not in line] == []


def test_a_cell_is_what_a_trial_needs_and_goes_with_its_service(tmp_path: Path) -> None:
    name = f"cell{os.getpid()}"
    (tmp_path / name).mkdir()
    (tmp_path / name / "hostapd.conf").write_text("ssid=x\nwpa_passphrase=secret-enough\n")
    service = subprocess.Popen(
        [HOST / "cell", name],
        env={**os.environ, "THINWIRE_CELLS": str(tmp_path)}, start_new_session=True,
    )  # fmt: skip
    try:
        show = ["ip", "-j", "-n", name, "address", "show", "wired0"]

        def told() -> list[dict[str, object]]:
            done = subprocess.run(show, capture_output=True, text=True, check=False)
            return json.loads(done.stdout or "[]")

        Farm.wait(
            lambda: any(each.get("operstate") in ("UP", "DOWN") for each in told()), "no cell"
        )
        WifiLink(Cell(name), tmp_path).prepare()
        (bridge,) = [each for each in told() if each]
        assert bridge["address"] == "02:54:57:00:00:fe"
        assert [each["local"] for each in bridge["addr_info"]] == ["10.77.0.1"]  # type: ignore
    finally:
        os.killpg(service.pid, signal.SIGTERM)
        service.wait(10)
    assert not Path("/run/netns", name).exists()
