"""Does the board refuse a configuration that it cannot read, and name the key?"""

from __future__ import annotations

import unittest

from board import Board, configuration


class Configuration(unittest.TestCase):
    def refuses(self, words: str, key: str) -> None:
        """Expects config_error with the key as the last line, and no network."""
        with Board(words) as board:
            number = board.wait_for_event("config_error")
            silence = board.receive(1.0)
            lines = board.lines()
        self.assertEqual(lines[number]["key"], key)
        self.assertEqual([line["ev"] for line in lines], ["boot", "config_error"])
        self.assertIsNone(silence, "a board without a configuration must not send")

    def test_unknown_key(self) -> None:
        self.refuses(configuration() + " intervall_ms=100", "intervall_ms")

    def test_bad_value(self) -> None:
        self.refuses(configuration(qos=3), "qos")

    def test_unknown_protocol(self) -> None:
        self.refuses(configuration(proto="gopher"), "proto")

    def test_unknown_fault(self) -> None:
        self.refuses(configuration() + " fault=gremlin:5", "fault")


if __name__ == "__main__":
    unittest.main()
