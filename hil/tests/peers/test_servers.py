"""Does each server of the laboratory start in a namespace, log what the device sends, and stop?"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from hil.design import addressing
from hil.design.protocols import protocols
from hil.peers import SERVERS
from hil.peers.mqttsn import paho_gateway
from hil.tests.support import peers

COUNT = 20
LIGHT = sorted(set(SERVERS) - {"amqp", "cloud", "program"})  # these have tests of their own
LARGE = ["coap", "http", "mqtt", "tcp", "websocket"]
SPOKEN = {
    server.name: protocol.name
    for protocol in protocols().values()
    for server in protocol.servers.values()
}

pytestmark = [
    pytest.mark.root,
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root and network namespaces"),
]


def state(pid: int) -> str:
    """proc(5): "T" for a process that is stopped."""
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


@pytest.mark.parametrize("protocol", ["coap", "mqtt"])
def test_a_paused_server_rests_and_still_writes_its_log(
    namespace: str, tmp_path: Path, protocol: str
) -> None:
    server = SERVERS[protocol](namespace, tmp_path)
    try:
        server.start()
        server.pause()
        for child in server.children:
            child.wait_for(lambda pid=child.pid: state(pid) == "T", 2)
    finally:
        server.stop()
    assert {child.status for child in server.children} == {0}
    assert server.log.exists()


def said_by_the_device(namespace: str, protocol: str, **more: object) -> list[dict[str, object]]:
    """The log of a device in the namespace that sends COUNT messages to the protocol's server."""
    if not peers.DEVICE.exists():
        pytest.fail(f"{peers.DEVICE} is not built")
    words = {
        "nonce": "00c0ffee",
        "id": addressing.BOARD_ID,
        "ip": addressing.SERVER_IP,
        "peer": addressing.SERVER_IP,
        "port": addressing.port(protocol),
        "proto": SPOKEN[protocol],
        "topic": addressing.TOPIC,
        "qos": 1,
        "messages": COUNT,
        "interval_ms": 10,
        "drain_ms": 2000,
    }
    command = peers.device_command(namespace, words | more)
    run = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


@pytest.mark.parametrize("protocol", LIGHT)
def test_server_logs_every_message_of_the_device(
    namespace: str, tmp_path: Path, protocol: str
) -> None:
    if protocol == "paho":
        peers.need(paho_gateway.PROGRAM, optional=True)
    server = SERVERS[protocol](namespace, tmp_path)
    try:
        server.start()
        sent = said_by_the_device(namespace, protocol)
        assert server.problem() == ""
    finally:
        server.stop()
    lines = [line for line in peers.lines(server.log) if line["ev"] == "received"]
    assert [line["seq"] for line in lines] == [line["seq"] for line in sent if line["ev"] == "sent"]
    assert sent[-1]["acked"] == COUNT
    assert {line["server"] for line in lines} == {server.name}
    stamps = [line["t"] for line in peers.lines(server.log)]
    assert stamps == sorted(stamps)


@pytest.mark.parametrize("protocol", LARGE)
def test_the_largest_payload_arrives_whole(namespace: str, tmp_path: Path, protocol: str) -> None:
    """... which the device makes as it leaves."""
    server = SERVERS[protocol](namespace, tmp_path)
    try:
        server.start()
        more = {"payload_bytes": 16384} | (
            {"block_bytes": 1024} if SPOKEN[protocol] == "coap" else {}
        )
        sent = said_by_the_device(namespace, protocol, **more)
    finally:
        server.stop()
    lines = [line for line in peers.lines(server.log) if line["ev"] == "received"]
    assert [(line["seq"], line["bytes"]) for line in lines] == [
        (seq, 16384) for seq in range(1, COUNT + 1)
    ]
    assert sent[-1]["acked"] == COUNT


@pytest.mark.parametrize("protocol", LIGHT)
def test_dead_server_is_noticed(namespace: str, tmp_path: Path, protocol: str) -> None:
    if protocol == "paho":
        peers.need(paho_gateway.PROGRAM, optional=True)
    server = SERVERS[protocol](namespace, tmp_path)
    try:
        server.start()
        server.children[-1].stop()
        assert "died with status" in server.problem()
    finally:
        server.stop()
