"""What do datagrams that are too short for CoAP cost libcoap (thinwire-libcoap.elf)?"""

from __future__ import annotations

import time
import unittest

from board import PATIENCE_S, Board, configuration
from far_end import Datagrams

RUNTS = 100
GAP_S = 0.01  # of the wall clock: the receiver has eight buffers


def acknowledge(message: bytes) -> bytes:
    """Return 2.04 with the message ID and the token of a confirmable message."""
    token = message[0] & 15
    return bytes([0x60 | token, 0x44]) + message[2 : 4 + token]


class Libcoap(unittest.TestCase):
    def growth(self, runt: bytes) -> int:
        """Send runts amid acknowledgements; return by how many bytes the used heap has grown."""
        words = configuration(proto="coap", port=5683, topic="t", interval_ms=200, stat_ms=1000)
        with Board(words) as board:
            peer = Datagrams(board, 0, acknowledge)
            before = self.listen(board, peer, 3)
            for _ in range(RUNTS):
                peer.say(runt)
                peer.listen()
                time.sleep(GAP_S)
            after = self.listen(board, peer, before[1] + 3)
        return after[0] - before[0]

    def listen(self, board: Board, peer: Datagrams, stats: int) -> tuple[int, int]:
        """Answer until the log has so many `stat` lines; return the last used heap, and their
        number."""
        limit = time.monotonic() + PATIENCE_S
        while time.monotonic() < limit:
            peer.listen()
            found = [line["heap_used"] for line in board.lines() if line["ev"] == "stat"]
            if len(found) >= stats:
                return found[-1], len(found)
            time.sleep(0.002)
        raise AssertionError(f"the log is {board.lines()}")

    def test_three_bytes_are_never_freed(self) -> None:
        """Its callback returns without freeing the packet (coap_io_lwip.c, coap_recvc)."""
        self.assertGreaterEqual(self.growth(b"\x60\x00\x00"), RUNTS * 80)

    def test_four_bytes_are(self) -> None:
        self.assertLess(self.growth(b"\x60\x00\x00\x00"), 500)


if __name__ == "__main__":
    unittest.main()
