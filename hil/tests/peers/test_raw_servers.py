"""Do the raw sinks log and acknowledge what the device sends, and refuse the rest?"""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
from pathlib import Path
from typing import Any

import pytest

from hil.peers.log import Log
from hil.peers.raw import codec as raw
from hil.peers.raw import server as sinks
from hil.tests.support import peers

LISTEN = {"tcp": sinks.listen_tcp, "udp": sinks.listen_udp}
KINDS = {"tcp": socket.SOCK_STREAM, "udp": socket.SOCK_DGRAM}


def test_header_is_these_bytes() -> None:
    assert raw.encode(raw.Message(raw.DATA, True, 7, b"hi")).hex(" ") == (
        "01 01 00 02 00 00 00 07 68 69"
    )
    assert raw.encode(raw.Message(raw.ACK, False, 7)).hex(" ") == "02 00 00 00 00 00 00 07"


@pytest.mark.parametrize("head", ["00", "03", "01 02", "02 01", "02 00 00 01"])
def test_other_bytes_are_malformed(head: str) -> None:
    with pytest.raises(raw.Malformed):
        raw.take(bytes.fromhex(head).ljust(8, b"\0"))


@pytest.mark.parametrize("protocol", ["tcp", "udp"])
@pytest.mark.parametrize("confirmable", [0, 1])
@pytest.mark.parametrize("size", [10, 30, 1440])
def test_device_sends_every_message(
    tmp_path: Path, protocol: str, confirmable: int, size: int
) -> None:
    async def main() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        log, port = Log(protocol, tmp_path / "log"), peers.free_port(KINDS[protocol])
        server = await LISTEN[protocol](log, "127.0.0.1", port)
        said = await peers.device(
            proto=protocol,
            port=port,
            interval_ms=4,
            messages=50,
            confirmable=confirmable,
            payload_bytes=size,
        )
        await asyncio.sleep(0.05)
        server.close()
        return said, peers.written(log, tmp_path / "log")

    said, lines = asyncio.run(main())
    assert said[-1]["acked"] == 50 * confirmable
    assert [line["seq"] for line in lines] == [line["seq"] for line in said if line["ev"] == "sent"]
    assert {line["bytes"] for line in lines} == {size}


def test_stream_cut_anywhere_gives_the_same_messages(tmp_path: Path) -> None:
    source = random.Random(1)
    sent = [raw.Message(raw.DATA, True, n, b"b1:%d" % n + b"." * n) for n in range(1, 40)]
    data = b"".join(map(raw.encode, sent))

    async def main() -> tuple[bytes, list[dict[str, Any]]]:
        log, port = Log("tcp", tmp_path / "log"), peers.free_port()
        async with await sinks.listen_tcp(log, "127.0.0.1", port):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            at = 0
            while at < len(data):
                end = at + source.randrange(1, 60)
                writer.write(data[at:end])
                await writer.drain()
                await asyncio.sleep(0.001)
                at = end
            answers = await asyncio.wait_for(reader.readexactly(8 * len(sent)), 2)
            writer.close()
        return answers, peers.written(log, tmp_path / "log")

    answers, lines = asyncio.run(main())
    assert answers == b"".join(raw.encode(raw.Message(raw.ACK, False, m.seq)) for m in sent)
    assert [line["seq"] for line in lines] == [message.seq for message in sent]


@pytest.mark.parametrize("protocol", ["tcp", "udp"])
def test_noise_is_noted_and_the_server_lives(tmp_path: Path, protocol: str) -> None:
    async def main() -> list[dict[str, Any]]:
        log, port = Log(protocol, tmp_path / "log"), peers.free_port(KINDS[protocol])
        server = await LISTEN[protocol](log, "127.0.0.1", port)
        for data in (
            b"GET / HTTP/1.1\r\n\r\n",
            raw.encode(raw.Message(raw.DATA, False, 1, b"b1:1")),
        ):
            with socket.socket(socket.AF_INET, KINDS[protocol]) as client:
                client.connect(("127.0.0.1", port))
                client.send(data)
                with contextlib.suppress(TimeoutError):
                    await asyncio.sleep(0.05)
        server.close()
        return peers.written(log, tmp_path / "log")

    assert [line["ev"] for line in asyncio.run(main())] == ["malformed", "received"]
