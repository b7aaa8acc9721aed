"""Does the program `wire` pass real frames between its ports, inject, announce, log, and forget?"""

from __future__ import annotations

import socket
import time
from pathlib import Path
from typing import Any

import pytest

from hil.base.errors import LabError
from hil.design.facts import Facts
from hil.design.parameters import effective
from hil.rig.links import wire
from hil.system import tools

COMMON = {
    "mode": "coap-con",
    "link": "netem",
    "payload_bytes": 30,
    "interval_ms": 100,
    "duration_s": 20,
}
# Ethernet, IPv4 and UDP with the payload "data" to port 5683.
FRAME = bytes.fromhex(
    "02545700 00fe5ccf 7f000001 0800"
    "45000020 00074000 40110000 0a4d0101 0a4d0001"
    "c3501633 000c0000 64617461"
)


class Ends:
    """A running wire between two sockets, as device and server."""

    def __init__(self, folder: Path, faults: list[dict[str, Any]], **more: Any) -> None:
        given = {**COMMON, **({"faults": faults} if faults else {}), **more}
        self.sockets: dict[str, socket.socket] = {}
        self.peers: dict[str, str] = {}
        ports = {}
        for side in ("device", "server"):
            own, other = folder / f"{side}.own", folder / f"{side}.wire"
            self.sockets[side] = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self.sockets[side].bind(str(own))
            self.sockets[side].settimeout(5)
            ports[side] = {"unix": {"bind": str(other), "peer": str(own)}}
            self.peers[side] = str(other)
        document = wire.configuration(Facts.of(effective(given, "test")), 1, **ports, folder=folder)
        self.wire = wire.Wire("", folder, document)

    def send(self, side: str, frame: bytes) -> None:
        self.sockets[side].sendto(frame, self.peers[side])

    def take(self, side: str) -> bytes:
        return self.sockets[side].recv(2000)


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose path is short enough for a socket."""
    return tmp_path_factory.mktemp("w")


def test_frames_pass_both_ways_before_and_after_the_start(folder: Path) -> None:
    ends = Ends(folder, [{"kind": "link_down", "at_s": 19}])
    ends.send("device", FRAME)
    assert ends.take("server") == FRAME
    ends.wire.begin()
    ends.send("server", FRAME)
    assert ends.take("device") == FRAME
    ends.wire.stop()


def test_a_packet_begins_a_fault_which_is_logged(folder: Path) -> None:
    con = FRAME[:-4] + bytes.fromhex("40021234")
    ends = Ends(folder, [{"kind": "duplicate", "at": {"packet": "CON", "number": 2}}])
    ends.wire.begin()
    for _ in range(3):
        ends.send("device", con)
    assert [ends.take("server") for _ in range(4)] == [con] * 4
    ends.wire.stop()
    stamps, numbers, over, frames = zip(*ends.wire.events(), strict=True)
    assert (numbers, over, frames) == ((1, 1), (False, True), (0, 1))
    assert stamps[0] <= stamps[1]


def test_a_fault_of_the_server_is_announced_to_the_rig(folder: Path) -> None:
    ends = Ends(folder, [{"kind": "server_pause", "at_s": 0.05, "for_s": 0.05}])
    assert ends.wire.wait(0.2) == []
    ends.wire.begin()
    found: list[tuple[int, bool]] = []
    while len(found) < 2:
        announced = ends.wire.wait(5)
        assert announced
        found += announced
    assert found == [(1, False), (1, True)]
    ends.wire.stop()


def test_a_nat_forgets_a_flow_that_rests(folder: Path) -> None:
    ends = Ends(folder, [], nat_timeout_s=1)
    ends.send("device", FRAME)
    assert ends.take("server") == FRAME
    time.sleep(1.2)
    ends.send("device", FRAME)
    later = ends.take("server")
    assert later[34:36] != FRAME[34:36]  # the source port
    assert later[36:40] == FRAME[36:40]
    ends.wire.stop()


def test_without_a_nat_its_configuration_says_nothing_of_one(folder: Path) -> None:
    ports = {side: {"unix": {"bind": "a", "peer": "b"}} for side in ("device", "server")}
    facts = Facts.of(effective({**COMMON, "faults": [{"kind": "loss", "at_s": 1}]}, "test"))
    assert "nat_idle_ms" not in wire.configuration(facts, 1, **ports, folder=folder)


def test_its_end_is_a_problem_with_its_words(folder: Path) -> None:
    ends = Ends(folder, [{"kind": "loss", "at_s": 1}])
    assert ends.wire.problem() == ""
    ends.wire._child.stop()
    assert "wire died" in ends.wire.problem()


def test_a_program_that_is_not_built_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools, "built", lambda name: None)
    with pytest.raises(LabError, match=r"'wire' \(faults, nat_timeout_s\) is missing: run"):
        Ends(folder, [{"kind": "loss", "at_s": 1}])
