"""Make a capture really lose frames: stop its process while more frames arrive than its buffer
holds.
"""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path

from hil.design import addressing
from hil.system import netns, processes

_FRAMES, _BYTES = 6000, 1400  # libpcap's buffer is 2 MiB


def _flood() -> None:
    ends = (addressing.SERVER_MAC + addressing.BOARD_MAC).replace(":", "")
    frame = (bytes.fromhex(ends) + b"\x88\xb5").ljust(_BYTES, b"x")  # IEEE's for experiments
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as line:
        line.bind((addressing.WIRED, 0))
        for _ in range(_FRAMES):
            line.send(frame)


def starve(cell: str) -> None:
    """Make all captures in a cell lose frames at once."""
    pids = map(int, netns.run(["ip", "netns", "pids", cell]).split())
    captures = [pid for pid in pids if Path(f"/proc/{pid}/comm").read_text() == "tcpdump\n"]
    for pid in captures:
        os.kill(pid, signal.SIGSTOP)
    try:
        processes.call(_flood, cell)
    finally:
        for pid in captures:
            os.kill(pid, signal.SIGCONT)
