"""Does the device work with Eclipse Paho's gateway too? Skipped where it is not installed."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from hil.design.payload import sequence
from hil.peers.mqttsn import paho_gateway
from hil.tests import peers

COUNT = 20


def test_configuration_names_no_foreign_host() -> None:
    text = paho_gateway.configuration(1886, 1887, 1888)
    settings = dict(line.split("=") for line in text.splitlines())
    assert settings["BrokerName"] == "127.0.0.1"
    assert settings["MulticastIP"] == "224.0.0.1"
    assert settings["QoS-1"] == "NO"


@pytest.mark.parametrize("qos", [0, 1, 2])
@pytest.mark.parametrize("kind", ["normal", "short"])
def test_every_message_arrives_once(tmp_path: Path, qos: int, kind: str) -> None:
    topic = "ab" if kind == "short" else "tw/data"
    program = peers.need(paho_gateway.PROGRAM, optional=True)

    async def main() -> tuple[list[dict[str, object]], list[str]]:
        port, group = (peers.free_port(socket.SOCK_DGRAM) for _ in range(2))
        conf = tmp_path / "gateway.conf"
        async with peers.broker(tmp_path) as broker:
            conf.write_text(paho_gateway.configuration(port, group, broker))
            async with peers.running(program, "-f", str(conf)):
                command = peers.client("mosquitto_sub", broker, f"-t # -C {COUNT} -W 5")
                subscriber = await asyncio.create_subprocess_exec(
                    *command, stdout=asyncio.subprocess.PIPE
                )
                await asyncio.sleep(0.5)
                said = await peers.device(
                    proto="mqttsn",
                    port=port,
                    qos=qos,
                    topic=topic,
                    topic_type=kind,
                    messages=COUNT,
                    interval_ms=10,
                )
                arrived, _ = await asyncio.wait_for(subscriber.communicate(), 10)
        return said, arrived.decode().splitlines()

    said, arrived = asyncio.run(main())
    assert said[-1]["acked"] == (COUNT if qos else 0)
    numbers = [sequence(line.encode()) for line in arrived]
    assert numbers == [line["seq"] for line in said if line["ev"] == "sent"]
