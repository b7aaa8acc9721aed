"""The power of a board whose place has a resource to switch it (labgrid's NetworkPowerPort,
USBPowerPort and so on). labgrid's own client does it, since it has a driver for each.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

from hil.rig.faults import Fault
from hil.testbeds.hardware import places

SWITCHED_S = 60.0  # off, labgrid's pause of 2 s, on; a plug may never answer
_PASSWORD = re.compile(r"//[^/@\s]+@")  # in the address of a plug


def cycle(place: places.Place, why: str) -> None:
    """Power-cycle a board because of the fault `why`. This process holds the place.

    Raises:
        Fault: `plug gone`.
    """
    host, _, user = places.me().partition("/")
    words = ["-x", places.coordinator(), "-p", place.name, "power", "cycle"]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "labgrid.remote.client", *words],
            env={**os.environ, "LG_HOSTNAME": host, "LG_USERNAME": user},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            check=False, timeout=SWITCHED_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        detail = f"{place.power}: no answer within {SWITCHED_S:g} s (the board: {why})"
        raise Fault("plug gone", detail) from error
    if done.returncode:
        lines = (done.stdout + done.stderr).split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "no reason given")
        detail = f"{place.power}: {_PASSWORD.sub('//', last)} (the board: {why})"
        raise Fault("plug gone", detail)
