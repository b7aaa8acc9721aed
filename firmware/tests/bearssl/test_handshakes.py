"""Are the counted handshakes real ones, and is the fit to published times right?

The image is the file that the environment variable THINWIRE_ELF names.
"""

from __future__ import annotations

import os
import unittest
from pathlib import Path

from board import BoardError, handshakes
from fit import Model, Timed, calibrate, open_cycles, open_wait, predicted

# bearssl_x509.h
BAD_SIGNATURE, NOT_TRUSTED = 52, 62


class Handshakes(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.image = Path(os.environ["THINWIRE_ELF"])
        cls.runs = handshakes(cls.image)

    def test_each_completes_by_the_primitives_that_its_options_ask_for(self) -> None:
        calls = {
            "pinned": {"rsa": 1, "ecdhe": 0, "sign": 0},
            "chain": {"rsa": 2, "ecdhe": 0, "sign": 0},
            "pinned-own": {"rsa": 1, "ecdhe": 2, "sign": 1},
            "chain-own": {"rsa": 3, "ecdhe": 2, "sign": 1},
        }
        self.assertEqual({name: self.runs[name].calls for name in calls}, calls)
        self.assertEqual({self.runs[name].error for name in calls}, {0})

    def test_a_server_that_is_not_the_trusted_one_is_refused(self) -> None:
        self.assertEqual(self.runs["pinned-other"].error, NOT_TRUSTED)
        self.assertEqual(self.runs["chain-other"].error, NOT_TRUSTED)
        self.assertEqual(self.runs["chain-forged"].error, BAD_SIGNATURE)

    def test_the_parts_are_less_than_the_whole(self) -> None:
        for name, run in self.runs.items():
            self.assertLess(sum(run.parts.values()), run.instructions, name)

    def test_a_second_run_counts_the_same(self) -> None:
        self.assertEqual(handshakes(self.image), self.runs)

    def test_what_is_no_image_is_named_with_a_remedy(self) -> None:
        with self.assertRaisesRegex(BoardError, r"/dev/null: .*make handshakes"):
            handshakes(Path("/dev/null"))


class Fit(unittest.TestCase):
    truth = Model(cycles=1.5, wait_s=0.12)
    seconds = (0.09, 0.18, 0.19, 0.36, 0.37, 0.55, 0.74, 1.09)

    def timed(self, digits: int) -> list[Timed]:
        return [
            Timed("x", 80, s, round(self.truth.predict(Timed("", 80, s, 0)), digits))
            for s in self.seconds
        ]

    def test_calibration_finds_what_made_the_times(self) -> None:
        exact = self.timed(9)
        model = calibrate(exact[0], exact[-1])
        self.assertAlmostEqual(model.cycles, self.truth.cycles)
        self.assertAlmostEqual(model.wait_s, self.truth.wait_s)

    def test_what_rounding_leaves_open_is_what_a_search_finds(self) -> None:
        rounded = self.timed(1)
        found = [
            (cycles / 1000, wait / 1000)
            for cycles in range(1000, 2500, 2)
            for wait in range(0, 400, 2)
            if all(
                abs(Model(cycles / 1000, wait / 1000).predict(one) - one.published) <= 0.05
                for one in rounded
            )
        ]
        for exact, searched in (
            (open_cycles(rounded, 0.05), [cycles for cycles, _ in found]),
            (open_wait(rounded, 0.05), [wait for _, wait in found]),
        ):
            self.assertAlmostEqual(exact[0], min(searched), delta=0.01)
            self.assertAlmostEqual(exact[1], max(searched), delta=0.01)

    def test_times_that_no_model_explains_leave_nothing(self) -> None:
        low, high = open_cycles([Timed("a", 80, 0.1, 1.0), Timed("b", 80, 1.0, 0.5)], 0.05)
        self.assertGreater(low, high)

    def test_the_interval_of_a_prediction_holds_it(self) -> None:
        rounded = self.timed(1)
        model = calibrate(rounded[0], rounded[-1])
        for one in rounded:
            low, high = predicted(rounded[0], rounded[-1], one, 0.05)
            self.assertLessEqual(low, model.predict(one) + 1e-9)
            self.assertGreaterEqual(high, model.predict(one) - 1e-9)


if __name__ == "__main__":
    unittest.main()
