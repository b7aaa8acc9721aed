"""Does the device reach servers without TLS through the terminators in front of them?"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hil.base.errors import InputError
from hil.design import addressing
from hil.design.facts import Facts
from hil.design.parameters import effective
from hil.peers import SERVERS
from hil.rig.boards.lx106 import Lx106
from hil.tests.support import peers

COUNT = 2
SHORT = {"payload_bytes": 40, "interval_ms": 800, "messages": COUNT, "duration_s": 0}
LINK = {"link": "netem"}
EACH = {"connection_messages": 1}
BEHIND = {
    "coap-con": {},
    "http-each": {},
    "websocket-ping": EACH,
    "mqttsn-qos1": {},
    "tcp-ack": EACH,
    "udp-ack": {},
}


def talk(namespace: str, folder: Path, **wanted: Any) -> tuple[list[Any], list[Any]]:
    """The device's log and the server's, of a device with these parameters."""
    parameters = effective({**SHORT, **LINK, **wanted}, "test")
    trial = {"study": "test", "trial": "terminator", "parameters": parameters, "seed": 7}
    words = Lx106.config(trial, "00c0ffee").split()
    facts = Facts.of(parameters)
    server = SERVERS[facts.server.name](namespace, folder)
    given = dict(word.split("=", 1) for word in words) | {"ip": addressing.SERVER_IP}
    command = peers.device_command(namespace, given)
    try:
        server.start()
        server.use(facts)
        said = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
        assert server.problem() == ""
    finally:
        server.stop()
    return [json.loads(line) for line in said.stdout.splitlines()], peers.lines(server.log)


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root and network namespaces")
@pytest.mark.parametrize("security", ["chain", "psk"])
@pytest.mark.parametrize("mode", sorted(BEHIND))
def test_every_message_arrives(namespace: str, tmp_path: Path, mode: str, security: str) -> None:
    said, log = talk(namespace, tmp_path, mode=mode, security=security, resume=True, **BEHIND[mode])
    secured = [event["resumed"] for event in said if event["ev"] == "secured"]
    assert secured == ([0, 1] if BEHIND[mode] or mode == "http-each" else [0])
    assert said[-1]["acked"] == COUNT
    assert [line["seq"] for line in log if line["ev"] == "received"] == [1, 2]


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root and network namespaces")
@pytest.mark.parametrize(("mode", "security"), [("coap-con", "psk"), ("mqttsn-qos1", "chain")])
def test_a_device_with_a_connection_id(
    namespace: str, tmp_path: Path, mode: str, security: str
) -> None:
    wanted = {"mode": mode, "security": security, "resume": True, "cid": True}
    said, log = talk(namespace, tmp_path, **wanted, connection_messages=1)
    assert [event["resumed"] for event in said if event["ev"] == "secured"] == [0, 1]
    assert said[-1]["acked"] == COUNT
    assert [line["seq"] for line in log if line["ev"] == "received"] == [1, 2]


def test_only_datagrams_have_a_connection_id() -> None:
    for mode in ("mqtt-qos1", "http-kept"):
        with pytest.raises(InputError, match="cid: does not apply to transport tcp"):
            effective({**SHORT, **LINK, "mode": mode, "security": "psk", "cid": True}, "test")


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root and network namespaces")
@pytest.mark.parametrize("mode", ["http-kept", "mqttsn-qos1"])
def test_what_stands_before_a_server_outlives_it(namespace: str, tmp_path: Path, mode: str) -> None:
    facts = Facts.of(effective({**SHORT, **LINK, "mode": mode, "security": "psk"}, "test"))
    server = SERVERS[facts.server.name](namespace, tmp_path)
    try:
        server.start()
        server.use(facts)
        names = [child.name for child in server.children]
        server.halt()
        server.resume()
        assert [child.name for child in server.children] == names
        server.set_processing_times((1000,))
        assert [child.name for child in server.children] == names
    finally:
        server.stop()


def test_rabbitmq_takes_no_shared_key() -> None:
    with pytest.raises(InputError, match="does not support pre-shared keys"):
        effective({**SHORT, **LINK, "mode": "amqp-plain", "security": "psk"}, "test")
