"""Is the servers' position visible on the air: each packet once, or twice?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hil.bundle import ipv4, pcapng, verify
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.tests.support.uml import bundle_of

PARAMETERS = {
    "protocol": "mqtt",
    "qos": 1,
    "payload_bytes": 30,
    "interval_ms": 100,
    "messages": 10,
    "link": "air",
    "wifi_standard": "g",
}


_RETRY = 0x08  # in the second byte of frame control (IEEE 802.11-2016, 9.2.4.1)


def first_attempts(capture: Path) -> list[bytes]:
    """The frames of an air capture without retransmissions: two senders may begin in one slot."""
    frames = [frame.data for frame in pcapng.read(capture)]
    return [data for data in frames if not data[int.from_bytes(data[2:4], "little") + 1] & _RETRY]


@pytest.mark.lab
@pytest.mark.parametrize(("where", "times"), [("wired", 1), ("station", 2)])
def test_each_packet_crosses_the_air_as_often_as_its_way_says(
    where: str, times: int, tmp_path: Path
) -> None:
    """The capture is the server's own; behind a station each of its packets was sent to the access
    point and by it."""
    trial = Trial("where", {}, 1, effective(PARAMETERS | {"server_link": where}, "where"))
    made = bundle_of(trial, tmp_path)
    verify.check(made)
    frames = [frame.data for frame in pcapng.read(made / "wire.pcapng.gz")]
    heard = first_attempts(made / "air.pcapng.gz")
    # Without Ethernet's padding, which the air does not carry.
    packets = [data[14 : found.end] for data in frames if (found := ipv4.packet(data))]
    assert len(packets) > 20
    assert {sum(packet in frame for frame in heard) for packet in packets} == {times}
