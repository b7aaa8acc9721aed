"""Do curl, clients of HTTP/1.0 and a WebSocket server work with the firmware on this host?

Reports: `curl -x` (xrootd #1675), `curl -0` with Expect (hyper #3294), `ab -k` (hyper #1614), and
servers on `websockets` that close with 1012 "service restart" (netty #8664).
Rules: RFC 9112, section 3.2.2 and appendix C.2.2; RFC 9110, section 10.1.1; RFC 6455, section 7.4.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from websockets.asyncio.server import ServerConnection, serve

from hil.tests.support import peers

_STATUS = ("-s", "-o", "-", "-w", "%{http_code}")


def asked(client: Callable[[int], Awaitable[str]]) -> str:
    """What a client makes of a serving device."""

    async def main() -> str:
        port = peers.free_port()
        words = {"proto": "http", "role": "serve", "port": port, "payload_bytes": 6}
        running = asyncio.create_task(peers.device(duration_ms=2000, drain_ms=100, **words))
        await peers.accepts(port)
        said = await client(port)
        await running
        return said

    return asyncio.run(main())


def test_curl_by_a_proxy() -> None:
    async def client(port: int) -> str:
        proxy = ("-x", f"http://127.0.0.1:{port}")
        return await peers.output(peers.need("curl"), *_STATUS, *proxy, "http://board/tw/d%61ta")

    assert asked(client).endswith("200")


def test_curl_of_http_1_0_expects(tmp_path: Path) -> None:
    async def client(port: int) -> str:
        url, more = f"http://127.0.0.1:{port}/tw/data", ("-0", "-i", "-H", "Expect: 100-continue")
        return await peers.output(peers.need("curl"), *_STATUS, *more, "-d", "hello", url)

    said = asked(client)
    assert said.endswith("204") and "100 Continue" not in said


def test_requests_of_http_1_0_over_one_connection() -> None:
    """What `ab -k` does: it waits for the word that the connection stays, then asks again."""

    async def client(port: int) -> str:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        said = b""
        for _ in range(20):
            writer.write(b"GET /tw/data HTTP/1.0\r\nConnection: Keep-Alive\r\nHost: b\r\n\r\n")
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), peers.LIMIT_S)
            assert b"\r\nConnection: keep-alive\r\n" in head
            assert b"\r\nContent-Length: 6\r\n" in head
            said += head[:15] + await reader.readexactly(6)
        writer.close()
        return said.decode()

    assert asked(client).count("200 OK") == 20


def test_websocket_server_restarts() -> None:
    """The device answers with the same code, and connects again."""
    codes: list[int | None] = []

    async def close(connection: ServerConnection) -> None:
        await asyncio.sleep(0.1)
        await connection.close(1012, "service restart")
        codes.append(connection.protocol.close_rcvd and connection.protocol.close_rcvd.code)

    async def main() -> list[dict[str, object]]:
        port = peers.free_port()
        async with serve(close, "127.0.0.1", port):
            return await peers.device(
                proto="websocket", port=port, interval_ms=50, duration_ms=700, drain_ms=100
            )

    said = asyncio.run(main())
    assert codes[0] == 1012  # the last connection is the device's to close
    ends = [line["reason"] for line in said if line["ev"] == "disconnected"]
    assert ends and "closed_by_peer" in ends and "protocol_error" not in ends
