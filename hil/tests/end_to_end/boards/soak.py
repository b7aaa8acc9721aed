"""soak.py [TRIALS] [SEED]: trials on a farm of four boards without silicon, a third with a fault.

Prints how often each outcome came and whose it was, which trials came out otherwise than their
fault says, the rate of infrastructure failures among trials without a fault (before any
repetition), and what was left behind. Exit status 1 if anything was.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hil.testbeds.hardware import places
from hil.tests.support.farm.farm import Farm, farm
from hil.tests.support.farm.harness import INJECTED_FAULTS, result_of, start

BOARDS, SHARE, MESSAGES = 4, 1 / 3, 20
Seen = tuple[str, dict[str, str], float]


def _work(made: Farm, name: str, faults: list[str]) -> list[Seen]:
    seen = []
    for fault in faults:
        made.fault(name, fault)
        begun = time.monotonic()
        seen.append((fault, result_of(start(made, name, MESSAGES)), time.monotonic() - begun))
    return seen


def _left(made: Farm) -> list[str]:
    """What outlives its trial: leases, processes, namespaces, interfaces, files."""
    run = subprocess.run(
        ["pgrep", "-fa", "hil.tests.support.farm.trial|hil.testbeds.hardware.lease_guard"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    held = [place.name for place in places.every() if place.holder]
    files = [file.name for file in (made.folder / "tmp").iterdir()]
    return run.stdout.splitlines() + held + made.left() + files


def main() -> int:
    trials, seed = (int(word) for word in [*sys.argv[1:], "200", "1"][:2])
    chance = random.Random(seed)
    named = [fault for fault in INJECTED_FAULTS if fault]
    faults = [chance.choice(named) if chance.random() < SHARE else "" for _ in range(trials)]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "tmp").mkdir()
        os.environ["TMPDIR"] = f"{place}/tmp"
        with farm(folder, BOARDS) as made, ThreadPoolExecutor(BOARDS) as pool:
            shares = [faults[number::BOARDS] for number in range(BOARDS)]
            done = [
                each
                for part in pool.map(_work, [made] * BOARDS, made.names, shares)
                for each in part
            ]
            left = _left(made)
    counts = Counter((t["outcome"], t["fault"] or "-", t["owner"] or "-") for _, t, _ in done)
    for (outcome, fault, owner), number in counts.most_common():
        print(f"{number:5}  {outcome:8} {fault:22} {owner}")
    wrong = [
        (fault, t) for fault, t, _ in done if (t["outcome"], t["fault"]) != INJECTED_FAULTS[fault]
    ]
    for fault, each in wrong:
        print(f"not as expected: fault '{fault}': {each}")
    clean = [t for fault, t, _ in done if not fault]
    bad = sum(
        each["owner"] in ("board", "host", "network") or bool(each["repeated"]) for each in clean
    )
    print(f"{len(done)} trials, {len(wrong)} named otherwise than their fault")
    print(f"infrastructure failures without a fault, before any repetition: {bad} of {len(clean)}")
    print(f"left behind: {', '.join(left) or 'nothing'}")
    return int(bool(wrong or left or bad))


if __name__ == "__main__":
    sys.exit(main())
