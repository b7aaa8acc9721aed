"""Does the laboratory keep its promises? These tests boot the machine `qemu`."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from hil.base.errors import LabError
from hil.bundle import verify
from hil.design.parameters import effective
from hil.design.trials import Trial, nonce
from hil.machine import image, process, snapshot
from hil.machine.qmp import Qmp
from hil.rig.boards.lx106 import Lx106
from hil.rig.request import TrialRequest
from hil.selfcheck import determinism
from hil.testbeds import runner
from hil.testbeds.base import Testbed
from hil.tests.support.uml import in_cell

pytestmark = pytest.mark.lab

MQTT = determinism.TRIAL | {"duration_s": 5}
COAP = {key: value for key, value in MQTT.items() if key not in ("qos", "keepalive_s")} | {
    "protocol": "coap",
    "confirmable": True,
}
CELL = in_cell(MQTT)
INTERRUPTED = {
    "server_restart_s": 60,
    "server_down_s": 3,
    "outage_every_s": 60,
    "outage_s": 5,
    "duration_s": 100,
    "interval_ms": 1000,
    "clean_session": False,
}


def trial(parameters: dict[str, object], repetition: int = 1) -> Trial:
    point = {"protocol": parameters["protocol"]}
    return Trial("labtest", point, repetition, effective(parameters, "labtest"))


@pytest.fixture(scope="module")
def lab() -> Testbed:
    place = runner.testbed("virtual", machine="qemu")
    place.prepare()
    return place


def run(lab: Testbed, wanted: Trial, out: Path) -> Path:
    done = runner.run(wanted, lab, out)
    assert done.outcome == "ok", done.reason
    verify.check(done.folder)
    return done.folder


def hashes(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.mark.parametrize("parameters", [MQTT, COAP], ids=["mqtt", "coap"])
def test_a_busy_host_changes_no_byte(
    lab: Testbed, parameters: dict[str, object], tmp_path: Path
) -> None:
    quiet = hashes(run(lab, trial(parameters), tmp_path / "quiet"))
    with determinism.busy(os.cpu_count() or 1):
        busy = hashes(run(lab, trial(parameters), tmp_path / "busy"))
    assert busy == quiet


class Hammer(Qmp):
    """Queries QEMU's clock continuously while the trial runs, so that its main loop is always
    awake, as happens now and then on an overloaded host.
    """

    def execute(self, command: str, **arguments: object) -> Any:
        answer = super().execute(command, **arguments)
        if command == "cont":
            threading.Thread(target=self._ask_on, daemon=True).start()
        return answer

    def _ask_on(self) -> None:
        with contextlib.suppress(LabError, OSError, ValueError):  # it has ended
            while True:
                self.clock_s()


def test_a_main_loop_that_is_always_awake_changes_no_byte(
    lab: Testbed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without bql_shim.c these differ, usually within a few virtual seconds."""
    wanted = trial(MQTT | {"duration_s": 10})
    quiet = hashes(run(lab, wanted, tmp_path / "quiet"))
    monkeypatch.setattr(process, "Qmp", Hammer)
    assert hashes(run(lab, wanted, tmp_path / "asked")) == quiet


def test_a_trial_tells_how_far_it_has_come(
    lab: Testbed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "_REPORT_EVERY_S", 0.05)
    seconds: list[int] = []
    runner.run(trial(MQTT), lab, tmp_path, progress=seconds.append)
    assert seconds == sorted(seconds) and MQTT["duration_s"] <= seconds[-1] < 60


def test_quiet_and_parallel_runs_agree(lab: Testbed, tmp_path: Path) -> None:
    quiet = hashes(run(lab, trial(MQTT), tmp_path / "quiet"))
    script = (
        "import sys; from pathlib import Path; from hil.testbeds import runner; "
        "from hil.tests.lab import test_lab as t; t.run(runner.testbed('virtual', machine='qemu'), "
        "t.trial(t.MQTT), Path(sys.argv[1]))"
    )
    places = [tmp_path / str(number) for number in range(3)]
    children = [subprocess.Popen([sys.executable, "-c", script, place]) for place in places]
    assert [child.wait() for child in children] == [0, 0, 0]
    for place in places:
        assert hashes(place / "labtest" / trial(MQTT).id) == quiet


def test_another_repetition_is_another_capture(lab: Testbed, tmp_path: Path) -> None:
    one, two = (hashes(run(lab, trial(MQTT, n), tmp_path)) for n in (1, 2))
    for name in ("wire.pcapng.gz", "board.jsonl", "server.jsonl"):
        assert one[name] != two[name]


def test_the_cell_repeats_too(lab: Testbed, tmp_path: Path) -> None:
    if "bin/air" not in str(image.build().info()["programs"]):
        pytest.fail("build/sim/air/air is not built")
    one, two = (hashes(run(lab, trial(CELL), tmp_path / name)) for name in ("a", "b"))
    assert one == two and "air.pcapng.gz" in one


@pytest.mark.parametrize(
    "base", [MQTT | {"loss_pct": 0}, CELL | {"background_profile": "none"}], ids=["netem", "air"]
)
def test_restarts_and_outages_repeat_and_lose_nothing_at_qos_1(
    lab: Testbed, base: dict[str, object], tmp_path: Path
) -> None:
    wanted = trial(base | INTERRUPTED)
    one, two = (run(lab, wanted, tmp_path / name) for name in ("a", "b"))
    assert hashes(one) == hashes(two)
    lines = [json.loads(line) for line in (one / "server.jsonl").open()]
    events = [line["ev"] for line in lines if line["ev"] != "received"]
    assert events == ["stopping", "started", "outage", "outage_over"]
    assert {line["seq"] for line in lines if "seq" in line} == set(range(1, 101))


def test_a_new_snapshot_of_the_same_image_is_the_same_machine(lab: Testbed, tmp_path: Path) -> None:
    """Two people who build one image get one capture: the boot itself repeats."""
    old = image.build()
    fresh = image.Image(tmp_path / old.digest)
    fresh.folder.mkdir()
    for name in ("image.cpio", "vmlinuz", "bql_shim.so", "info.json"):
        (fresh.folder / name).symlink_to(old.folder / name)
    assert snapshot.create(fresh) == snapshot.ensure(old)


def test_a_board_that_refuses_its_configuration_is_a_failed_trial(lab: Testbed) -> None:
    document = trial(MQTT).document({"board": "lx106", "sha256": "0" * 64}, {})
    mark = nonce(document)
    words = Lx106.config(document, mark) + " colour=red"
    result = lab.run(TrialRequest(document, mark, words, runner.FIRMWARE["lx106"]), 60)
    assert result.report.outcome == "failed"
    assert result.report.reason == "the board logged config_error"


def test_firmware_that_is_none_is_a_failed_trial(lab: Testbed, tmp_path: Path) -> None:
    (tmp_path / "firmware.elf").write_bytes(b"no program" * 100)
    document = trial(MQTT).document({"board": "lx106", "sha256": "0" * 64}, {})
    mark = nonce(document)
    request = TrialRequest(document, mark, Lx106.config(document, mark), tmp_path / "firmware.elf")
    report = lab.run(request, 60).report
    assert report.outcome == "failed"
    assert "lx106 died with status 1" in report.reason and "no ELF file" in report.reason


def test_a_host_that_is_too_slow_for_a_trial_is_no_result(lab: Testbed, tmp_path: Path) -> None:
    long = trial(MQTT | {"duration_s": 600})
    with pytest.raises(LabError, match="not done after 1 s of this host"):
        runner.run(long, lab, tmp_path, timeout_s=1)
    assert list(tmp_path.iterdir()) == []


def test_a_trial_keeps_nothing_of_the_host(lab: Testbed, tmp_path: Path) -> None:
    folder = run(lab, trial(MQTT), tmp_path)
    text = b"".join(path.read_bytes() for path in folder.iterdir() if path.suffix != ".gz")
    assert str(Path.home()).encode() not in text and os.uname().nodename.encode() not in text
    lab_json = json.loads((folder / "lab.json").read_text())
    assert set(lab_json["versions"]) == {
        "emulator",
        "image",
        "kernel",
        "machine",
        "qemu",
        "snapshot",
    }
