"""Does a firmware of the user's own find what include/thinwire/device.h promises?

THINWIRE_ELF names the image of probe.c.
"""

from __future__ import annotations

import json
import time
import unittest

from board import NONCE, PATIENCE_S, Board, Line, configuration
from far_end import Datagrams, Stream

WORDS = configuration(topic="tw/data", stat_ms=1000)


def finished(arguments: str, words: str = WORDS) -> tuple[list[str], list[Line]]:
    """The lines of text and the events of a firmware that ends by itself."""
    with Board(f"{words} arguments={arguments}", paced=False) as board:
        return divided(until_end(board))


def until_end(board: Board, peer: Datagrams | Stream | None = None) -> str:
    limit = time.monotonic() + PATIENCE_S
    while time.monotonic() < limit:
        if peer:
            peer.listen()
        if '"ev":"end"' in (text := board.text()) and text.endswith("\n"):
            return text
        time.sleep(0.01)
    raise AssertionError(f"no end; the log is {board.text()}")


def divided(text: str) -> tuple[list[str], list[Line]]:
    lines = text.splitlines()
    events = [json.loads(line) for line in lines if line.startswith('{"t":')]
    return [line for line in lines if not line.startswith('{"t":')], events


class Runtime(unittest.TestCase):
    def test_arguments_trial_text_and_events(self) -> None:
        text, events = finished("say  10.77.0.1:1883 50 ")
        self.assertEqual(text[:2], ["firmware say 10.77.0.1:1883 50", "b1 tw/data 1883 7"])
        self.assertEqual("".join(text[2:]), "x" * 300)
        self.assertEqual([e["ev"] for e in events], ["boot", "up", "note", "stat", "end"])
        self.assertEqual({e["nonce"] for e in events}, {NONCE})
        boot, up, note, stat, end = events
        self.assertEqual(
            (boot["reason"], boot["build"], up["ip"]), ("power_on", "lx106", "10.77.0.2")
        )
        self.assertEqual((note["argc"], note["odd"]), (4, '"\\\n\x1f\u00e4'))
        self.assertEqual(end["status"], 7)
        self.assertGreater(stat["heap_free_min"], 60_000)
        self.assertGreater(stat["stack_free_min"], 2_000)
        self.assertEqual(stat["frames_sent"], 1)  # the gratuitous ARP

    def test_random_numbers_follow_from_the_seed_and_exit_ends_the_run(self) -> None:
        first, events = finished("draw")
        again, _ = finished("draw")
        other, _ = finished("draw", WORDS.replace("seed=7", "seed=8"))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertEqual(events[-1]["status"], 300 & 255)

    def test_delay_and_periodic_memory_marks(self) -> None:
        [text], events = finished("sleep")
        self.assertGreaterEqual(int(text), 2_500_000)
        self.assertLess(int(text), 2_501_000)
        seconds = [event["t"] // 1_000_000 for event in events if event["ev"] == "stat"]
        self.assertEqual(seconds, [1, 2, 2])  # each second, and at the end

    def test_memory(self) -> None:
        [text], _ = finished("allocate")
        refused, used, leaked, failures, marks = map(int, text.split())
        self.assertTrue(10_000 <= used <= 10_016)
        self.assertEqual((refused, leaked, failures, marks), (1, 0, 1, 1))

    def test_a_loop_that_never_waits_is_reset_with_its_place(self) -> None:
        with Board(f"{WORDS} arguments=spin", paced=False) as board:
            crash = board.wait_for_event("crash")
            boot = board.wait_for_event("boot", after=crash)
            lines = board.lines()
        self.assertEqual((lines[crash]["reason"], lines[boot]["reason"]), ("watchdog", "watchdog"))
        self.assertRegex(lines[crash]["pc"], "^402")
        self.assertGreater(len(lines[crash]["stack"]), 4)

    def test_a_long_computation_that_feeds_the_watchdog_goes_on(self) -> None:
        _, events = finished("compute")
        self.assertEqual(events[-1]["status"], 0)

    def test_datagrams(self) -> None:
        with Board(f"{WORDS} arguments=ask") as board:
            peer = Datagrams(board, 0, lambda data: b"answer" if data == b"ask?" else b"")
            _, events = divided(until_end(board, peer))
        self.assertEqual((peer.answered, events[-1]["status"]), (1, 0))

    def test_altcp_and_the_end_of_its_connection_after_the_end_of_main(self) -> None:
        with Board(f"{WORDS} arguments=call") as board:
            peer = Stream(board, 0, lambda data: b"answer" if data == b"ask?" else b"")
            until_end(board, peer)
            limit = time.monotonic() + PATIENCE_S
            while peer.open and time.monotonic() < limit:
                peer.listen()
                time.sleep(0.01)
        self.assertEqual((peer.connections, peer.open), (1, False))

    def test_bad_configuration(self) -> None:
        many = " ".join("a" * 32)
        for words, key in (
            (f"{WORDS} spede=1 arguments=say", "spede"),
            (f"{WORDS} arguments={many}", "arguments"),
        ):
            with Board(words) as board:
                number = board.wait_for_event("config_error")
                self.assertIsNone(board.receive(0.5))
                lines = board.lines()
            self.assertEqual(lines[number]["key"], key)
            self.assertEqual([line["ev"] for line in lines], ["boot", "config_error"])


if __name__ == "__main__":
    unittest.main()
