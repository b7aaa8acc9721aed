"""Are the board's messages found in a capture, however TCP cut and repeated them?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hil.base.errors import InputError
from hil.bundle.payloads import captured
from hil.bundle.pcapng import Frame
from hil.design import addressing
from hil.peers.mqtt import codec as mqtt
from hil.tests.support.frames import frame, pcap, tcp, udp

STREAM = b"".join(
    mqtt.publish(mqtt.Message(b"tw", b"b1 %d %d ......" % (n, 1000 * n))) for n in range(1, 6)
)


def cut(size: int, base: int = 1000) -> list[bytes]:
    return [tcp(base + at, STREAM[at : at + size]) for at in range(0, len(STREAM), size)]


Found = Callable[[list[Frame]], set[int]]


@pytest.fixture
def found(tmp_path: Path) -> Found:
    """The sequence numbers in frames."""

    def read(frames: list[Frame]) -> set[int]:
        (tmp_path / "in.pcap").write_bytes(pcap(frames))
        return captured(tmp_path / "in.pcap").get(addressing.BOARD_MAC, set())

    return read


def test_datagrams_in_both_forms(found: Found) -> None:
    coap = b"\x50\x02\x00\x01\xff"
    assert found([frame(udp(coap + b"b1 7 12345 ....")), frame(udp(coap + b"b1:12..."))]) == {7, 12}


@pytest.mark.parametrize("size", [1, 2, 7, 11, 24, 40])
def test_a_stream_cut_anywhere(found: Found, size: int) -> None:
    assert found([frame(data) for data in cut(size)]) == {1, 2, 3, 4, 5}


def test_order_and_repetition_do_not_matter(found: Found) -> None:
    pieces = cut(11)
    frames = [frame(pieces[0])] + [frame(data) for data in reversed(pieces[1:])] * 2
    assert found(frames) == {1, 2, 3, 4, 5}


def test_sequence_numbers_that_wrap(found: Found) -> None:
    assert found([frame(data) for data in cut(13, base=2**32 - 20)]) == {1, 2, 3, 4, 5}


def test_a_missing_segment_joins_nothing(found: Found) -> None:
    pieces = cut(len(STREAM) // 5)
    assert {1, 2} <= found([frame(data) for data in pieces[:2] + pieces[3:]]) <= {1, 2, 4, 5}


def test_what_the_server_sends_does_not_count(found: Found) -> None:
    assert found([frame(udp(b"b1 7 12345 ....", from_board=False))]) == set()


def test_what_is_no_capture_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes").write_bytes(bytes(100))
    with pytest.raises(InputError, match="notes: cannot be read: "):
        captured(tmp_path / "notes")
