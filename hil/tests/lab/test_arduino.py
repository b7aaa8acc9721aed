"""A sketch for Arduino on the LX106, and libraries for Arduino in the engines' place."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hil import foreign
from hil.base.paths import ROOT
from hil.bundle import store, verify
from hil.design import libraries
from hil.design.device import Device
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.machine.uml import kernel
from hil.testbeds import runner
from hil.tests.support.peers import lines

pytestmark = pytest.mark.lab

MESSAGES = 50
SKETCH = {"foreign": True, "protocol": "mqtt", "link": "netem", "delay_ms": 2, "duration_s": 20}
LIBRARY = {"payload_bytes": 30, "interval_ms": 100, "messages": 20, "link": "netem", "delay_ms": 2}
BUILD = ROOT / "build" / "firmware" / "lx106"
ARDUINO = [name for name, source in foreign.load().items() if source.core]


@pytest.fixture(scope="session")
def sketch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's image, from a copy in a folder of its own."""
    folder = tmp_path_factory.mktemp("sketch")
    unbuilt = shutil.ignore_patterns("build", "thinwire-out")
    source = shutil.copytree(ROOT / "examples" / "arduino", folder / "sketch", ignore=unbuilt)
    configure = ["cmake", "-S", source, "-B", folder / "build", "-G", "Ninja"]
    place = os.environ | {"THINWIRE": str(ROOT)}
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL, env=place)
    subprocess.run(["cmake", "--build", folder / "build"], check=True, stdout=subprocess.DEVNULL)
    return folder / "build" / "sketch.elf"


def run(
    trial: Trial, out: Path, emulator: str = "lx106", device: Path | None = None
) -> runner.Done:
    if why := kernel.why_not():
        pytest.fail(why)
    testbed = runner.testbed("virtual", machine="uml", emulator=emulator)
    done = runner.run(trial, testbed, out, device=device)
    verify.check(done.folder)
    assert done.outcome == "ok", done.reason
    return done


def payloads(done: runner.Done) -> list[object]:
    events = lines(done.folder / "server.jsonl")
    return [event.get("bytes") for event in events if event["ev"] == "received"]


def test_a_sketch_publishes_repeats_and_is_the_same_on_both_emulators(
    sketch: Path, tmp_path: Path
) -> None:
    trial = Trial(
        "foreign", {}, 1, effective(SKETCH, "test"), board="lx106", device=Device("image", ("s",))
    )
    one, two = (run(trial, tmp_path / place, device=sketch) for place in ("one", "two"))
    assert (one.folder / store.SUMS).read_bytes() == (two.folder / store.SUMS).read_bytes()
    other = run(trial, tmp_path / "qemu", "qemu", sketch)
    for done in (one, other):
        assert len(payloads(done)) == MESSAGES
        text = (done.folder / "board.out.txt").read_text(encoding="utf-8")
        assert f"{MESSAGES} sent\n" in text and "\n10.77.1.1\n" in text
        log = lines(done.folder / "board.jsonl")
        assert [line["ev"] for line in log if line["ev"] != "stat"] == ["boot", "up", "end"]


@pytest.mark.parametrize("name", ARDUINO)
def test_a_library_delivers_in_each_of_its_modes(name: str, tmp_path: Path) -> None:
    if not (BUILD / f"thinwire-{name}.elf").exists():
        pytest.skip(f"thinwire-{name}.elf is not built: its source is not at hand")
    for mode in libraries.LIBRARIES[name].modes:
        parameters = effective(LIBRARY | {"mode": mode, "library": name}, "test")
        done = run(Trial("libraries", {}, 1, parameters, board="lx106"), tmp_path / mode)
        log = lines(done.folder / "board.jsonl")
        assert len(payloads(done)) == 20
        confirmed = [line for line in log if line["ev"] == "acked"]
        assert len(confirmed) == (0 if mode in ("mqtt-qos0", "websocket-plain") else 20)
