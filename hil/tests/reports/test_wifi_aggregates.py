"""Does each packet of an aggregated 802.11 frame count (A-MSDU)?

Programs that read the first packet only, or none: libtins #422 and #461. A frame holds several
packets, each with a header of 14 bytes and padding (IEEE 802.11-2020, 9.3.2.2).
"""

import struct

import pytest

from hil.bundle import pcapng
from hil.bundle.pcapng import Frame
from hil.design import addressing
from hil.tests.reports import coap, mqtt
from hil.tests.reports.wire import Wire

SNAP = bytes.fromhex("aaaa03000000")
STATION, POINT = bytes(6 * [2]), bytes(6 * [4])
PLAIN = struct.pack("<BBHI", 0, 0, 8, 0)
FLAGS = struct.pack("<BBHIQB3x", 0, 0, 20, 3, 0, 0x10)  # a time; a frame check sequence follows
FIELDS = {"plain": (PLAIN, b""), "flags": (FLAGS, b"\0\0\0\0"), "air": (b"", b"")}


def aggregate(frames: list[bytes], radio: bytes, check: bytes) -> bytes:
    """The packets of Ethernet frames in one frame to the access point."""
    data = b""
    for frame in frames:
        data += b"\0" * (-len(data) % 4)
        body = SNAP + frame[12:]
        data += frame[:12] + struct.pack(">H", len(body)) + body
    header = b"\x88\x01\0\0" + POINT + STATION + POINT + b"\0\0" + b"\x80\0"
    return radio + header + data + check


def on_the_air(wire: Wire, together: int, form: str = "plain") -> list[Frame]:
    """The wire's frames as 802.11; of those of the device `together` are in one frame."""
    radio, check = FIELDS[form]
    found: list[Frame] = []
    waiting: list[Frame] = []

    def send() -> None:
        if waiting:
            data = aggregate([frame.data for frame in waiting], radio, check)
            found.append(Frame(waiting[-1].time_ns, data, len(data)))
        waiting.clear()

    source = addressing.BOARD_MAC.replace(":", "")
    for frame in wire.frames:
        if frame.data[6:12].hex() != source:
            send()
        waiting.append(frame)
        if frame.data[6:12].hex() != source or len(waiting) == together:
            send()
    send()
    return found


@pytest.fixture
def measure(analyze, tmp_path):
    def run(frames: list[Frame], form: str = "plain"):
        file = tmp_path / "air.pcapng"
        file.write_bytes(pcapng.encode(frames, 105 if form == "air" else pcapng.RADIOTAP))
        return analyze(file)

    return run


@pytest.mark.parametrize("form", FIELDS)
def test_coap_requests_count_severally(measure, form):
    wire = Wire()
    for mid in range(0, 12, 3):
        asked = [coap.request(2, mid + i, payload=b"x" * (8 + i)) for i in range(3)]
        for request in asked:
            wire.up(request, 0.0)
        wire.now_s += 0.03
        for request in asked:
            wire.down(coap.answer(request, coap.CHANGED), 0.0)
        wire.now_s += 1
    frames = on_the_air(wire, 3, form)
    run = measure(frames, form)
    assert (run.status, run.metric("messages"), run.metric("responses")) == (0, 12, 12)
    assert run.metric("response_mean_ms") == pytest.approx(30)
    assert run.metric("ledger_payload_bytes") == 4 * (8 + 9 + 10)
    assert run.metric("captured_bytes") == sum(frame.length for frame in frames)
    assert run.metric("device_loss_pct") == 0
    assert [row["frames"] for row in run.json["findings"]] == [4]


def test_segments_of_a_stream(measure):
    wire = Wire()
    session = mqtt.connect(wire)
    for number in range(1, 11, 2):
        for i in range(2):
            session.segment(True, mqtt.message(number + i), then_s=0.0)
        wire.now_s += 0.02
        session.down(bytes([0x40, 2, 0, number, 0x40, 2, 0, number + 1]))
    session.close()
    run = measure(on_the_air(wire, 2))
    assert (run.metric("messages"), run.n("request_ack_mean_ms")) == (10, 10)
    assert (run.metric("unseen_segments"), run.metric("retransmissions")) == (0, 0)
    assert run.metric("ledger_payload_bytes") == 500
