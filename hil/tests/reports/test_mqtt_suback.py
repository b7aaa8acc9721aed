"""Does a device notice a SUBACK that cannot be the answer to its SUBSCRIBE?

Reports: brokers that answer with reserved codes, or with another identifier.
Rules: MQTT 3.1.1 [MQTT-3.9.3-2] (0, 1, 2 and 0x80 only), [MQTT-3.8.4-2] (the same identifier),
[MQTT-3.8.4-5] (one code for each topic filter).
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hil.peers.mqtt import codec
from hil.peers.mqtt.load import Subscriber
from hil.tests.reports import streams
from hil.tests.support import loads, peers


@pytest.mark.parametrize(
    ("suback", "reason"),
    [
        ("9003000103", "malformed_packet"),
        ("900300017f", "malformed_packet"),
        ("9003000181", "malformed_packet"),
        ("90030001ff", "malformed_packet"),
        ("9003000180", "subscription_refused"),
        ("9003000200", "unexpected_suback"),
        ("900400010000", "malformed_packet"),
        ("90020001", "malformed_packet"),
    ],
)
def test_error(engine, suback: str, reason: str) -> None:
    device = engine("proto=mqtt role=subscribe topic=t qos=1")
    device.open()
    device.feed(streams.CONNACK)
    device.feed(bytes.fromhex(suback))
    assert streams.reasons(device) == [reason] and not device.heard("connected")


@pytest.mark.parametrize("code", [0, 1, 2])
def test_granted(engine, code: int) -> None:
    device = engine("proto=mqtt role=subscribe topic=t qos=2")
    device.open()
    device.feed(streams.CONNACK)
    device.feed(bytes.fromhex("90030001") + bytes([code]))
    assert device.heard("connected")


@pytest.mark.parametrize(
    ("packet", "refused"),
    [
        ("20020000", False),
        ("20020005", True),
        ("9003000102", False),
        ("9003000180", True),
        ("900400010080", True),
        ("9003000103", None),
        ("90020001", None),
    ],
)
def test_clients_of_the_laboratory(packet: str, refused: bool | None) -> None:
    (read,) = codec.Stream().feed(bytes.fromhex(packet))
    if refused is None:
        with pytest.raises(codec.Malformed):
            codec.refused(read)
    else:
        assert codec.refused(read) == refused


@pytest.mark.parametrize("answers", ["20020005", "200200009003000180"])
def test_load_that_is_refused(tmp_path: Path, answers: str) -> None:
    """It is not taken for one that listens."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(bytes.fromhex(answers))
        await reader.read()
        writer.close()

    async def main() -> loads.Lines:
        port = peers.free_port()
        async with await asyncio.start_server(serve, "127.0.0.1", port):
            return await loads.load(tmp_path, Subscriber, loads.task(port, qos=1), 1, 0.5)

    assert loads.events(asyncio.run(main()))["refused"] == 1
