"""Tasmota's eight times of TLS on the ESP8266 against BearSSL's instructions on this board.

    times.py [IMAGE]      (default: build/firmware/bearssl/handshakes.elf)

A time is cycles * instructions / clock + wait. Cycles and wait are calibrated on two of the eight,
the shortest and the longest at 80 MHz; the other six are predicted. Published values come from
data/published/tasmota2024.csv. Exit status 0; 2 when something cannot be read or run.
"""

from __future__ import annotations

import csv
import sys
from itertools import combinations
from pathlib import Path

from board import BoardError, Handshake, handshakes
from fit import Timed, calibrate, open_cycles, open_wait, predicted

ROOT = Path(__file__).resolve().parents[3]
PUBLISHED = ROOT / "data/published/tasmota2024.csv"
IMAGE = ROOT / "build/firmware/bearssl/handshakes.elf"

# The image's names of what the rows of the page are.
ROWS = {
    "pinned": "fingerprint",
    "chain": "full CA validation",
    "pinned-own": "EC private key, fingerprint",
    "chain-own": "EC private key, full CA validation",
}
CALIBRATED_ON = (("pinned", 80), ("chain-own", 80))
HALF_S = 0.05  # of the last digit published
NEAR = 0.1


def read_published() -> dict[tuple[str, str, str], float]:
    """By source, row and column."""
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        return {
            (row["source"], row["row"], row["column"]): float(row["value"])
            for row in csv.DictReader(file)
        }


def timed(runs: dict[str, Handshake]) -> list[Timed]:
    published = read_published()
    return [
        Timed(
            name,
            mhz,
            runs[name].instructions / (mhz * 1e6),
            published["Connection Time", row, f"{mhz} MHz"],
        )
        for mhz in (80, 160)
        for name, row in ROWS.items()
    ]


def off(model_s: float, one: Timed) -> float:
    return model_s / one.published - 1


def print_parts(runs: dict[str, Handshake]) -> None:
    print("million instructions     all    RSA  ECDHE  signing   rest   bytes sent, received")
    for name in ROWS:
        run = runs[name]
        rest = run.instructions - sum(run.parts.values())
        cells = [run.instructions, *run.parts.values(), rest]
        print(f"{name:<20}" + "".join(f"{cell / 1e6:8.2f}" for cell in cells), end="")
        print(f"   {run.sent}, {run.received}")


def print_times(all_timed: list[Timed]) -> None:
    first, last = (one for one in all_timed if (one.name, one.mhz) in CALIBRATED_ON)
    model = calibrate(first, last)
    print(f"\ncalibrated on the two marked *: {model.cycles:.2f} cycles an instruction,", end=" ")
    print(f"{model.wait_s:.2f} s beside\n")
    print("                 MHz  published, s  predicted, s   error, %   of calibration rounded, s")
    for one in all_timed:
        low, high = predicted(first, last, one, HALF_S)
        mark = "*" if one in (first, last) else " "
        print(
            f"{one.name:<14}{mark} {one.mhz:>4} {one.published:>13.1f} {model.predict(one):>13.2f} "
            f"{100 * off(model.predict(one), one):>10.1f}   {low:.2f} to {high:.2f}"
        )


def print_all(all_timed: list[Timed]) -> None:
    """What does not depend on the choice of the two."""
    six = held = pairs = 0
    for a, b in combinations(all_timed, 2):
        if a.seconds == b.seconds:
            continue
        model = calibrate(a, b)
        pairs += 1
        six += all(abs(off(model.predict(one), one)) <= NEAR for one in all_timed)
        held += all(abs(model.predict(one) - one.published) <= HALF_S for one in all_timed)
    cycles, wait = open_cycles(all_timed, HALF_S), open_wait(all_timed, HALF_S)
    print(f"\nof {pairs} pairs to calibrate on, {six} predict the other six within 10 %,", end=" ")
    print(f"{held} within the published digit")
    if cycles[0] <= cycles[1]:
        print(f"all eight, as rounded, leave {cycles[0]:.2f} to {cycles[1]:.2f} cycles", end=" ")
        print(f"an instruction and {wait[0]:.2f} to {wait[1]:.2f} s beside")
    else:
        print("no cycles an instruction explain all eight, as rounded")


def print_memory(runs: dict[str, Handshake]) -> None:
    published = read_published()
    print("\nbytes                                 ours   Tasmota's")
    for name in ("pinned", "chain"):
        run = runs[name]
        ours = [run.context, run.buffers, run.decoder]
        names = ["context", "buffers", f"decoder, {ROWS[name]}"]
        theirs = [published["Memory Usage", one, "heap"] for one in names]
        stack = published["Memory Usage", "stack of the handshake", "heap"]
        for label, a, b in (
            *zip(names, ours, theirs, strict=True),
            ("sum", sum(ours), sum(theirs)),
            ("stack: reached, set aside", run.stack, stack),
        ):
            print(f"{name:<8}{label:<28}{a:>6}{b:>12.0f}{100 * (a / b - 1):>8.1f} %")
    print(f"with a key of its own the stack reaches {runs['chain-own'].stack}")


def main() -> int:
    try:
        runs = handshakes(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGE)
        failed = [name for name in ROWS if name not in runs or runs[name].error]
        if failed:
            raise BoardError(f"no complete handshake: {', '.join(failed)}")
        all_timed = timed(runs)
    except (BoardError, OSError, KeyError) as error:
        print(f"thinwire: error: {error}", file=sys.stderr)
        return 2
    print_parts(runs)
    print_times(all_timed)
    print_all(all_timed)
    print_memory(runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
