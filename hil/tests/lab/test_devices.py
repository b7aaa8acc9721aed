"""Do several devices of one trial deliver, each with a log of its own, and repeat byte for byte?"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hil.bundle import verify
from hil.design import addressing
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.tests.support.uml import bundle_of

pytestmark = pytest.mark.lab

STORM = {
    "mode": "mqtt-qos1",
    "payload_bytes": 30,
    "interval_ms": 500,
    "messages": 3,
    "start_spread_s": 0,
    "link": "air",
    "wifi_standard": "g",
}
PATH = {key: value for key, value in STORM.items() if key != "wifi_standard"} | {
    "mode": "coap-con",
    "link": "netem",
    "delay_ms": 5,
    "start_spread_s": 1,
}


def bundle(parameters: dict[str, Any], devices: int, folder: Path) -> Path:
    given = effective(parameters | {"devices": devices}, "labtest")
    return bundle_of(Trial("devices", {"devices": devices}, 1, given), folder)


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


@pytest.mark.parametrize("parameters", [STORM, PATH], ids=["air", "netem"])
@pytest.mark.parametrize("devices", [2, 5])
def test_every_device_delivers_and_logs_what_it_did(
    parameters: dict[str, Any], devices: int, tmp_path: Path
) -> None:
    folder = bundle(parameters, devices, tmp_path)
    found = verify.check(folder)
    assert (found.sent, found.acknowledged, found.received) == (3 * devices,) * 3
    names = [addressing.device_id(number) for number in range(1, devices + 1)]
    own = lines(folder, "board.jsonl") + lines(folder, "devices.jsonl")
    acked = Counter(line.get("device", "b1") for line in own if line["ev"] == "acked")
    arrived = Counter(
        line.get("from", "b1") for line in lines(folder, "server.jsonl") if line["ev"] == "received"
    )
    assert acked == arrived == dict.fromkeys(names, 3)
    addresses = {line.get("device", "b1"): line["ip"] for line in own if line["ev"] == "up"}
    assert addresses == {name: f"10.77.1.{name[1:]}" for name in names}


def test_a_storm_begins_in_one_moment_and_contends(tmp_path: Path) -> None:
    folder = bundle(STORM, 5, tmp_path)
    starts = {line["at_s"] for line in lines(folder, "devices.jsonl") if line["ev"] == "power_on"}
    assert len(starts) == 1
    lab = json.loads((folder / "lab.json").read_text())
    assert [station["name"] for station in lab["link"]["stations"]] == [
        "board", "b2", "b3", "b4", "b5",
    ]  # fmt: skip
    assert lab["link"]["medium"]["collisions"] > 0


def test_several_devices_repeat_byte_for_byte(tmp_path: Path) -> None:
    one, two = (bundle(STORM, 5, tmp_path / name) for name in ("one", "two"))
    assert [(p.name, p.read_bytes()) for p in sorted(one.iterdir())] == [
        (p.name, p.read_bytes()) for p in sorted(two.iterdir())
    ]


def test_groups_deliver_to_the_servers_of_their_protocols_from_their_start_on(
    tmp_path: Path,
) -> None:
    groups = [
        {"devices": 2},
        {"devices": 2, "mode": "coap-con", "start_s": 1},
        {"devices": 1, "modem_sleep": True},
        {"devices": 1, "deep_sleep": True, "connection_messages": 1, "interval_ms": 2000},
    ]
    folder = bundle(STORM | {"groups": groups}, 6, tmp_path)
    found = verify.check(folder)
    assert (found.sent, found.received) == (18, 18)
    came = [line for line in lines(folder, "server.jsonl") if line["ev"] == "received"]
    assert {line["from"] for line in came if line["server"] == "coap"} == {"b3", "b4"}
    starts = {
        line["device"]: line["at_s"]
        for line in lines(folder, "devices.jsonl")
        if line["ev"] == "power_on"
    }
    assert starts["b3"] - starts["b1"] == 1 and starts["b6"] == starts["b1"]
    last_s = max(line["t"] for line in came if line.get("from") == "b6") - starts["b6"]
    assert last_s > 4  # the third message of the one that sleeps, two seconds apart
