"""Do libcoap and aiocoap put blocks together that each come under a token of their own?

Reports: libcoap #270, #271, #1284, #1359; a token for each block is what libcoap's client sends.
Rule: RFC 7959, section 2: blocks of a transfer belong together by endpoint and URI, not by token.
"""

from __future__ import annotations

import asyncio
import socket

import pytest

from hil.tests.support import peers

SIZE = 1000


async def uploaded(port: int) -> list[int]:
    said = await peers.device(
        proto="coap",
        port=port,
        topic="upload",
        payload_bytes=SIZE,
        block_bytes=64,
        messages=3,
        interval_ms=100,
        start_ms=0,
    )
    return [line["seq"] for line in said if line["ev"] == "acked"]


async def fetched(port: int) -> str:
    client, url = peers.need("coap-client-notls"), f"coap://127.0.0.1:{port}/upload"
    return await peers.output(client, "-B", "5", "-m", "get", url)


def test_upload_to_libcoap() -> None:
    async def main() -> tuple[list[int], str]:
        port = peers.free_port(socket.SOCK_DGRAM)
        server = peers.need("coap-server-notls")
        async with peers.running(server, "-A", "127.0.0.1", "-p", str(port), "-d", "10"):
            await asyncio.sleep(0.3)
            return await uploaded(port), await fetched(port)

    acknowledged, text = asyncio.run(main())
    assert len(acknowledged) == 3
    assert text.strip().startswith(f"b1 {acknowledged[-1]} ") and len(text.strip()) == SIZE


def test_upload_to_aiocoap() -> None:
    aiocoap = pytest.importorskip("aiocoap")
    resource = pytest.importorskip("aiocoap.resource")
    taken: list[bytes] = []

    class Sink(resource.Resource):
        async def render_post(self, request):
            taken.append(request.payload)
            return aiocoap.Message(code=aiocoap.CHANGED)

    async def main() -> list[int]:
        port, site = peers.free_port(socket.SOCK_DGRAM), resource.Site()
        site.add_resource(["upload"], Sink())
        server = await aiocoap.Context.create_server_context(
            site, bind=("127.0.0.1", port), transports=["simplesocketserver"]
        )
        try:
            return await uploaded(port)
        finally:
            await server.shutdown()

    acknowledged = asyncio.run(main())
    assert [int(payload.split()[1]) for payload in taken] == acknowledged
    assert [len(payload) for payload in taken] == [SIZE] * 3


@pytest.mark.parametrize("size", ["16", "64", "1024"])
def test_libcoap_fetches_from_the_device_by_its_own_size(size: str) -> None:
    """libcoap #1294: the device prefers 64."""

    async def main() -> str:
        port = peers.free_port(socket.SOCK_DGRAM)
        words = {"payload_bytes": SIZE, "block_bytes": 64, "duration_ms": 3000}
        device = asyncio.create_task(
            peers.device(proto="coap", role="serve", port=port, topic="tw/data", **words)
        )
        await asyncio.sleep(0.3)
        client, url = peers.need("coap-client-notls"), f"coap://127.0.0.1:{port}/tw/data"
        text = await peers.output(client, "-B", "5", "-b", size, "-m", "get", url)
        await device
        return text.strip()

    text = asyncio.run(main())
    assert len(text) == SIZE and text.startswith("b1 ")


def test_libcoap_observes_through_a_slow_network() -> None:
    """A notification each 20 ms and a round trip of 300 ms: one is outstanding, and the states
    between two of them are skipped (RFC 7641, section 4.5.1)."""

    async def main() -> tuple[list[dict[str, object]], str]:
        port, slow = (peers.free_port(socket.SOCK_DGRAM) for _ in range(2))
        words = {"observe": 1, "confirmable": 1, "interval_ms": 20, "duration_ms": 5000}
        device = asyncio.create_task(
            peers.device(proto="coap", role="serve", port=port, topic="tw/data", **words)
        )
        async with peers.delayed(slow, port, 0.15):
            client, url = peers.need("coap-client-notls"), f"coap://127.0.0.1:{slow}/tw/data"
            text = await peers.output(client, "-B", "4", "-s", "3", "-m", "get", url)
        return await device, text

    said, text = asyncio.run(main())
    assert text.count("b1") > 5 and said[-1]["ev"] == "end"
    assert {line["reason"] for line in said if line["ev"] == "failed"} == {"superseded"}
