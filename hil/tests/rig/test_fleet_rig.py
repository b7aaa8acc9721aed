"""Does the rig give each of several devices a configuration, a port and a start of its own?"""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.design import addressing
from hil.design.facts import Facts
from hil.design.parameters import effective
from hil.peers.log import Log
from hil.rig.boards import emulators, fleet
from hil.rig.boards.lx106 import Lx106
from hil.rig.links import air
from hil.rig.links.base import BoardPort
from hil.rig.request import TrialRequest
from hil.system import processes
from hil.testbeds.base import emulated
from hil.tests.support.bundles import DOCUMENT, NONCE

AIR, LX106 = (ROOT / "build" / "sim" / name / name for name in ("air", "lx106"))
FIRMWARE = ROOT / "build" / "firmware" / "lx106" / "thinwire.elf"
GIVEN = {"mode": "coap-con", "payload_bytes": 30, "interval_ms": 100, "duration_s": 1}


def document(devices: int, **more: Any) -> dict[str, Any]:
    given = GIVEN | {"link": "air", "devices": devices, "wifi_standard": "g"} | more
    return DOCUMENT | {"parameters": effective(given, "test")}


def words(line: str) -> dict[str, str]:
    return dict(word.split("=", 1) for word in line.split(" "))


def test_each_device_has_a_line_that_differs_in_who_it_is_alone() -> None:
    lines = [words(line) for line in Lx106.config(document(3), NONCE).split("\n")]
    assert [line["id"] for line in lines] == ["b1", "b2", "b3"]
    assert [line["ip"] for line in lines] == ["10.77.1.1", "10.77.1.2", "10.77.1.3"]
    assert len({line["seed"] for line in lines}) == len({line["mac"] for line in lines}) == 3
    for line in lines:
        for key in ("id", "ip", "mac", "seed"):
            del line[key]
    assert lines[0] == lines[1] == lines[2]
    assert "\n" not in Lx106.config(document(1), NONCE)


def test_each_device_is_a_station_of_the_cell(tmp_path: Path) -> None:
    given = {"modem_sleep": True, "snr_db": 12, "outage_spans_s": [[0.2, 0.4]]}
    facts = Facts.of(document(3, **given, server_link="station")["parameters"])
    made = air.configuration(facts, 7, tmp_path)
    stations = {station["name"]: station for station in made["stations"]}
    assert list(stations) == ["board", "b2", "b3", "server"]
    assert stations["b3"]["mac"] == addressing.device_mac(3)
    own = ("name", "mac", "port")
    shared = [{k: v for k, v in stations[n].items() if k not in own} for n in ("board", "b3")]
    assert shared[0] == shared[1] and shared[0]["snr_db"] == 12 and shared[0]["absences"]
    file = tmp_path / "cell.json"
    file.write_text(json.dumps(made))
    subprocess.run([AIR, "--check", file], check=True)


def test_a_station_has_the_radio_of_its_group(tmp_path: Path) -> None:
    groups = [{"devices": 1, "snr_db": 9}, {"devices": 2, "modem_sleep": True}]
    facts = Facts.of(document(3, groups=groups, snr_db=30)["parameters"])
    made = air.configuration(facts, 7, tmp_path)
    assert [station["snr_db"] for station in made["stations"]] == [9, 30, 30]
    asleep = [station["modem_sleep"]["enabled"] for station in made["stations"]]
    assert asleep == [False, True, True]
    file = tmp_path / "cell.json"
    file.write_text(json.dumps(made))
    subprocess.run([AIR, "--check", file], check=True)


def test_each_device_has_the_line_of_its_group() -> None:
    groups = [{"devices": 1}, {"devices": 1, "mode": "mqtt-qos0", "interval_ms": 700}]
    coap, mqtt = (
        words(line) for line in Lx106.config(document(2, groups=groups), NONCE).split("\n")
    )
    assert (coap["proto"], coap["port"], coap["interval_ms"]) == ("coap", "5683", "100")
    assert (mqtt["proto"], mqtt["port"], mqtt["interval_ms"]) == ("mqtt", "1883", "700")
    assert "confirmable" in coap and "confirmable" not in mqtt and mqtt["qos"] == "0"


def test_the_cell_holds_as_many_devices_as_a_trial_may_have(tmp_path: Path) -> None:
    facts = Facts.of(document(addressing.DEVICES_MAX)["parameters"])
    file = tmp_path / "cell.json"
    file.write_text(json.dumps(air.configuration(facts, 7, tmp_path)))
    subprocess.run([AIR, "--check", file], check=True)


def test_a_server_logs_the_sender_of_a_message_that_is_not_the_first_devices(
    tmp_path: Path,
) -> None:
    log = Log("aiocoap", tmp_path / "log")
    for name in ("b1", "b2", "c002"):
        log.received(f"{name} 3 1000 ........".encode(), 1)
    log.write()
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [line.get("from") for line in lines] == [None, "b2", None]


def test_another_emulator_has_no_stated_start() -> None:
    request = TrialRequest(document(2), NONCE, "", FIRMWARE)
    with pytest.raises(InputError, match=r"several devices.*use lx106"):
        emulated(request, "qemu")


@contextlib.contextmanager
def cable(folder: Path, name: str) -> Iterator[tuple[socket.socket, str]]:
    """Yield the far end of a board's cable, and the network that the board is given."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
        end.bind(str(folder / f"{name}-peer"))
        end.settimeout(30)
        yield end, f"dgram,local.path={folder / name},remote.path={folder / f'{name}-peer'}"


def test_boards_of_one_process_have_a_clock_a_port_and_a_log_each(tmp_path: Path) -> None:
    """The second is switched on later, and both on purpose after the start of the process."""
    with cable(tmp_path, "b1") as one, cable(tmp_path, "b2") as two:
        first_ns = time.monotonic_ns() + 200_000_000
        boards = [
            (
                tmp_path / f"log {number}",
                [LX106, "--netdev", end[1], "--start-ns", str(start), FIRMWARE, line],
            )
            for number, (end, start, line) in enumerate(
                zip(
                    (one, two),
                    (first_ns, first_ns + 200_000_000),
                    Lx106.config(document(2), NONCE).split("\n"),
                    strict=True,
                )
            )
        ]
        child = subprocess.Popen(emulators.together(boards), stderr=subprocess.PIPE, text=True)
        try:
            frames, times = zip(
                *((end.recv(2048), time.monotonic_ns()) for end, _ in (one, two)), strict=True
            )
        finally:
            child.send_signal(signal.SIGTERM)
            said = child.communicate(timeout=30)[1]
    assert child.returncode == 0
    macs = [addressing.device_mac(number) for number in (1, 2)]
    assert [frame[6:12].hex(":") for frame in frames] == macs
    assert times[0] >= first_ns and times[1] >= first_ns + 200_000_000
    for number, (log, _) in enumerate(boards, 1):
        events = [json.loads(line) for line in log.read_text().splitlines()]
        assert events[0]["ev"] == "boot" and events[0]["t"] < 1000, number
        assert f"lx106: {log}: the clock began at " in said


def test_each_device_begins_in_the_state_that_the_trial_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(processes, "spawn", lambda argv, *_: started.append(argv))
    monkeypatch.setattr(fleet, "_EACH_NS", 60_000_000_000)  # the host's time, here
    given = document(2, clock_start_ms=(1 << 32) - 1000)
    request = TrialRequest(given, NONCE, "", FIRMWARE)
    port = BoardPort("tap,ifname=t0", "")
    boards = fleet.Fleet(Lx106, tmp_path, request, [port])
    boards.power_on(FIRMWARE, Lx106.config(given, NONCE), port)
    (argv,) = started
    first, second = argv[1 : argv.index("--next")], argv[argv.index("--next") + 1 :]
    for each in (first, second):
        assert any(word.endswith(f"={(1 << 32) - 1000:x}") for word in each)


def test_boards_of_one_process_need_their_logs(tmp_path: Path) -> None:
    with cable(tmp_path, "b1") as one, cable(tmp_path, "b2") as two:
        line = Lx106.config(document(1), NONCE)
        boards = [
            (tmp_path / "missing" / name, [LX106, "--netdev", end[1], FIRMWARE, line])
            for name, end in (("b1", one), ("b2", two))
        ]
        argv = emulators.together(boards)
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        assert done.returncode == 1 and "missing/b1 cannot be opened" in done.stderr


def test_a_board_is_off_until_its_start(tmp_path: Path) -> None:
    ends = {name: str(tmp_path / name) for name in ("own", "peer")}
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as cable:
        cable.bind(ends["peer"])
        cable.settimeout(30)
        network = f"dgram,local.path={ends['own']},remote.path={ends['peer']}"
        start_ns = time.monotonic_ns() + 400_000_000
        argv = [LX106, "--netdev", network, "--start-ns", str(start_ns), FIRMWARE]
        with (tmp_path / "log").open("wb") as log:
            child = subprocess.Popen([*argv, Lx106.config(document(1), NONCE)], stdout=log)
        try:
            while not Path(ends["own"]).exists():
                time.sleep(0.01)
            cable.sendto(b"\xff" * 60, ends["own"])  # is lost, since the board is off
            cable.recv(2048)
            assert time.monotonic_ns() >= start_ns
            boot = json.loads((tmp_path / "log").read_text().splitlines()[0])
            assert boot["ev"] == "boot" and boot["t"] < 1000
        finally:
            child.send_signal(signal.SIGTERM)
            child.wait()
