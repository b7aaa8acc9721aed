"""Firmware of the user's own on the LX106: built outside of the repository, run, and repeated."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hil.base.paths import ROOT
from hil.bundle import store, verify
from hil.design.device import Device
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.machine.uml import kernel
from hil.testbeds import runner
from hil.tests.support import lx106_images
from hil.tests.support.peers import lines

pytestmark = pytest.mark.lab

MESSAGES = 5
PARAMETERS = {
    "foreign": True,
    "protocol": "coap",
    "link": "netem",
    "delay_ms": 2,
    "loss_pct": 20,
    "duration_s": 40,
}


def built(folder: Path) -> Path:
    """The example's firmware, from a copy in this folder."""
    unbuilt = shutil.ignore_patterns("build", "thinwire-out")
    source = shutil.copytree(ROOT / "examples" / "lx106", folder / "sender", ignore=unbuilt)
    configure = ["cmake", "-S", source, "-B", folder / "build", "-G", "Ninja"]
    place = os.environ | {"THINWIRE": str(ROOT)}
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL, env=place)
    subprocess.run(["cmake", "--build", folder / "build"], check=True, stdout=subprocess.DEVNULL)
    return folder / "build" / "coap-sender.elf"


@pytest.fixture(scope="session")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("firmware"))


def run(
    image: Path, out: Path, arguments: tuple[str, ...], emulator: str = "lx106", **changes: object
) -> runner.Done:
    if why := kernel.why_not():
        pytest.fail(why)
    parameters = effective(PARAMETERS | changes, "test")
    device = Device("image", ("coap-sender", *arguments))
    # The second repetition, since the first one loses a message five times, which gives it up.
    trial = Trial("foreign", {}, 2, parameters, board="lx106", device=device)
    testbed = runner.testbed("virtual", machine="uml", emulator=emulator)
    done = runner.run(trial, testbed, out, device=image)
    verify.check(done.folder)
    return done


def received(done: runner.Done) -> list[dict[str, object]]:
    return [line for line in lines(done.folder / "server.jsonl") if line["ev"] == "received"]


@pytest.mark.parametrize("emulator", ["lx106", "qemu"])
def test_firmware_runs_repeats_and_ends(image: Path, tmp_path: Path, emulator: str) -> None:
    arguments = (str(MESSAGES), "1000")
    one, two = (run(image, tmp_path / place, arguments, emulator) for place in ("one", "two"))
    assert one.outcome == "ok", one.reason
    assert (one.folder / store.SUMS).read_bytes() == (two.folder / store.SUMS).read_bytes()
    log = lines(one.folder / "board.jsonl")
    assert [line["ev"] for line in log if line["ev"] != "stat"] == ["boot", "up", "end"]
    assert log[-1]["status"] == 0 and log[-2]["heap_free_min"] > 70_000
    text = (one.folder / "board.out.txt").read_text(encoding="utf-8")
    assert f"{MESSAGES} of {MESSAGES} acknowledged\n" in text
    assert len(received(one)) >= MESSAGES  # with what was repeated at 20 % of loss


def test_both_emulators_send_the_same(image: Path, tmp_path: Path) -> None:
    """Their clocks differ by microseconds; what was sent, printed and received does not."""
    own, qemu = (
        run(image, tmp_path / name, (str(MESSAGES), "1000"), name, loss_pct=0)
        for name in ("lx106", "qemu")
    )
    keys = ("ev", "path", "bytes", "mid")
    arrived = [
        [tuple(line.get(key) for key in keys) for line in received(done)] for done in (own, qemu)
    ]
    assert arrived[0] == arrived[1] and len(arrived[0]) == MESSAGES
    log = [[line["ev"] for line in lines(done.folder / "board.jsonl")] for done in (own, qemu)]
    assert log[0] == log[1]


def test_a_status_other_than_0_fails_the_trial(image: Path, tmp_path: Path) -> None:
    done = run(image, tmp_path, ())
    assert (done.outcome, done.reason) == ("failed", "the firmware ended with status 2")
    text = (done.folder / "board.out.txt").read_text(encoding="utf-8")
    assert "give MESSAGES and INTERVAL\n" in text


def test_firmware_that_does_not_end_is_stopped_at_the_end_of_the_trial(
    image: Path, tmp_path: Path
) -> None:
    done = run(image, tmp_path, ("1000", "1000"), loss_pct=0, duration_s=10)
    assert done.outcome == "ok", done.reason
    assert 10 <= len(received(done)) <= 13  # one a second, and while the trial winds down
    assert "end" not in {line["ev"] for line in lines(done.folder / "board.jsonl")}


def test_a_loop_without_end_is_reported_with_its_function(tmp_path: Path) -> None:
    """... in the firmware that tests the board's runtime (firmware/boards/lx106/tests/probe.c)."""
    (probe,) = lx106_images.build("probe")
    done = run(probe, tmp_path, ("spin",))
    assert done.outcome == "failed"
    assert re.fullmatch(
        r"the firmware crashed: watchdog in (spin|main) \(0x402[0-9a-f]{5}\)", done.reason
    )
    events = [line["ev"] for line in lines(done.folder / "board.jsonl")]
    assert events[:3] == ["boot", "up", "crash"]


def test_an_image_has_the_same_bytes_in_any_folder(image: Path, tmp_path: Path) -> None:
    assert built(tmp_path / "a folder").read_bytes() == image.read_bytes()
