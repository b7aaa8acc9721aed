"""Do the clients of a load start, pause and open sockets as a study's design requires?"""

from __future__ import annotations

import asyncio
import re
import socket
import statistics
import time
from pathlib import Path

import pytest

from hil.bundle import pcapng
from hil.design import samples
from hil.design.parameters import effective, table
from hil.design.trials import Trial
from hil.peers import CLIENTS
from hil.peers.coap import codec as coap
from hil.peers.http import load as http_load
from hil.peers.log import Log
from hil.testbeds import runner
from hil.tests.support import peers
from hil.tests.support.loads import Lines, events, load, task


@pytest.mark.parametrize(("spread_s", "shortest", "longest"), [(0.0, 0, 0.1), (0.4, 0.2, 0.5)])
def test_a_load_starts_at_once_or_spread(
    tmp_path: Path, spread_s: float, shortest: float, longest: float
) -> None:
    async def main() -> Lines:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
            silent.bind(("127.0.0.1", 0))
            kind, what = CLIENTS["coap", "serve"], task(silent.getsockname()[1])
            return await load(tmp_path, kind, what, 10, 0.8, spread_s=spread_s)

    starts = [line["t"] for line in asyncio.run(main()) if line["ev"] == "sent"]
    assert len(starts) == 10
    assert shortest <= max(starts) - min(starts) < longest


def test_a_socket_for_each_coap_request(tmp_path: Path) -> None:
    class Answer(asyncio.DatagramProtocol):
        def __init__(self) -> None:
            self.seen: list[tuple[int, bytes]] = []

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self._transport = transport

        def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
            request = coap.decode(data)
            self.seen.append((address[1], data))
            reply = coap.Message(coap.ACK, 69, request.message_id, request.token, payload=b"b1:7..")
            self._transport.sendto(coap.encode(reply), address)  # type: ignore[attr-defined]

    async def main() -> tuple[Lines, list[tuple[int, bytes]]]:
        loop = asyncio.get_running_loop()
        transport, server = await loop.create_datagram_endpoint(Answer, local_addr=("127.0.0.1", 0))
        port = transport.get_extra_info("sockname")[1]
        kind = CLIENTS["coap", "serve"]
        lines = await load(tmp_path, kind, task(port, messages=5, socket_each=True), 2, 0.8)
        transport.close()
        return lines, server.seen

    lines, seen = asyncio.run(main())
    assert events(lines)["acked"] == 10
    assert len({port for port, _ in seen}) == 10
    assert {len(data) for _, data in seen} == {14}  # as long as libcoap's for a name of 9 letters


def test_a_connection_for_each_http_request_is_closed_by_the_client(tmp_path: Path) -> None:
    async def main() -> tuple[Lines, list[bytes]]:
        heads: list[bytes] = []

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            heads.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nb1:7..")
            assert not await reader.read()  # the end comes from the client
            writer.close()

        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            what = task(port, messages=5, socket_each=True)
            return await load(tmp_path, http_load.Requester, what, 2, 0.8), heads

    lines, heads = asyncio.run(main())
    assert events(lines)["acked"] == len(heads) == 10
    assert not any(b"close" in head for head in heads)


@pytest.mark.parametrize(
    ("parameter", "file"),
    [
        ("think_time", samples.THINK_TIMES),
        ("arrival_delay", samples.ARRIVAL_DELAYS),
        ("processing_times", samples.PROCESSING_TIMES),
    ],
)
def test_each_sample_of_a_parameter_is_recorded_in_ascending_order(
    parameter: str, file: Path
) -> None:
    without, *names = table()[parameter]["enum"]
    assert not samples.sample_ms(file, without) and names
    for name in names:
        values_ms = samples.sample_ms(file, name)
        assert len(values_ms) > 1 and list(values_ms) == sorted(values_ms)
    with pytest.raises(KeyError):
        samples.sample_ms(file, "nobody2019")


def test_pauses_are_those_of_the_sample_and_follow_the_seed(tmp_path: Path) -> None:
    recorded_ms = samples.sample_ms(samples.THINK_TIMES, "kuleuven2019")
    pauses_s = tuple(ms / 1000 for ms in recorded_ms)

    async def main(seed: int) -> list[float]:
        what = task(9, pauses_s=pauses_s, seed=seed)
        client = http_load.Requester("c001", what, Log("load", tmp_path / "load"))
        return [client.pause_s() for _ in range(500)]

    first = asyncio.run(main(1))
    assert set(first) <= set(pauses_s)
    assert statistics.median(first) == pytest.approx(1.0132, abs=0.0005)  # the recording's
    assert first == asyncio.run(main(1)) != asyncio.run(main(2))


def test_publishers_listen_to_a_device_that_publishes_too(tmp_path: Path) -> None:
    async def main() -> tuple[Lines, Lines]:
        async with peers.broker(tmp_path) as port:
            words = {"proto": "mqtt", "role": "subscribe", "qos": 2, "messages": 30}
            device = asyncio.create_task(
                peers.device(port=port, publish_ms=50, payload_bytes=20, **words)
            )
            await asyncio.sleep(0.3)
            kind = CLIENTS["mqtt", "subscribe"]
            what = task(port, qos=2, messages=15, listen="tw/data/out")
            lines = await load(tmp_path, kind, what, 2, 1.2)
            return lines, await device

    lines, said = asyncio.run(main())
    assert (events(lines)["sent"], events(lines)["acked"]) == (30, 30)
    assert events(said)["received"] == 30  # and none of its own
    assert events(said)["acked"] > 5


def test_publishers_can_wait_for_the_device_to_publish(tmp_path: Path) -> None:
    async def main() -> tuple[float, Lines]:
        async with peers.broker(tmp_path) as port:
            words = {"proto": "mqtt", "role": "subscribe", "start_ms": 600, "messages": 3}
            began = time.time()
            device = asyncio.create_task(
                peers.device(port=port, publish_ms=5000, payload_bytes=20, **words)
            )
            kind = CLIENTS["mqtt", "subscribe"]
            what = task(port, messages=3, listen="tw/data/out", lead_s=0.15)
            lines = await load(tmp_path, kind, what, 1, 1.3)
            await device
            return began, lines

    began, lines = asyncio.run(main())
    first = {event: next(x["t"] for x in lines if x["ev"] == event) for event in events(lines)}
    assert first["connected"] < began + 0.6 < began + 0.75 <= first["sent"] < began + 1.2
    assert events(lines)["sent"] == 3


def ten_at_once(folder: Path, **broker: object) -> list[int]:
    """Ten clients publish three messages each at the same instants: how many messages each of the
    broker's segments holds."""
    given = {"protocol": "mqtt", "role": "subscribe", "clients": 10, "messages": 3}
    given |= {"payload_bytes": 32, "interval_ms": 1000, "link": "netem", "delay_ms": 2}
    given |= {"duration_s": 5, "start_spread_ms": 0, "processing_ms": 5} | broker
    trial = Trial("at-once", {}, 1, effective(given, "at-once"))
    done = runner.run(trial, runner.testbed("virtual"), folder)
    assert done.outcome == "ok", done.reason
    mark = re.compile(b"tw/data(?:..)?c0", re.DOTALL)  # topic, packet identifier, sender's name
    wire = pcapng.read(done.folder / "wire.pcapng.gz")
    # by sequence number: an acknowledgement that is delayed longer than the RTO has some repeated
    counts = {f.data[38:42]: len(mark.findall(f.data)) for f in wire if mark.search(f.data)}
    assert sum(counts.values()) == 30
    # a device that is busy with the first takes the others later, each of them
    board = peers.lines(done.folder / "board.jsonl")
    assert sum(line["ev"] == "received" for line in board) == 30
    return list(counts.values())


# Without Nagle the broker's own turns join some: mosquitto 2.0.11 sends 26 segments, 2.0.21 18.
@pytest.mark.lab
@pytest.mark.parametrize(("nagle", "fewest", "most"), [(True, 6, 6), (False, 15, 30)])
def test_a_broker_with_nagle_joins_what_its_clients_send_at_once(
    tmp_path: Path, nagle: bool, fewest: int, most: int
) -> None:
    segments = ten_at_once(tmp_path, qos=0, broker_nagle=nagle)
    assert fewest <= len(segments) <= most


@pytest.mark.lab
@pytest.mark.parametrize(("in_flight", "most"), [(1, 1), (20, 9)])
def test_a_broker_sends_as_many_as_may_be_in_flight(
    tmp_path: Path, in_flight: int, most: int
) -> None:
    segments = ten_at_once(tmp_path, qos=1, broker_nagle=True, broker_in_flight=in_flight)
    assert max(segments) == most
