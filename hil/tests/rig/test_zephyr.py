"""The board zephyr: which trials select it, the error without its tree, and, if its firmware was
built (docs/boards.md), trials on Zephyr's own TCP/IP stack.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import yaml

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.bundle import store, verify
from hil.design import addressing
from hil.design.facts import Facts
from hil.design.parameters import effective
from hil.design.studies import load_study
from hil.design.trials import Trial
from hil.rig.boards import zephyr
from hil.rig.links import air
from hil.rig.links.base import BoardPort, Plug
from hil.testbeds import runner
from hil.tests.support.peers import lines
from hil.tests.support.uml import bundle_of

PARAMETERS = {"mode": "mqtt-qos1", "payload_bytes": 30, "interval_ms": 100, "messages": 20}
FIRMWARE = ROOT / zephyr.Zephyr.runs()
needs_firmware = pytest.mark.skipif(
    not FIRMWARE.exists(), reason=f"no {FIRMWARE}: it is built from a Zephyr tree (docs/boards.md)"
)


def test_a_study_may_be_made_for_two_boards() -> None:
    trials = load_study("stacks").trials("quick")
    ours, theirs = trials[::2], trials[1::2]
    assert {trial.board for trial in ours} == {"lx106"}
    assert [trial.id for trial in theirs] == [f"{trial.id}_zephyr" for trial in ours]
    assert [trial.seed for trial in theirs] == [trial.seed for trial in ours]
    assert len({trial.parameters["protocol"] for trial in theirs}) == 10
    assert {trial.board for trial in load_study("stacks").trials("quick", board="lx106")} == {
        "lx106"
    }


def test_the_studies_of_the_default_build_need_no_zephyr() -> None:
    names = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))["studies"]
    assert names
    assert all("zephyr" not in load_study(name).boards for name in names)


def test_its_one_image_speaks_tls_of_each_version() -> None:
    trials = load_study("security").trials("quick", board="zephyr")
    assert {trial.parameters.get("tls_version") for trial in trials} == {None, "1.3"}
    assert {runner.firmware(trial.board, trial.facts) for trial in trials} == {FIRMWARE}


def test_a_board_with_a_radio_keeps_its_own_heap_and_gets_the_radios_mbedtls() -> None:
    """Zephyr's ESP32 boards have 96 KiB as a default with Wi-Fi, and WIFI_ESP32 selects MBEDTLS."""
    board = ROOT / "firmware" / "boards" / "zephyr"
    for settings in ("prj.conf", "wifi.conf"):
        assert "HEAP_MEM_POOL_SIZE" not in (board / settings).read_text()
    assert "default 32768 if !WIFI" in (board / "Kconfig").read_text()
    (project,) = yaml.safe_load((board / "west.yml").read_text())["manifest"]["projects"]
    assert {"hal_espressif", "mbedtls"} <= set(project["import"]["name-allowlist"])


@pytest.mark.parametrize(("folder", "said"), [("", "a study asks"), ("/usr", "'/usr' is no Zeph")])
def test_without_a_tree_the_key_is_named(folder: str, said: str) -> None:
    with pytest.raises(InputError, match=rf"config\.yaml: zephyr: {said}.*name the folder"):
        zephyr.tree(folder)


def test_a_tree_is_known_by_its_package(tmp_path: Path) -> None:
    file = tmp_path / "share" / "zephyr-package" / "cmake" / "ZephyrConfig.cmake"
    file.parent.mkdir(parents=True)
    file.touch()
    assert zephyr.tree(str(tmp_path)) == tmp_path


def test_without_its_firmware_the_remedy_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(runner.FIRMWARE, "zephyr", tmp_path / "thinwire.elf")
    with pytest.raises(InputError, match=r"the firmware is missing; .*boards/zephyr/build TREE"):
        _run(tmp_path, {})


def test_its_console_is_its_configuration_and_its_log(tmp_path: Path) -> None:
    """On a program that says what it was given, and that it is asked to end, as native_sim does."""
    program = tmp_path / "firmware"
    program.write_text(
        "#!/bin/sh\ntrap 'echo stopped' TERM\nread -r line\n"
        'echo "$1 $line"\nwhile :; do sleep 0.01; done\n'
    )
    board = zephyr.Zephyr(tmp_path)
    board.power_on(program, "nonce=00c0ffee seed=7 proto=udp", BoardPort("", ""))
    deadline = time.monotonic() + 20
    while not (board.log.exists() and board.log.read_text()) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert board.problem() == ""
    board.power_off()
    assert board.log.read_text() == "-seed=7 nonce=00c0ffee seed=7 proto=udp\n"
    assert "zephyr ended with status -9" in board.problem()


def test_its_station_in_the_cell_has_a_tap(tmp_path: Path) -> None:
    facts = Facts.of(effective(PARAMETERS | {"link": "air"}, "test"))
    found = air.configuration(facts, 7, tmp_path, Plug.TAP)
    assert found["stations"][0]["port"] == {"tap": "station0"}
    assert found["stations"][0]["mac"] == addressing.BOARD_MAC


def _run(folder: Path, changes: dict[str, object]) -> Path:
    parameters = effective(PARAMETERS | {"link": "netem"} | changes, "stacks")
    trial = Trial("stacks", {}, 1, parameters, board="zephyr")
    made = bundle_of(trial, folder)
    found = verify.check(made)
    assert (found.sent, found.acknowledged, found.received) == (20, 20, 20)
    return made


@needs_firmware
@pytest.mark.lab
@pytest.mark.parametrize("link", [{"link": "air"}, {"delay_ms": 2, "loss_pct": 5}])
def test_a_trial_repeats_byte_by_byte(tmp_path: Path, link: dict[str, object]) -> None:
    one, two = (_run(tmp_path / name, link) for name in ("one", "two"))
    assert (one / store.SUMS).read_bytes() == (two / store.SUMS).read_bytes()


@needs_firmware
@pytest.mark.lab
@pytest.mark.parametrize(
    ("secured", "version", "suite"),
    [
        ({"mode": "mqtt-qos1", "security": "chain"}, "TLS1.2", "ECDHE-ECDSA-WITH-AES-128-GCM"),
        (
            {"mode": "mqtt-qos1", "security": "chain", "tls_version": "1.3"},
            "TLS1.3",
            "TLS1-3-AES-128-GCM",
        ),
        (
            {"mode": "coap-con", "peer": "libcoaps", "security": "chain"},
            "DTLS1.2",
            "ECDHE-ECDSA-WITH-AES-128-CCM-8",
        ),
    ],
    ids=["tls12", "tls13", "dtls12"],
)
def test_messages_within_tls_arrive(
    tmp_path: Path, secured: dict[str, object], version: str, suite: str
) -> None:
    one, two = (_run(tmp_path / name, secured | {"delay_ms": 2}) for name in ("one", "two"))
    assert (one / store.SUMS).read_bytes() == (two / store.SUMS).read_bytes()
    (said,) = (line for line in lines(one / "board.jsonl") if line["ev"] == "secured")
    assert said["version"] == version
    assert suite in str(said["suite"])


@needs_firmware
@pytest.mark.lab
def test_its_clock_is_the_worlds(tmp_path: Path) -> None:
    """Stamps of board and server apart by the same time, to the system calls of one message."""
    folder = _run(tmp_path, {"mode": "udp-ack", "interval_ms": 3000, "delay_ms": 2})
    sent, came = (
        {line["seq"]: float(str(line["t"])) for line in lines(folder / name) if line["ev"] == event}
        for name, event in (("board.jsonl", "sent"), ("server.jsonl", "received"))
    )
    apart = [came[seq] * 1e6 - sent[seq] for seq in sent if seq != 1]  # which waits for ARP
    assert max(apart) - min(apart) < 100  # us
