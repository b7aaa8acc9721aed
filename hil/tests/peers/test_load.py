"""Do the load's clients speak with real servers, at the rate and in the number asked for?"""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
from collections import Counter
from pathlib import Path

import pytest

from hil.design.payload import payload, sequence
from hil.peers import CLIENTS, generator
from hil.peers.coap import codec as coap
from hil.tests.support import peers
from hil.tests.support.loads import Lines, events, load, task


@pytest.mark.parametrize("qos", [0, 1, 2])
def test_publishers_reach_a_real_broker(tmp_path: Path, qos: int) -> None:
    async def main() -> tuple[Lines, list[str]]:
        async with peers.broker(tmp_path) as port:
            words = f"-t tw/data -q {qos} -C 50 -W 4 -F"
            command = peers.client("mosquitto_sub", port, words, "%q %p")
            subscriber = await asyncio.create_subprocess_exec(
                *command, stdout=asyncio.subprocess.PIPE
            )
            await asyncio.sleep(0.2)
            kind = CLIENTS["mqtt", "subscribe"]
            lines = await load(tmp_path, kind, task(port, messages=5, qos=qos), 10, 0.6)
            said, _ = await asyncio.wait_for(subscriber.communicate(), 10)
            return lines, said.decode().splitlines()

    lines, arrived = asyncio.run(main())
    assert events(lines)["sent"] == 50
    assert events(lines)["acked"] == (50 if qos else 0)
    assert Counter(line.split()[1] for line in arrived) == {f"c{n:03}": 5 for n in range(1, 11)}
    assert {line.split()[0] for line in arrived} == {str(qos)}


@pytest.mark.parametrize("qos", [0, 1, 2])
def test_subscribers_get_what_the_device_publishes(tmp_path: Path, qos: int) -> None:
    async def main() -> Lines:
        async with peers.broker(tmp_path) as port:
            kind = CLIENTS["mqtt", "publish"]
            running = asyncio.create_task(load(tmp_path, kind, task(port, qos=qos), 3, 1.8))
            await asyncio.sleep(0.8)
            await peers.device(proto="mqtt", port=port, qos=qos, messages=20, interval_ms=10)
            return await running

    lines = [line for line in asyncio.run(main()) if line["ev"] == "received"]
    for name in ("c001", "c002", "c003"):
        assert [line["seq"] for line in lines if line["client"] == name] == list(range(1, 21))


@pytest.mark.parametrize("size", [10, 30])
def test_the_device_says_who_a_message_is_from(tmp_path: Path, size: int) -> None:
    async def main() -> tuple[Lines, Lines]:
        async with peers.broker(tmp_path) as port:
            device = asyncio.create_task(
                peers.device(proto="mqtt", role="subscribe", port=port, qos=1, messages=50)
            )
            await asyncio.sleep(0.5)
            kind = CLIENTS["mqtt", "subscribe"]
            what = task(port, qos=1, messages=5, payload_bytes=size)
            lines = await load(tmp_path, kind, what, 10, 1.0)
            return lines, await device

    lines, said = asyncio.run(main())
    sent = sorted((line["client"], line["seq"]) for line in lines if line["ev"] == "sent")
    assert len(sent) == 50
    # every client counts from 0: the number alone would tell five messages apart
    assert sorted((line["from"], line["seq"]) for line in said if line["ev"] == "received") == sent


def test_publishers_come_back_after_a_restart_of_the_broker(tmp_path: Path) -> None:
    async def main() -> Lines:
        async with peers.broker(tmp_path) as port:
            running = asyncio.create_task(
                load(tmp_path, CLIENTS["mqtt", "subscribe"], task(port, qos=1), 2, 2.5)
            )
            await asyncio.sleep(0.3)
        async with peers.running(peers.need("mosquitto"), "-c", str(tmp_path / "mosquitto.conf")):
            return await running

    found = events(asyncio.run(main()))
    assert found["connected"] == 4
    assert found["disconnected"] >= 2
    assert found["acked"] > 20


@pytest.mark.parametrize("confirmable", [False, True])
def test_coap_requesters_get_answers_from_libcoap(tmp_path: Path, confirmable: bool) -> None:
    async def main() -> Lines:
        port = peers.free_port(socket.SOCK_DGRAM)
        async with peers.running(peers.need("coap-server-notls"), "-p", str(port)):
            await asyncio.sleep(0.3)
            kind = CLIENTS["coap", "serve"]
            what = task(port, topic="time", messages=5, confirmable=confirmable)
            return await load(tmp_path, kind, what, 10, 1.0)

    found = events(asyncio.run(main()))
    assert (found["sent"], found["acked"], found["received"]) == (50, 50, 50)


@pytest.mark.parametrize("separate_ms", [0, 20])
def test_coap_requesters_get_answers_from_the_device(tmp_path: Path, separate_ms: int) -> None:
    async def main() -> tuple[Lines, Lines]:
        port = peers.free_port(socket.SOCK_DGRAM)
        device = asyncio.create_task(
            peers.device(
                proto="coap", role="serve", port=port, duration_ms=1200, separate_ms=separate_ms
            )
        )
        await asyncio.sleep(0.2)
        kind = CLIENTS["coap", "serve"]
        lines = await load(tmp_path, kind, task(port, messages=5), 4, 0.8)
        return lines, await device

    lines, said = asyncio.run(main())
    assert events(lines)["acked"] == 20
    served = sorted(line["seq"] for line in lines if line["ev"] == "received")
    assert served == list(range(served[0], served[0] + 20))
    assert said[-1]["ev"] == "end"


def test_coap_request_is_repeated_and_then_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coap, "ACK_TIMEOUT_S", 0.01)

    async def main() -> Lines:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
            silent.bind(("127.0.0.1", 0))
            kind = CLIENTS["coap", "serve"]
            return await load(tmp_path, kind, task(silent.getsockname()[1], messages=1), 1, 0.7)

    found = events(asyncio.run(main()))
    assert found == {"sent": 1, "retransmitted": coap.MAX_RETRANSMIT, "failed": 1}


def test_messages_without_an_answer_fail_when_the_load_ends(tmp_path: Path) -> None:
    async def main() -> Lines:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
            silent.bind(("127.0.0.1", 0))
            kind = CLIENTS["coap", "serve"]
            return await load(tmp_path, kind, task(silent.getsockname()[1], messages=1), 3, 0.3)

    found = [line for line in asyncio.run(main()) if line["ev"] == "failed"]
    assert [line["reason"] for line in found] == ["unfinished"] * 3


def test_starts_are_spread_and_follow_the_seed() -> None:
    first = generator.offsets(100, 1.0, 7)
    assert first == generator.offsets(100, 1.0, 7) != generator.offsets(100, 1.0, 8)
    assert max(first) > 0.9 and min(first) < 0.1


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (30, b"c001 12 3456 ................."),
        (24, b"c001 12 3456 ..........."),
        (12, b"c001:12....."),
        (6, b"001:12"),
        (4, b"1:12"),
        (3, b":12"),
        (2, b":2"),
    ],
)
def test_payload_follows_the_grammar(size: int, expected: bytes) -> None:
    assert payload("c001", 12, 3456, size) == expected
    assert sequence(expected) == (12 if size > 2 else 2)


def test_coap_codec_reads_what_it_writes_and_refuses_the_rest() -> None:
    source = random.Random(1)
    good = coap.Message(coap.CON, coap.GET, 0x1234, b"ab", coap.path("tw/" + "d" * 300), b"x")
    data = coap.encode(good)
    assert data[:10] == bytes.fromhex("42 01 12 34 61 62 b2 74 77 0e")
    assert coap.decode(data) == good
    for _ in range(20_000):
        noise = bytearray(data[: source.randrange(len(data) + 1)])
        if noise:
            noise[source.randrange(len(noise))] = source.randrange(256)
        with contextlib.suppress(coap.Malformed):
            message = coap.decode(bytes(noise))
            assert coap.decode(coap.encode(message)) == message
