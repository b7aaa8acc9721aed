"""Do device and load take turns, over real servers, in both directions?"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from hil.design.facts import Facts
from hil.peers import CLIENTS, generator
from hil.peers.client import Task
from hil.peers.load import READY
from hil.peers.log import Log
from hil.peers.websocket import server as websocket
from hil.tests.support import peers

COUNT = 30
SIZES = {5: 10, 25: 20, 200: 30}
Lines = list[dict[str, Any]]


@contextlib.asynccontextmanager
async def serving(protocol: str, folder: Path) -> AsyncIterator[tuple[int, Log]]:
    """The protocol's server on loopback: its port, and its log where it is ours."""
    log = Log("server", folder / "server")
    if protocol == "mqtt":
        async with peers.broker(folder) as port:
            yield port, log
    else:
        port = peers.free_port()
        async with await websocket.listen(log, "127.0.0.1", port):
            yield port, log


def loop(folder: Path, protocol: str, load: str, empty: bool) -> tuple[Lines, Lines, Lines]:
    """The logs of device, load and server."""

    async def main() -> tuple[Lines, Lines, Log]:
        async with serving(protocol, folder) as (port, server):
            numbers = {} if load == "answer" else SIZES
            task = Task(
                "127.0.0.1",
                port,
                "tw/data",
                0,
                30,
                COUNT,
                empty_answers=empty,
                last_numbers=numbers,
            )
            words: dict[str, str | int] = {"proto": protocol, "port": port, "confirmable": 0}
            if load == "answer":
                words |= {"pace": "answer", "interval_ms": 0, "messages": COUNT}
                words |= {"payload_bytes": 5, "payload_steps": "25,200"}
            else:
                words |= {"role": "echo", "empty_answers": int(empty), "duration_ms": 3000}
            log, kind = Log("load", folder / "load"), CLIENTS[protocol, load]
            running = asyncio.create_task(generator.run(kind, task, 1, 1, log, folder=folder))
            if load == "answer":
                while not (folder / READY).exists():
                    await asyncio.sleep(0.01)
            said = await peers.device(**words)
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
            return said, peers.written(log, folder / "load"), server

    said, load_lines, server = asyncio.run(main())
    return said, load_lines, peers.written(server, folder / "server")


def rows(lines: Lines, event: str) -> Lines:
    return [line for line in lines if line["ev"] == event]


@pytest.mark.parametrize("protocol", ["mqtt", "websocket"])
@pytest.mark.parametrize("empty", [False, True])
def test_the_device_asks(tmp_path: Path, protocol: str, empty: bool) -> None:
    said, load, server = loop(tmp_path, protocol, "answer", empty)
    acked = rows(said, "acked")
    assert [line["seq"] for line in acked] == list(range(1, COUNT + 1))
    assert [line["bytes"] for line in acked] == [5] * 10 + [25] * 10 + [200] * 10
    for line in acked:
        assert 0 <= line["read_us"] <= line["rtt_us"] and 0 < line["call_us"] <= line["rtt_us"]
    # each is sent when the answer to the previous one has arrived
    order = [line["ev"] for line in said if line["ev"] in ("sent", "acked")]
    assert order == ["sent", "acked"] * COUNT
    assert [line["seq"] for line in rows(load, "received")] == list(range(1, COUNT + 1))
    if server:  # the load's messages are not the device's
        assert len(rows(server, "received")) == COUNT


@pytest.mark.parametrize("protocol", ["mqtt", "websocket"])
@pytest.mark.parametrize("empty", [False, True])
def test_the_load_asks(tmp_path: Path, protocol: str, empty: bool) -> None:
    said, load, server = loop(tmp_path, protocol, "echo", empty)
    received = rows(said, "received")
    assert [line["seq"] for line in received] == list(range(COUNT))
    assert [line["bytes"] for line in received] == [5] * 10 + [25] * 10 + [200] * 10
    assert "rtt_us" not in received[0]  # nothing had been said before
    assert all(line["rtt_us"] >= line["call_us"] > 0 for line in received[1:])
    order = [line["ev"] for line in load if line["ev"] in ("sent", "acked")]
    assert order == ["sent", "acked"] * COUNT
    if server:
        sizes = [0] * COUNT if empty else [line["bytes"] for line in received]
        assert [line["bytes"] for line in rows(server, "received")] == sizes


def test_a_silent_device_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hil.peers.closed_loop._ANSWER_LIMIT_S", 0.05)

    async def main() -> Lines:
        async with serving("mqtt", tmp_path) as (port, _):
            log, task = Log("load", tmp_path / "load"), Task("127.0.0.1", port, "t", 0, 30, 3)
            kind = CLIENTS["mqtt", "echo"]
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(generator.run(kind, task, 1, 1, log), 0.6)
            return peers.written(log, tmp_path / "load")

    failed = rows(asyncio.run(main()), "failed")
    assert [(line["seq"], line["reason"]) for line in failed] == [
        (number, "no_response") for number in range(3)
    ]


def test_payloads_share_the_messages() -> None:
    shares = Facts("mqtt", "air", 5, 100, payload_steps=(9, 4), messages=7)
    assert shares.last_numbers == {5: 2, 9: 4, 4: 7}  # as test_closed_loop.c has it
