#!/usr/bin/env python3
r"""Stands in for the host board in firmware/tests/interop, with the LX106 board under QEMU.

    THINWIRE_ELF=... INTEROP_SERVED=10.78.0.2 \
        firmware/tests/interop/interop.py --host .../interop_host.py

Takes the configuration words as arguments, in the device's namespace, and prints the board's log
as it comes. The board sits behind a TAP of that namespace, which forwards for it. Needs root.
Exit status 1: the board crashed or did not end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TAP_ADDRESS, BOARD_ADDRESS, SUBNET = "10.78.0.1", "10.78.0.2", "10.78.0.0/30"
DEVICE_ADDRESS = "10.77.0.1"  # of the namespace, as the peer's namespace sees it
LIMIT_S = 3600
# After its last log line the board's TCP still repeats what was lost on the way.
LINGER_S = 10


def ip(*words: str) -> None:
    """Runs ip(8)."""
    subprocess.run(["ip", *words], check=True)


def set_up_network() -> None:
    """Makes the TAP, and routes between the board and the peer."""
    ip("tuntap", "add", "dev", "board", "mode", "tap")
    ip("addr", "add", f"{TAP_ADDRESS}/30", "dev", "board")
    ip("link", "set", "board", "up")
    Path("/proc/sys/net/ipv4/ip_forward").write_text("1", encoding="ascii")
    # The namespaces carry the number of the process that made them, which started this one.
    ip("-n", f"twi-srv-{os.getppid()}", "route", "add", SUBNET, "via", DEVICE_ADDRESS)


def start_board(words: list[str], log: Path) -> subprocess.Popen[bytes]:
    """Starts QEMU."""
    network = f"ip={BOARD_ADDRESS} mask=255.255.255.252 gw={TAP_ADDRESS}"
    return subprocess.Popen(
        [
            *("setpriv", "--pdeathsig", "KILL"),  # who is done with the device kills this program
            "qemu-system-xtensa",
            *("-M", "lx60-nommu", "-cpu", "lx106", "-m", "4"),
            *("-nodefaults", "-display", "none", "-icount", "shift=4"),
            *("-kernel", os.environ["THINWIRE_ELF"]),
            *("-append", " ".join([*words, network])),
            "-semihosting",
            *("-netdev", "tap,id=tap,ifname=board,script=no,downscript=no"),
            *("-net", "nic,netdev=tap,model=open_eth"),
        ],
        stdout=log.open("ab"),
    )


def main() -> int:
    """Runs the board to its end."""
    set_up_network()
    with tempfile.TemporaryDirectory(prefix="thinwire-board-") as folder:
        log = Path(folder) / "board.log"
        log.touch()
        board = start_board(sys.argv[1:], log)
        events: list[str] = []
        limit = time.monotonic() + LIMIT_S
        with log.open(encoding="ascii") as output:
            rest = ""
            while not {"end", "crash", "config_error"} & set(events):
                if board.poll() is not None or time.monotonic() > limit:
                    break
                time.sleep(0.1)
                *lines, rest = (rest + output.read()).split("\n")
                for line in lines:
                    print(line, flush=True)
                events = [json.loads(line)["ev"] for line in lines]
        if "end" in events:
            time.sleep(LINGER_S)
        board.kill()
        board.wait()
    return 0 if "end" in events else 1


if __name__ == "__main__":
    sys.exit(main())
