"""Foreign programs as the device of a trial in the machine `uml`: they run, and repeat."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from hil.bundle import store, verify
from hil.design.device import Device
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.machine.package import package
from hil.machine.uml import kernel
from hil.testbeds import runner
from hil.tests.support.peers import lines

pytestmark = pytest.mark.lab

PROGRAMS = Path(__file__).parents[1] / "support" / "programs"
PARAMETERS = {
    "foreign": True,
    "protocol": "mqtt",
    "link": "netem",
    "delay_ms": 2,
    "loss_pct": 1,
    "duration_s": 10,
}


def run(
    folder: Path, device: Device, out: Path, board: str = "program", **changes: object
) -> runner.Done:
    if why := kernel.why_not():
        pytest.fail(why)
    parameters = effective(PARAMETERS | changes, "test")
    trial = Trial("foreign", {}, 1, parameters, board=board, device=device)
    file = package(device, folder, out / "device.tar")
    testbed = runner.testbed("virtual", machine="uml")
    done = runner.run(trial, testbed, out, device=file)
    verify.check(done.folder)
    return done


@pytest.fixture(scope="session")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the client of programs/client.c, static and dynamic."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.fail("no C compiler")
    folder = tmp_path_factory.mktemp("clients")
    for name, option in (("static", "-static"), ("dynamic", "-O2")):
        source = PROGRAMS / "client.c"
        subprocess.run([compiler, option, "-o", folder / name, source], check=True)
    return folder


def client(name: str, *more: str) -> Device:
    return Device("program", (f"./{name}", "{server}", "{port}", "5", "1000", *more))


@pytest.mark.parametrize("name", ["static", "dynamic"])
def test_a_program_is_a_device_and_repeats(clients: Path, tmp_path: Path, name: str) -> None:
    one, two = (run(clients, client(name), tmp_path / place) for place in ("one", "two"))
    assert one.outcome == "ok", one.reason
    assert (one.folder / store.SUMS).read_bytes() == (two.folder / store.SUMS).read_bytes()
    said = (one.folder / "board.out.txt").read_text().splitlines()
    assert said == [f"message {number} is acknowledged" for number in range(1, 6)]
    events = [line["ev"] for line in lines(one.folder / "board.jsonl")]
    assert events == ["boot", "up", "end"]
    arrived = [line for line in lines(one.folder / "server.jsonl") if line["ev"] == "received"]
    assert len(arrived) == 5
