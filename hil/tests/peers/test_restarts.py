"""Does a restarted server continue, and does only the protocol lose messages, not its log?"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from hil.design import addressing
from hil.design.facts import Facts
from hil.peers import SERVERS, base
from hil.peers.log import Log
from hil.peers.mqtt import codec as mqtt
from hil.peers.mqtt import recorder
from hil.tests.support import peers

COUNT = 150
INTERVAL_MS = 20
PROTOCOLS = ["coap", "http", "mqtt", "mqttsn", "tcp", "udp", "websocket"]


def restarted(
    server: base.Server,
    namespace: str,
    *,
    killed: bool = False,
    late: bool = False,
    **more: object,
) -> tuple[list[dict], list[dict]]:
    """The device's log and the server's, of a run with a restart in its midst, after SIGTERM or,
    if `killed`, SIGKILL. A `late` recorder is suspended from the restart to the end."""
    words = {
        "nonce": "00c0ffee",
        "id": addressing.BOARD_ID,
        "ip": addressing.SERVER_IP,
        "peer": addressing.SERVER_IP,
        "topic": addressing.TOPIC,
        "messages": COUNT,
        "interval_ms": INTERVAL_MS,
        "clean": 0,
        "start_ms": 0,
        "drain_ms": 15000,
        **more,
    }
    try:
        server.start()
        if killed:
            kill = {"kind": "server_kill", "at_s": 1}
            server.use(Facts(link="netem", protocol=str(words["proto"]), faults=(kill,)))
        server.make_durable()
        argv = peers.device_command(namespace, words)
        with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as device:
            assert device.stdout
            said = ""
            while f'"ev":"sent","seq":{COUNT // 3}' not in said:
                said += device.stdout.readline()
            if late:
                server.children[-1].send(signal.SIGSTOP)
            if killed:
                server.crash()
            else:
                server.halt()
            server.resume()
            said += device.stdout.read()
        assert server.problem() == ""
    finally:
        server.stop()
    received = [line for line in peers.lines(server.log) if line["ev"] == "received"]
    return [json.loads(line) for line in said.splitlines()], received


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root and network namespaces")
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_one_log_holds_what_came_before_and_after(
    namespace: str, tmp_path: Path, protocol: str
) -> None:
    server = SERVERS[protocol](namespace, tmp_path)
    _, received = restarted(
        server, namespace, proto=protocol, port=addressing.port(protocol), qos=1
    )
    numbers = {line["seq"] for line in received}
    assert 1 in numbers and COUNT in numbers


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root and network namespaces")
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_killed_server_has_logged_what_came_before(
    namespace: str, tmp_path: Path, protocol: str
) -> None:
    server = SERVERS[protocol](namespace, tmp_path)
    port = addressing.port(protocol)
    _, received = restarted(server, namespace, killed=True, proto=protocol, port=port, qos=1)
    numbers = {line["seq"] for line in received}
    assert {*range(1, COUNT // 3)} <= numbers and COUNT in numbers


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root and network namespaces")
@pytest.mark.parametrize("qos", [1, 2])
def test_a_restarted_broker_loses_no_acknowledged_message(
    namespace: str, tmp_path: Path, qos: int
) -> None:
    server = SERVERS["mqtt"](namespace, tmp_path)
    board, received = restarted(
        server, namespace, proto="mqtt", port=addressing.port("mqtt"), qos=qos
    )
    assert max(line.get("n", 0) for line in board) == 2  # it had to connect anew
    numbers = [line["seq"] for line in received]
    assert set(numbers) == set(range(1, COUNT + 1))
    assert qos == 1 or len(numbers) == COUNT


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root and network namespaces")
def test_a_restarted_rabbitmq_loses_no_confirmed_message(namespace: str, tmp_path: Path) -> None:
    """Messages that were not yet confirmed arrive twice. Erlang stops and starts slowly."""
    server = SERVERS["amqp"](namespace, tmp_path)
    board, received = restarted(
        server,
        namespace,
        proto="amqp",
        port=addressing.port("amqp"),
        confirmable=1,
        drain_ms=300000,
    )
    assert max(line.get("n", 0) for line in board) == 2
    assert {line["seq"] for line in received} == set(range(1, COUNT + 1))


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root and network namespaces")
@pytest.mark.parametrize(
    "words", [{"qos": 1}, {"qos": 2}, {"confirmable": 1, "drain_ms": 300000}], ids=str
)
def test_a_recorder_logs_what_the_broker_kept_for_it(
    namespace: str, tmp_path: Path, words: dict[str, int]
) -> None:
    """A busy machine can delay the recorder until the device has sent its last message."""
    protocol = "mqtt" if "qos" in words else "amqp"
    server = SERVERS[protocol](namespace, tmp_path)
    port = addressing.port(protocol)
    _, received = restarted(server, namespace, late=True, proto=protocol, port=port, **words)
    assert {line["seq"] for line in received} == set(range(1, COUNT + 1))


def test_a_full_window_is_followed_by_another_ping(tmp_path: Path) -> None:
    """At QoS 2 PUBCOMP lets a broker deliver the next message, behind its PINGRESP."""
    subscriber = recorder.Recorder(Log("mosquitto", tmp_path / "log"), qos=2)
    assert subscriber.drain() == b"\xc0\0"
    answer = mqtt.Packet(mqtt.PINGRESP, 0, b"")
    assert subscriber.take(mqtt.Packet(mqtt.PUBREL, 2, b"\0\7"), 1) == b"\x70\2\0\7"
    assert subscriber.take(answer, 2) == b"\xc0\0" and not subscriber.drained
    assert subscriber.take(answer, 3) == b"" and subscriber.drained


def _publish(flags: int, packet_id: int, payload: bytes) -> mqtt.Packet:
    body = b"\0\1t" + packet_id.to_bytes(2, "big") + payload
    return mqtt.Packet(mqtt.PUBLISH, flags, body)


def test_the_recorder_logs_a_repeated_delivery_once(tmp_path: Path) -> None:
    log = Log("mosquitto", tmp_path / "log")
    subscriber = recorder.Recorder(log, qos=2)
    first, again = 0b0010, 0b1010  # QoS 1, and DUP
    assert subscriber.take(_publish(first, 7, b"b1:1"), 1) == b"\x40\2\0\7"
    assert subscriber.take(_publish(again, 7, b"b1:1"), 2) == b"\x40\2\0\7"
    subscriber.take(_publish(first, 8, b"b1:1"), 3)  # the device's own duplicate
    assert [line["t"] for line in peers.written(log, tmp_path / "log")] == [1e-9, 3e-9]
