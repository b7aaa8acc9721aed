"""Do the device's MQTT-SN engine and the gateway, written apart from each other, work together?"""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest

from hil.design.payload import sequence
from hil.peers.log import Log
from hil.peers.mqttsn import server as mqttsn
from hil.peers.mqttsn.gateway import Gateway, Settings
from hil.tests.support import peers

COUNT = 40
MODES = [
    (qos, kind)
    for qos in (-1, 0, 1, 2)
    for kind in ("normal", "predefined", "short")
    if not (qos == -1 and kind == "normal")
]


async def bench(folder: Path, broker: int) -> tuple[Gateway, int]:
    """A gateway before a broker, and its port."""
    port = peers.free_port(socket.SOCK_DGRAM)
    settings = Settings(("127.0.0.1", broker), mqttsn.PREDEFINED)
    log = Log("mqttsn", folder / "log")
    return await mqttsn.listen(log, ("127.0.0.1", port), settings), port


async def watch(broker: int) -> asyncio.subprocess.Process:
    command = peers.client("mosquitto_sub", broker, f"-t # -q 0 -F %t|%q|%p -C {COUNT} -W 5")
    return await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)


@pytest.mark.parametrize(("qos", "kind"), MODES)
def test_every_message_arrives_once(tmp_path: Path, qos: int, kind: str) -> None:
    topic = "ab" if kind == "short" else "tw/data"

    async def main() -> tuple[list[dict[str, object]], list[str]]:
        async with peers.broker(tmp_path) as broker:
            _gateway, port = await bench(tmp_path, broker)
            subscriber = await watch(broker)
            await asyncio.sleep(0.2)
            said = await peers.device(
                proto="mqttsn",
                port=port,
                qos=qos,
                topic=topic,
                topic_type=kind,
                messages=COUNT,
                interval_ms=4,
            )
            arrived, _ = await asyncio.wait_for(subscriber.communicate(), 10)
            return said, arrived.decode().splitlines()

    said, arrived = asyncio.run(main())
    assert said[-1]["sent"] == COUNT
    assert said[-1]["acked"] == (COUNT if qos > 0 else 0)
    numbers = [sequence(line.split("|")[2].encode()) for line in arrived]
    assert numbers == [line["seq"] for line in said if line["ev"] == "sent"]
    assert {line.split("|")[0] for line in arrived} == {topic}


@pytest.mark.parametrize("qos", [0, 1, 2])
@pytest.mark.parametrize("kind", ["normal", "predefined", "short"])
def test_device_receives_what_is_published(tmp_path: Path, qos: int, kind: str) -> None:
    topic = "ab" if kind == "short" else "tw/data"

    async def main() -> list[dict[str, object]]:
        async with peers.broker(tmp_path) as broker:
            _gateway, port = await bench(tmp_path, broker)
            run = asyncio.create_task(
                peers.device(
                    proto="mqttsn",
                    port=port,
                    qos=qos,
                    topic=topic,
                    topic_type=kind,
                    role="subscribe",
                    messages=10,
                    duration_ms=5000,
                )
            )
            await asyncio.sleep(0.3)
            text = "".join(f"p1:{number}....\n" for number in range(10)).encode()
            command = peers.client("mosquitto_pub", broker, f"-t {topic} -q {qos} -l")
            await peers.output(*command, text=text)
            return await run

    said = asyncio.run(main())
    assert [line["seq"] for line in said if line["ev"] == "received"] == list(range(10))


def test_device_survives_a_restart_of_the_broker(tmp_path: Path) -> None:
    async def main() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        log, port = Log("mqttsn", tmp_path / "log"), peers.free_port(socket.SOCK_DGRAM)
        async with peers.broker(tmp_path) as broker:
            settings = Settings(("127.0.0.1", broker), mqttsn.PREDEFINED)
            _gateway = await mqttsn.listen(log, ("127.0.0.1", port), settings)
            running = asyncio.create_task(
                peers.device(
                    proto="mqttsn",
                    port=port,
                    qos=1,
                    clean=0,
                    messages=60,
                    interval_ms=50,
                    retry_ms=300,
                )
            )
            await asyncio.sleep(1)
        async with peers.running(peers.need("mosquitto"), "-c", str(tmp_path / "mosquitto.conf")):
            said = await running
        return said, peers.written(log, tmp_path / "log")

    said, lines = asyncio.run(main())
    assert (said[-1]["acked"], said[-1]["failed"]) == (60, 0)
    assert "broker_gone" in {line.get("detail") for line in lines}
