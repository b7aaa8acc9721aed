"""Does the board speak Ethernet, ARP, ICMP and TCP as configured, and survive what is none?"""

from __future__ import annotations

import random
import struct
import unittest

import frames
from board import BOARD_MAC, Board, configuration

# Enough of each kind to reach every parser; fixed, so that a failure repeats.
FUZZ_SEED = 20260
FUZZ_FRAMES = 3000

MQTT_CONNACK = bytes.fromhex("20020000")
# CON GET /tw/data, message id 1, one-byte token.
COAP_GET = bytes.fromhex("41010001aab274770464617461")


def assert_alive(board: Board, sequence: int) -> None:
    """The board answers a ping. Asked again when a flood filled the receiver, and told again where
    the peer is: mutants may have moved it or pushed it out of the board's ARP table."""
    for _ in range(50):
        board.send(frames.arp(2, BOARD_MAC))
        board.send(frames.ping(sequence))
        for _ in range(64):
            frame = board.receive(0.2)
            if frame is None:
                break
            if frames.is_pong(frame, sequence):
                return
    raise AssertionError(f"no answer to pings; the log is {board.lines()}")


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

    def survives(self, board: Board, seeds: list[bytes]) -> None:
        """Floods the board with mutants of the frames; it must answer pings and not crash."""
        draw = random.Random(FUZZ_SEED)
        for count in range(FUZZ_FRAMES):
            mutant = mutate(draw, draw.choice(seeds))
            board.send(frames.reseal(mutant) if count % 2 else mutant)
            while board.receive(0) is not None:
                pass
            if count % 500 == 499:
                assert_alive(board, count)
        crashes = [line for line in board.lines() if line["ev"] == "crash"]
        self.assertEqual(crashes, [])

    def test_client_survives_malformed_frames(self) -> None:
        with Board(configuration(start_ms=600000)) as board:
            syn = first_syn(board)
            source, target, sequence = struct.unpack_from("!HHI", syn, 34)
            ports, after = (target, source), sequence + 1
            seeds = [
                frames.arp(1),
                frames.arp(2, BOARD_MAC),
                frames.ping(7),
                frames.udp(1000, 1000, b"datagram" * 8),
                frames.tcp(ports, 100, after, frames.SYN | frames.ACK),
                frames.tcp(ports, 101, after, frames.ACK, MQTT_CONNACK),
                frames.tcp(ports, 101, after, frames.ACK, bytes(700)),
                frames.tcp(ports, 101, after, frames.FIN | frames.ACK),
            ]
            self.survives(board, seeds)

    def test_datagram_server_survives_malformed_frames(self) -> None:
        with Board(configuration(proto="coap", port=5683, role="serve")) as board:
            board.wait_for_event("up")
            self.survives(board, [frames.udp(40000, 5683, COAP_GET)])

    def test_stream_server_survives_malformed_frames_and_half_open_connections(self) -> None:
        with Board(configuration(proto="http", port=80, role="serve")) as board:
            board.wait_for_event("up")
            for source in range(20000, 20500):
                board.send(frames.tcp((source, 80), 1, 0, frames.SYN))
            seeds = [
                frames.tcp((20000, 80), 1, 0, frames.SYN),
                frames.tcp((20000, 80), 2, 1, frames.ACK, b"GET /tw/data HTTP/1.1\r\n\r\n"),
                frames.tcp((20000, 80), 2, 1, frames.RST),
            ]
            self.survives(board, seeds)


def mutate(draw: random.Random, frame: bytes) -> bytes:
    """The frame with some bytes changed behind the Ethernet header, cut short or made longer."""
    out = bytearray(frame)
    for _ in range(draw.randint(1, 6)):
        out[draw.randrange(12, len(out))] = draw.choice(
            (0, 1, 0x7F, 0x80, 0xFF, draw.randrange(256))
        )
    kind = draw.randrange(4)
    if kind == 0:
        del out[draw.randrange(14, len(out)) :]
    elif kind == 1:
        out += draw.randbytes(draw.randrange(1, 1514 - len(out)))
    return bytes(out)


if __name__ == "__main__":
    unittest.main()
