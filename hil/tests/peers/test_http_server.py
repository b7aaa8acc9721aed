"""Does the HTTP server work with real clients, and tolerate input that is not HTTP?"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hil.peers.http import server as http
from hil.peers.log import Log
from hil.tests.support import peers

_GET_AND_CLOSE = b"GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"


@contextlib.asynccontextmanager
async def server(folder: Path) -> AsyncIterator[tuple[int, Log]]:
    port, log = peers.free_port(), Log("http", folder / "log")
    async with await http.listen(log, "127.0.0.1", port):
        yield port, log


async def raw(port: int, data: bytes) -> bytes:
    """What the server says to these bytes until it closes or is silent."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    answer = b""
    with contextlib.suppress(TimeoutError):
        while piece := await asyncio.wait_for(reader.read(65536), 0.3):
            answer += piece
    writer.close()
    return answer


def test_curl_posts_puts_and_gets(tmp_path: Path) -> None:
    async def main() -> list[dict[str, object]]:
        async with server(tmp_path) as (port, log):
            curl, url = peers.need("curl"), f"http://127.0.0.1:{port}/tw/data"
            status = ("-s", "-o", "-", "-w", "%{http_code}")
            assert await peers.output(curl, *status, url) == "404"
            assert await peers.output(curl, *status, "-d", "b1 7 123 ...........", url) == "204"
            assert await peers.output(curl, *status, "-T", "-", url, text=b"b1:8..") == "204"
            assert await peers.output(curl, *status, url) == "b1:8..200"
            assert await peers.output(curl, *status, "-X", "DELETE", url) == "405"
        return peers.written(log, tmp_path / "log")

    lines = asyncio.run(main())
    received = [line for line in lines if line["ev"] == "received"]
    assert [(line["seq"], line["bytes"], line["method"]) for line in received] == [
        (7, 20, "POST"),
        (8, 6, "PUT"),
    ]


def test_connection_is_kept_and_pipelined_requests_are_answered_in_order(tmp_path: Path) -> None:
    async def main() -> bytes:
        async with server(tmp_path) as (port, _):
            post = b"POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx"
            get = b"GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
            return await raw(port, post + get + post)

    answers = asyncio.run(main()).split(b"HTTP/1.1 ")[1:]
    assert [answer[:3] for answer in answers] == [b"204", b"200", b"204"]
    assert answers[1].endswith(b"\r\n\r\nx")


def test_connection_close_is_honoured(tmp_path: Path) -> None:
    async def main() -> float:
        async with server(tmp_path) as (port, _):
            before = asyncio.get_running_loop().time()
            await raw(port, _GET_AND_CLOSE)
            return asyncio.get_running_loop().time() - before

    assert asyncio.run(main()) < 0.2


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"\x16\x03\x01\x02\x00\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),
        (
            b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2000000\r\n\r\n" + b"x" * 1_100_000,
            b"413",
        ),
        (b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", b"400"),
    ],
)
def test_bad_requests_are_refused_and_the_server_lives(
    tmp_path: Path, data: bytes, status: bytes
) -> None:
    async def main() -> tuple[bytes, bytes]:
        async with server(tmp_path) as (port, _):
            first = await raw(port, data)
            return first, await raw(
                port, b"GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
            )

    first, then = asyncio.run(main())
    assert first.startswith(b"HTTP/1.1 " + status)
    assert then.startswith(b"HTTP/1.1 404")


def test_who_is_refused_while_it_sends_still_gets_the_answer(tmp_path: Path) -> None:
    async def main() -> bytes:
        async with server(tmp_path) as (port, _):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9000000\r\n\r\n")
            for _ in range(9):
                writer.write(b"x" * 1_000_000)
                await writer.drain()
                await asyncio.sleep(0.01)
            answer = await reader.read()
            writer.close()
            return answer

    assert asyncio.run(main()).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize("keep_alive", [0, 1])
@pytest.mark.parametrize("chunked", [0, 1])
def test_device_posts_every_message(tmp_path: Path, keep_alive: int, chunked: int) -> None:
    async def main() -> tuple[list[dict[str, object]], list[dict[str, object]]]:
        async with server(tmp_path) as (port, log):
            said = await peers.device(
                proto="http",
                port=port,
                interval_ms=5,
                messages=50,
                keep_alive=keep_alive,
                chunked=chunked,
            )
        return said, peers.written(log, tmp_path / "log")

    said, lines = asyncio.run(main())
    assert said[-1]["acked"] == 50
    assert [line["seq"] for line in lines] == [line["seq"] for line in said if line["ev"] == "sent"]
