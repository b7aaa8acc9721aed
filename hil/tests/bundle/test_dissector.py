"""Does workflow/wireshark/thinwire.lua find every message, and leave foreign bytes alone?

protocols.pcapng.gz holds the first four messages of eight trials, one a protocol.
"""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from hil.base.paths import ROOT
from hil.base.schema import load_yaml
from hil.bundle import pcapng
from hil.bundle.payloads import DISSECT
from hil.bundle.pcapng import Frame
from hil.design.payload import payload, sequence
from hil.design.protocols import servers
from hil.peers.mqtt import codec as mqtt
from hil.peers.raw import codec as raw
from hil.tests.support.frames import frame, pcap, tcp, udp

REAL = Path(__file__).with_name("protocols.pcapng.gz")
LUA = DISSECT.with_name("thinwire.lua").read_text(encoding="utf-8")
FREE = 40_001  # a port for which tshark has no dissector
FIELDS = ("device", "seq", "size", "time")
Dissect = Callable[..., list[list[str]]]


def rows(capture: Path, *fields: str) -> list[list[str]]:
    """These fields of every frame, several values of one joined by commas."""
    words = [word for field in fields for word in ("-e", field)]
    done = subprocess.run(
        [DISSECT, capture, "-T", "fields", *words], capture_output=True, text=True, check=True
    )
    return [line.split("\t") for line in done.stdout.splitlines()]


@pytest.fixture
def dissect(tmp_path: Path) -> Dissect:
    """`rows` of frames, given without their times."""

    def read(frames: list[bytes], *fields: str) -> list[list[str]]:
        timed = [frame(data, 10**6 * n) for n, data in enumerate(frames)]
        (tmp_path / "in.pcap").write_bytes(pcap(timed))
        return rows(tmp_path / "in.pcap", *fields)

    return read


def stream(data: bytes, size: int, port: int) -> list[bytes]:
    """The segments of a stream."""
    return [tcp(1000 + at, data[at : at + size], port=port) for at in range(0, len(data), size)]


def message(seq: int, size: int = 30, wanted: bool = True) -> bytes:
    body = payload("b1", seq, 1000 * seq, size)
    return raw.encode(raw.Message(raw.DATA, wanted, seq, body))


def numbers(found: list[list[str]], column: int = 0) -> list[int]:
    return [int(n) for row in found if row[column] for n in row[column].split(",")]


def test_every_protocol_shows_its_messages() -> None:
    layer: dict[str, str] = {}  # the first protocol with it: Wireshark has one for all versions
    for name, row in load_yaml(ROOT / "workflow" / "protocols.yaml", "protocols").items():
        layer.setdefault(f"{row['transport']}:{row['layer']}", name)
    found: dict[str, list[tuple[str, ...]]] = {}
    for stack, *values in rows(REAL, "frame.protocols", *(f"tw.{f}" for f in FIELDS)):
        if values[0]:
            transport, *above = stack.split(":")[3:]
            [name] = [layer[key] for a in above if (key := f"{transport}:{a}") in layer][-1:]
            found.setdefault(name, []).append(tuple(values))
    assert set(found) == set(layer.values())
    for messages in found.values():
        assert [m[:3] for m in messages] == [("b1", str(n), "100") for n in range(1, 5)]
        times = [float(m[3]) for m in messages]
        assert all(0.04 < b - a < 0.06 for a, b in pairwise(times)), times


def test_the_port_of_the_raw_protocols_is_that_of_the_table() -> None:
    [port] = re.findall(r"RAW_PORT = (\d+)", LUA)
    assert {servers()[name].port for name in ("tcp", "udp")} == {int(port)}
    assert f"{servers()['mqttsn'].port}" in DISSECT.read_text(encoding="utf-8")


def test_the_largest_payload_is_that_of_the_firmware() -> None:
    engine = (ROOT / "firmware" / "core" / "engine.h").read_text(encoding="utf-8")
    [limit] = re.findall(r"TW_PAYLOAD_MAX (\d+)u", engine)
    assert f"HEADER_BYTES, PAYLOAD_MAX = 8, {limit}" in LUA


def test_its_grammar_is_that_of_the_project(dissect: Dissect) -> None:
    source = random.Random(1)
    ends = [(0, 0), (2**32 - 1, 10**15)]
    bodies = [payload("c001", *end, size) for size in range(2, 70) for end in ends]
    alphabet = b"b19 :. \x00\xff~"
    for body in list(bodies):
        noise = bytearray(body)
        noise[source.randrange(len(noise))] = source.choice(alphabet)
        bodies.append(bytes(noise))
    bodies += [bytes(source.choices(alphabet, k=source.randrange(2, 40))) for _ in range(500)]
    bodies += [b"b1 4294967296 1", b"b1:4294967296", b"b1:1\n", b"x" * 23 + b":1"]
    found = dissect([udp(body, port=FREE) for body in bodies], "tw.seq")
    expected = [sequence(body) for body in bodies]
    assert [int(row[0]) if row[0] else None for row in found] == expected
    assert sum(n is not None for n in expected) > 150


@pytest.mark.parametrize("port", [7, FREE])
@pytest.mark.parametrize("size", [3, 7, 8, 9, 38, 50, 100, 10_000])
def test_raw_messages_are_found_however_tcp_cuts_them(
    dissect: Dissect, port: int, size: int
) -> None:
    if port == FREE and size < 20:
        return  # without other evidence, the first segment must identify the protocol
    data = b"".join(message(n) for n in range(1, 6))
    found = dissect(stream(data, size, port), "tw_raw.seq", "tw.seq", "tw_raw.size", "tw_raw.type")
    assert numbers(found) == numbers(found, 1) == [1, 2, 3, 4, 5]
    assert set(numbers(found, 2)) == {30} and set(numbers(found, 3)) == {raw.DATA}


def test_acknowledgements_are_known_by_their_conversation(dissect: Dissect) -> None:
    ack = raw.encode(raw.Message(raw.ACK, False, 7))
    frames = [udp(ack, False, FREE), udp(message(7), port=FREE), udp(ack, port=FREE)]
    assert dissect(frames, "tw_raw.type", "data.len") == [["", "8"], ["1", ""], ["2", ""]]


def test_a_retransmission_is_no_second_message(dissect: Dissect) -> None:
    first, second = stream(message(1) + message(2), 38, 7)
    assert numbers(dissect([first, first, second], "tw.seq")) == [1, 2]


def test_payloads_of_a_stream_without_header_are_told_apart(dissect: Dissect) -> None:
    text = payload("b1", 1, 10, 30) + payload("b1", 2, 20, 30) + b"b1:3"
    found = dissect([tcp(1, text, port=FREE)], "tw_raw.type", "tw_raw.size", "tw.seq")
    assert found == [["0,0,0", "30,30,4", "1,2,3"]]


@pytest.mark.parametrize("port", [7, FREE])
@pytest.mark.parametrize(
    "body",
    [
        b"hello",
        b"\x01\x00",
        b"\x01" * 40,
        b"\x01\x00\xff\xff" + b"x" * 40,
        message(1)[:-1],
        message(1) + b"x",
        b"\x03" + message(1)[1:],
        b"\x02\x00\x00\x01" + b"\0" * 5,
    ],
)
def test_a_datagram_of_other_bytes_stays_what_it_was(
    dissect: Dissect, port: int, body: bytes
) -> None:
    assert dissect([udp(body, port=port)], "tw_raw", "tw", "data.len") == [["", "", f"{len(body)}"]]


def test_a_stream_of_other_bytes_stays_what_it_was(dissect: Dissect) -> None:
    bodies = [b"hello", b"\x01" * 40, b"\x01\x00\xff\xff" + b"x" * 40, b"\x02\x00\x00\x01" * 9]
    frames = [tcp(1, body, port=7) for body in bodies]
    for data, body in zip(frames, bodies, strict=True):
        assert dissect([data], "tw_raw", "data.len") == [["", f"{len(body)}"]]


def test_thousands_of_messages_in_one_frame(dissect: Dissect) -> None:
    publish = b"".join(mqtt.publish(mqtt.Message(b"t", b"b1:%d" % n)) for n in range(5000))
    data = b"".join(message(n, 12) for n in range(3000))
    found = dissect([tcp(1, publish), tcp(1, data, port=7)], "tw.seq")
    assert [numbers([row]) for row in found] == [list(range(5000)), list(range(3000))]


def test_no_bytes_make_it_fail(tmp_path: Path) -> None:
    """Flipped and cut frames of every protocol, and random ones, with headers that promise more."""
    source = random.Random(2)
    real = pcapng.read(REAL)
    frames: list[Frame] = []
    for n in range(3000):
        data = bytearray(source.choice(real).data)
        for _ in range(source.randrange(4)):
            data[source.randrange(14, len(data))] = source.randrange(256)
        kept = data[: source.randrange(14, len(data) + 1)] if n % 2 else data
        frames.append(Frame(n, bytes(kept), len(data)))
    for n in range(2000):
        body = message(n, source.randrange(2, 60))[: source.randrange(1, 60)]
        body += source.randbytes(source.randrange(20))
        make = udp if n % 2 else (lambda data, port, at=n: tcp(at, data, port=port))
        frames.append(frame(make(body, port=source.choice([7, FREE]))))
    (tmp_path / "in.pcap").write_bytes(pcap(frames))
    done = subprocess.run(
        [DISSECT, tmp_path / "in.pcap", "-V"], capture_output=True, check=True, errors="replace"
    )
    assert "Lua Error" not in done.stdout + done.stderr
    assert len(re.findall(r"^Frame \d+:", done.stdout, re.M)) == len(frames)
