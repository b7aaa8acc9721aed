"""lease_guard PLACE HOLDER: release a place of labgrid when its holder has ended.

It waits for the end of its standard input, whose other end the holder has open. It runs in a
session of its own, so that a signal that ends the holder does not end it.
"""

from __future__ import annotations

import signal
import sys
import time

from hil.base.errors import ThinwireError
from hil.testbeds.hardware.places import give_back, load

TRIES, PAUSE_S = 60, 1.0


def main() -> int:
    place, holder = sys.argv[1:]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    load()
    sys.stdin.buffer.read()
    for _ in range(TRIES):
        try:
            give_back(place, holder)
        except ThinwireError:  # perhaps the coordinator is restarting
            time.sleep(PAUSE_S)
        else:
            return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
