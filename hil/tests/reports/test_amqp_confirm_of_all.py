"""Does a confirm with tag 0 and `multiple` confirm all messages so far?

Reports: the specification's own words; brokers that confirm so.
Rule: AMQP 0-9-1, basic.ack: "If the multiple field is 1, and the delivery tag is zero, this
indicates acknowledgement of all outstanding messages."
"""

from __future__ import annotations

import asyncio
import struct
from collections import Counter
from pathlib import Path

import pytest

from hil.peers.amqp import codec as amqp
from hil.peers.amqp.load import Publisher
from hil.tests.reports import streams
from hil.tests.support import loads, peers


@pytest.mark.parametrize(("name", "event"), [(amqp.ACK, "acked"), (amqp.NACK, "failed")])
def test_device(engine, name: tuple[int, int], event: str) -> None:
    device = streams.amqp_device(engine, "role=publish confirmable=1")
    for seq in (1, 2):
        device.publish(seq, 8)
    device.feed(amqp.method(1, name, struct.pack(">QB", 0, 0)))
    assert not device.heard(event)
    device.feed(amqp.method(1, name, struct.pack(">QB", 0, 1)))
    assert [heard.seq for heard in device.heard(event)] == [1, 2]


@pytest.mark.parametrize(("name", "end"), [(amqp.ACK, "acked"), (amqp.NACK, "refused")])
def test_load_of_the_laboratory(tmp_path: Path, name: tuple[int, int], end: str) -> None:
    """A broker that confirms its messages with one method, or refuses them."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opening = [*streams.AMQP_OPENING, amqp.method(1, amqp.CONFIRM_SELECT_OK, b"")]
        for answer in opening:
            await reader.read(4096)
            writer.write(answer)
        published = b""
        while published.count(struct.pack(">HH", *amqp.PUBLISH)) < 2:
            published += await reader.read(4096)
        writer.write(amqp.method(1, name, struct.pack(">QB", 0, 1)))
        await reader.read()
        writer.close()

    async def main() -> loads.Lines:
        port = peers.free_port()
        async with await asyncio.start_server(serve, "127.0.0.1", port):
            task = loads.task(port, messages=2)
            return await loads.load(tmp_path, Publisher, task, 1, 5)

    ends = Counter(line.get("reason", line["ev"]) for line in asyncio.run(main()))
    assert ends[end] == 2
