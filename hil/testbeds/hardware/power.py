"""The power of a board, where its place has a resource that switches it (labgrid's
NetworkPowerPort, USBPowerPort and others): by labgrid's own client, which knows each one's driver.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

from hil.rig.faults import Fault
from hil.testbeds.hardware import places

SWITCHED_S = 60.0  # off, labgrid's pause of 2 s, on; a plug itself may never answer
_PASSWORD = re.compile(r"//[^/@\s]+@")  # of a plug, in its address


def cycle(place: places.Place, why: str) -> None:
    """Switch a board off and on, because of the fault `why`. This process holds the place.

    Raises:
        Fault: plug gone.
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
        told = f"{place.power}: no answer within {SWITCHED_S:g} s"
        raise Fault("plug gone", f"{told} (the board: {why})") from error
    if done.returncode:
        said = (done.stdout + done.stderr).split("\n")
        last = next((line.strip() for line in reversed(said) if line.strip()), "no reason told")
        told = f"{place.power}: {_PASSWORD.sub('//', last)}"
        raise Fault("plug gone", f"{told} (the board: {why})")
