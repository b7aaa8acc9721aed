"""Does RabbitMQ start without its scripts, and do device, consumer and another library agree?"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pika
import pytest

from hil.base.errors import ToolMissing
from hil.design import addressing
from hil.peers import CLIENTS, generator
from hil.peers.amqp import erlang, rabbitmq, recorder
from hil.peers.client import Task
from hil.peers.log import Log
from hil.tests.support import peers

START_S = 90.0
COUNT = 50


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A RabbitMQ on loopback; its port. It takes some seconds, so all tests share it.

    It has its own node name and no port mapper, to run beside others on this machine, and no
    programs on its PATH, as in the laboratory's machine.
    """
    try:
        place = erlang.find()
    except ToolMissing as error:
        pytest.fail(str(error))
    folder, port, node = tmp_path_factory.mktemp("rabbitmq"), peers.free_port(), peers.free_port()
    (folder / "rabbitmq.conf").write_text(rabbitmq.configuration(port, port + 1))
    (folder / "enabled_plugins").write_text("[].\n")
    name = f"t{node}@localhost"
    own = f"-sname {name} -setcookie {name} -start_epmd false -erl_epmd_port {node}"
    erlang.link_code(place, folder)
    words = [*rabbitmq.command(place, folder), *own.split()]
    variables = rabbitmq.environment(place, folder) | {
        "RABBITMQ_DIST_PORT": str(node),
        "RABBITMQ_NODENAME": name,
        "PATH": str(folder),
    }
    with (
        (folder / "out").open("w") as out,
        subprocess.Popen(
            words, env=variables, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
        ) as process,
    ):
        try:
            asyncio.run(peers.accepts(port, START_S))
            yield port
        finally:
            process.kill()


@contextlib.contextmanager
def consumer(port: int, folder: Path) -> Iterator[list[dict[str, Any]]]:
    """The laboratory's consumer while the block runs; then the list has its log."""
    log, ready, found = folder / "log", folder / "ready", []
    process = multiprocessing.get_context("fork").Process(
        target=recorder.collect, args=(port, "tw", log, ready)
    )
    process.start()
    deadline = time.monotonic() + 10
    while not ready.exists():
        assert process.is_alive() and time.monotonic() < deadline
        time.sleep(0.02)
    yield found
    process.terminate()
    process.join(5)
    found += peers.lines(log)


@pytest.mark.parametrize("confirmable", [0, 1])
@pytest.mark.parametrize("size", [10, 1000])
def test_every_message_of_the_device_arrives_once(
    broker: int, tmp_path: Path, confirmable: int, size: int
) -> None:
    with consumer(broker, tmp_path) as lines:
        said = asyncio.run(
            peers.device(
                proto="amqp",
                port=broker,
                messages=COUNT,
                interval_ms=5,
                confirmable=confirmable,
                payload_bytes=size,
            )
        )
    assert said[-1]["acked"] == COUNT * confirmable
    assert [line["seq"] for line in lines] == [line["seq"] for line in said if line["ev"] == "sent"]
    assert {line["bytes"] for line in lines} == {size}


@pytest.mark.parametrize("security", ["chain", "pinned"])
def test_messages_within_tls_arrive(broker: int, tmp_path: Path, security: str) -> None:
    words = {"proto": "amqp", "port": broker + 1, "confirmable": 1, "security": security}
    with consumer(broker, tmp_path) as lines:
        said = asyncio.run(peers.device(**words, messages=5, interval_ms=5))
    assert said[-1]["acked"] == len(lines) == 5


def test_consumer_reads_what_another_library_publishes(broker: int, tmp_path: Path) -> None:
    sizes = [1, 30, 5000, 200_000]  # the last two need several reads, the last several frames
    with (
        consumer(broker, tmp_path) as lines,
        pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", broker)) as connection,
    ):
        channel = connection.channel()
        channel.confirm_delivery()
        for size in sizes:
            channel.basic_publish("", "tw", b"x" * size, mandatory=True)
    assert [line["bytes"] for line in lines] == sizes


def test_device_consumes_what_another_library_publishes(broker: int) -> None:
    async def main() -> list[dict[str, Any]]:
        running = asyncio.create_task(
            peers.device(
                proto="amqp",
                port=broker,
                role="subscribe",
                queue="other",
                messages=COUNT,
                duration_ms=8000,
            )
        )
        await asyncio.sleep(1)
        with pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", broker)) as connection:
            channel = connection.channel()
            for number in range(COUNT):
                body = b"p1:%d....." % number
                channel.basic_publish("", "other", body)
        return await running

    said = asyncio.run(main())
    assert [line["seq"] for line in said if line["ev"] == "received"] == list(range(COUNT))


def test_load_reaches_the_device_beside_the_laboratorys_consumer(
    broker: int, tmp_path: Path
) -> None:
    async def main() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        running = asyncio.create_task(
            peers.device(
                proto="amqp",
                port=broker,
                role="subscribe",
                queue=addressing.BOARD_QUEUE,
                messages=3 * COUNT,
                duration_ms=20000,
            )
        )
        await asyncio.sleep(1)
        kind, log = CLIENTS["amqp", "subscribe"], Log("load", tmp_path / "load")
        task = Task("127.0.0.1", broker, addressing.BOARD_QUEUE, 0.01, 30, COUNT)
        load = asyncio.create_task(generator.run(kind, task, 3, 1, log))
        said = await running
        load.cancel()
        await asyncio.wait([load])
        return said, peers.written(log, tmp_path / "load")

    with consumer(broker, tmp_path) as stolen:
        said, lines = asyncio.run(main())
    arrived = [line["seq"] for line in said if line["ev"] == "received"]
    assert sorted(arrived) == sorted(list(range(COUNT)) * 3)
    assert [line["ev"] for line in lines].count("acked") == 3 * COUNT
    assert not stolen
