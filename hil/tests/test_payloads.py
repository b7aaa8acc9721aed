"""Are the board's messages found in a capture, however TCP cut and repeated them?"""

from __future__ import annotations

from hil.bundle.payloads import captured
from hil.tests.frames import frame, tcp, udp

STREAM = b"".join(b"\x30\x1e..%sb1 %d %d ......" % (b"tw", n, 1000 * n) for n in range(1, 6))


def cut(size: int, base: int = 1000) -> list[bytes]:
    return [tcp(base + at, STREAM[at : at + size]) for at in range(0, len(STREAM), size)]


def test_datagrams_in_both_forms() -> None:
    frames = [frame(udp(b"\x40\x02b1 7 12345 ....")), frame(udp(b"\x40\x02b1:12..."))]
    assert captured(frames) == {7, 12}


def test_a_stream_cut_anywhere() -> None:
    for size in range(1, 40):
        assert captured([frame(data) for data in cut(size)]) == {1, 2, 3, 4, 5}


def test_order_and_repetition_do_not_matter() -> None:
    pieces = cut(11)
    frames = [frame(pieces[0])] + [frame(data) for data in reversed(pieces[1:])] * 2
    assert captured(frames) == {1, 2, 3, 4, 5}


def test_sequence_numbers_that_wrap() -> None:
    assert captured([frame(data) for data in cut(13, base=2**32 - 20)]) == {1, 2, 3, 4, 5}


def test_a_missing_segment_joins_nothing() -> None:
    pieces = cut(len(STREAM) // 5)
    assert captured([frame(data) for data in pieces[:2] + pieces[3:]]) == {1, 2, 4, 5}


def test_what_the_server_sends_does_not_count() -> None:
    assert captured([frame(udp(b"b1 7 12345 ....", from_board=False))]) == set()
