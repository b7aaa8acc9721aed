"""Do tasks, queues, semaphores and event groups do what FreeRTOS says they do?

THINWIRE_ELF names the image of probe.c.
"""

from __future__ import annotations

import json
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "boards" / "lx106" / "tests"))

from board import PATIENCE_S, Board, configuration


def ended(case: str) -> tuple[list[str], dict[str, object]]:
    """The lines that a case printed, and the event that ended it. After a crash the board starts
    again, without its arguments."""
    with Board(f"{configuration(topic='t', stat_ms=0)} arguments={case}", paced=False) as board:
        limit = time.monotonic() + PATIENCE_S
        while time.monotonic() < limit:
            lines = board.text().rpartition("\n")[0].splitlines()
            for number, line in enumerate(lines):
                if '"ev":"end"' in line or '"ev":"crash"' in line:
                    text = [each for each in lines[:number] if not each.startswith('{"t":')]
                    return text, json.loads(line)
            time.sleep(0.01)
        raise AssertionError(f"no end; the log is {board.text()}")


def printed(case: str) -> list[str]:
    text, end = ended(case)
    assert end["ev"] == "end" and end["status"] == 0, end
    return text


class Rtos(unittest.TestCase):
    def test_the_highest_priority_runs_and_equal_ones_take_turns(self) -> None:
        self.assertEqual(
            " ".join(printed("order")),
            "high critical postponed own,4 equal low1 low2 low1 low2 end,1",
        )

    def test_delays_end_with_ticks(self) -> None:
        self.assertEqual(printed("delays"), ["3 0", "5 0", "1"])

    def test_a_queue_keeps_order_and_both_sides_wait(self) -> None:
        self.assertEqual(
            " ".join(printed("queues")),
            "0 7 0 1 sent1 sent2 2,0 sent3 got1 sent4 got2 sent5 got3 got4 got5",
        )

    def test_semaphores_wake_by_priority_and_notifications_count(self) -> None:
        self.assertEqual(printed("semaphores"), ["1 0 1 1 0", "first", "second", "low", "3 2 0"])

    def test_event_groups_wait_for_one_bit_or_for_all(self) -> None:
        self.assertEqual(printed("events"), ["0", "any 4", "set 4", "all d", "set 9, left 8", "0"])

    def test_a_deleted_task_leaves_no_memory_behind(self) -> None:
        self.assertEqual(printed("memory"), ["1", "1 1", "-1", "1"])

    def test_a_full_stack_of_a_task_ends_the_run(self) -> None:
        _, end = ended("overflow")
        self.assertEqual((end["ev"], end["reason"]), ("crash", "stack_overflow"))


if __name__ == "__main__":
    unittest.main()
