"""Does the board speak Ethernet, ARP, ICMP and TCP as configured?"""

from __future__ import annotations

import struct
import unittest

import frames
from board import BOARD_MAC, Board, configuration
from far_end import assert_alive


def first_syn(board: Board) -> bytes:
    """The board's first SYN, after the ARP exchange that it needs."""
    board.receive_until(frames.is_arp_request)
    board.send(frames.arp(2, BOARD_MAC))
    return board.receive_until(frames.is_syn)


class Network(unittest.TestCase):
    def test_answers_arp_and_ping(self) -> None:
        with Board(configuration(start_ms=60000)) as board:
            board.wait_for_event("up")
            board.send(frames.arp(1))
            reply = board.receive_until(frames.is_arp_reply)
            assert_alive(board, 1)
        self.assertEqual(reply[22:28], BOARD_MAC)

    def test_announces_configured_mss_and_four_segments_of_window(self) -> None:
        # 5744 is the largest window; KU Leuven's captures show it beside MSS 1440.
        for mss, window in ((536, 2144), (1440, 5744), (1460, 5744)):
            with self.subTest(mss=mss), Board(configuration(mss=mss)) as board:
                syn = first_syn(board)
                self.assertEqual(frames.tcp_mss(syn), mss)
                self.assertEqual(frames.tcp_window(syn), window)

    def test_seed_decides_ports_and_sequence_numbers(self) -> None:
        def syn_of(seed: int) -> bytes:
            with Board(configuration(seed=seed)) as board:
                return first_syn(board)

        first, again, other = syn_of(1), syn_of(1), syn_of(2)
        self.assertEqual(first[34:36], again[34:36], "the same seed gives the same port")
        self.assertNotEqual(first[34:36], other[34:36], "another seed gives another port")

    def test_refused_connection_is_reported_and_tried_again(self) -> None:
        with Board(configuration()) as board:
            syn = first_syn(board)
            source, target, sequence = struct.unpack_from("!HHI", syn, 34)
            board.send(frames.tcp((target, source), 0, sequence + 1, frames.RST | frames.ACK))
            number = board.wait_for_event("disconnected")
            self.assertEqual(board.lines()[number]["reason"], "reset")
            again = board.receive_until(frames.is_syn)
        self.assertNotEqual(again[34:36], syn[34:36], "a new connection has a new port")

    def test_answers_after_a_reset_with_frames_pending(self) -> None:
        # The Ethernet controller's interrupt line stays high over such a reset (eth.c).
        with Board(configuration(start_ms=600000) + " fault=deaf:200") as board:
            board.wait_for_event("up")
            while not any(line["ev"] == "crash" for line in board.lines()):
                board.send(frames.ping(1))
            board.wait_for_event("up", after=board.wait_for_event("crash"))
            assert_alive(board, 2)

    def test_drops_a_fin_half_the_sequence_space_away(self) -> None:
        with Board(configuration()) as board:
            source, target, sequence = struct.unpack_from("!HHI", first_syn(board), 34)
            ports, after = (target, source), sequence + 1
            board.send(frames.tcp(ports, 100, after, frames.SYN | frames.ACK))
            board.send(frames.tcp(ports, 101 + 2**31, after, frames.FIN | frames.ACK))
            assert_alive(board, 1)
            events = {line["ev"] for line in board.lines()}
        self.assertEqual(events & {"crash", "disconnected"}, set())

    def test_a_server_at_work_closes_after_it_has_acknowledged_the_end(self) -> None:
        both = frames.FIN | frames.ACK
        for processing, flags in ((0, [both]), (5, [frames.ACK, both])):
            words = configuration(proto="http", port=80, role="serve", processing_ms=processing)
            with self.subTest(processing=processing), Board(words) as board:
                board.wait_for_event("up")
                board.send(frames.arp(1))
                board.receive_until(frames.is_arp_reply)
                board.send(frames.tcp((20000, 80), 1, 0, frames.SYN))
                opened = board.receive_until(lambda frame: frame[23] == frames.TCP)
                after = struct.unpack_from("!I", opened, 38)[0] + 1
                board.send(frames.tcp((20000, 80), 2, after, frames.ACK))
                board.send(frames.tcp((20000, 80), 2, after, both))
                answers: list[int] = []
                while not answers or not answers[-1] & frames.FIN:
                    answers.append(board.receive_until(lambda frame: frame[23] == frames.TCP)[47])
                self.assertEqual(answers, flags)


if __name__ == "__main__":
    unittest.main()
