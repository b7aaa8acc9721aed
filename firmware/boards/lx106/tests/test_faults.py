"""Does the board report each fatal fault, reset, report the reason, and continue?"""

from __future__ import annotations

import json
import time
import unittest

from board import NONCE, PATIENCE_S, Board, configuration


class Fault(unittest.TestCase):
    """One test per fault. The board commits it 1 s after boot, once."""

    def survives(self, fault: str, reason: str, **members: object) -> None:
        """Expects a crash line, then a boot with the reason, then a run that ends."""
        words = configuration(duration_ms=60000, drain_ms=0)
        with Board(f"{words} fault={fault}:1000", paced=False) as board:
            crash = board.wait_for_event("crash")
            boot = board.wait_for_event("boot", after=crash)
            board.wait_for_event("up", after=boot)
            board.wait_for_event("end", after=boot)
            lines = board.lines()
        self.assertEqual(lines[0]["reason"], "power_on")
        self.assertEqual(lines[crash]["reason"], reason)
        self.assertEqual(lines[crash]["nonce"], NONCE)
        self.assertGreaterEqual(lines[crash]["t"], 1_000_000)
        for key, value in members.items():
            self.assertEqual(lines[crash][key], value)
        self.assertEqual(boot, crash + 1, "nothing may run between the crash and the reset")
        self.assertEqual(lines[boot]["reason"], reason)
        self.assertEqual([line["ev"] for line in lines].count("crash"), 1)

    def test_null_store(self) -> None:
        # EXCCAUSE 29: store prohibited.
        self.survives("null_store", "exception", cause=29, address="00000000")

    def test_unaligned_load(self) -> None:
        # EXCCAUSE 9: unaligned access.
        self.survives("unaligned", "exception", cause=9, address="3ffe8001")

    def test_division_by_zero(self) -> None:
        # EXCCAUSE 0: the illegal instruction in the division helper, as in the chip's ROM.
        self.survives("divide", "exception", cause=0)

    def test_stack_overflow(self) -> None:
        self.survives("stack", "stack_overflow")

    def test_heap_exhaustion(self) -> None:
        # lwIP gives up when its timers find no memory, before the board would.
        self.survives("heap", "heap_exhausted")

    def test_watchdog(self) -> None:
        self.survives("watchdog", "watchdog")

    def test_failed_assertion(self) -> None:
        self.survives("assert", "assert", detail="fault.c")

    def test_a_crash_in_the_middle_of_a_line_is_a_line_of_its_own(self) -> None:
        with Board(configuration(duration_ms=60000) + " fault=half_line:1000") as board:
            limit = time.monotonic() + PATIENCE_S
            while '"ev":"crash"' not in board.text() or board.text()[-1] != "\n":
                self.assertLess(time.monotonic(), limit, board.text())
                time.sleep(0.05)
            lines = board.text().split("\n")
        crash = next(number for number, line in enumerate(lines) if '"ev":"crash"' in line)
        self.assertEqual(json.loads(lines[crash])["reason"], "exception")
        self.assertTrue(lines[crash - 1].endswith('"ev":"half"'), lines[crash - 1])


if __name__ == "__main__":
    unittest.main()
