"""Does the WebSocket server work with the library's client and with the device?"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

from hil.peers.log import Log
from hil.peers.websocket import server as websocket
from hil.tests.support import peers


@contextlib.asynccontextmanager
async def server(folder: Path) -> AsyncIterator[tuple[int, Log]]:
    port, log = peers.free_port(), Log("websocket", folder / "log")
    async with await websocket.listen(log, "127.0.0.1", port):
        yield port, log


def test_message_is_logged_and_goes_to_the_others_of_its_path_only(tmp_path: Path) -> None:
    async def main() -> list[dict[str, object]]:
        async with server(tmp_path) as (port, log):
            url = f"ws://127.0.0.1:{port}"
            async with (
                connect(f"{url}/a") as one,
                connect(f"{url}/a") as two,
                connect(f"{url}/b") as other,
            ):
                await one.send("b1 7 123 ...........")
                await one.send(b"b1:8..")
                assert [await two.recv(), await two.recv()] == ["b1 7 123 ...........", b"b1:8.."]
                await (await one.ping())
                for idle in (one, other):
                    with pytest.raises(TimeoutError):
                        await asyncio.wait_for(idle.recv(), 0.05)
        return peers.written(log, tmp_path / "log")

    lines = [line for line in asyncio.run(main()) if line["ev"] == "received"]
    assert [(line["seq"], line["bytes"], line["type"]) for line in lines] == [
        (7, 20, "text"),
        (8, 6, "binary"),
    ]


def test_noise_is_refused_and_the_server_lives(tmp_path: Path) -> None:
    async def main() -> bytes:
        async with server(tmp_path) as (port, _):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /tw HTTP/1.1\r\nHost: h\r\n\r\n")
            answer = await asyncio.wait_for(reader.read(), 2)
            writer.close()
            async with connect(f"ws://127.0.0.1:{port}/tw") as client:
                await (await client.ping())
            return answer

    assert asyncio.run(main()).startswith(b"HTTP/1.1 426 ")


@pytest.mark.parametrize("confirmable", [0, 1])
def test_device_sends_every_message(tmp_path: Path, confirmable: int) -> None:
    async def main() -> tuple[list[dict[str, object]], list[dict[str, object]]]:
        async with server(tmp_path) as (port, log):
            said = await peers.device(
                proto="websocket", port=port, interval_ms=4, messages=50, confirmable=confirmable
            )
        return said, peers.written(log, tmp_path / "log")

    said, lines = asyncio.run(main())
    assert said[-1]["acked"] == 50 * confirmable
    received = [line["seq"] for line in lines if line["ev"] == "received"]
    assert received == [line["seq"] for line in said if line["ev"] == "sent"]
