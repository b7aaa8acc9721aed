"""Does the emulator of the LX106 agree with QEMU, instruction by instruction?

This is a short run; `python -B firmware/boards/lx106/tests/lockstep.py 10000000` is a long one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from hil.base.paths import ROOT
from hil.system import tools

SCRIPT = ROOT / "firmware/boards/lx106/tests/lockstep.py"
PROGRAM = ROOT / "build/sim/lx106/lx106-lockstep"
# Run -> number of instructions, and the evidence that it exercised its case.
RUNS = {
    "mqtt": (250_000, ("interrupts", "sleeps", "frames_in", "frames_out")),
    "tls": (250_000, ("frames_in", "frames_out")),
    "null_store": (150_000, ("exceptions", "resets")),
    "stack": (150_000, ("exceptions", "resets")),
    "instructions": (100_000, ("exceptions",)),
    "instructions2": (100_000, ("exceptions",)),
}


@pytest.mark.parametrize("run", RUNS)
def test_both_come_to_the_same_state_after_each_instruction(run: str) -> None:
    tools.program("qemu-system-xtensa")
    count, happened = RUNS[run]
    found = {
        "THINWIRE_ELF": str(ROOT / "build/firmware/lx106/thinwire.elf"),
        "THINWIRE_LOCKSTEP": str(PROGRAM),
    }
    done = subprocess.run(
        [sys.executable, "-B", SCRIPT, str(count), run],
        env=os.environ | found,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    result = json.loads(done.stdout.split(": ", 1)[1].rsplit(" (", 1)[0])
    assert result["difference"] == ""
    assert result["instructions"] == count
    assert all(result[name] for name in happened), result
