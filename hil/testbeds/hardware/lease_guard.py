"""keeper PLACE HOLDER: gives a place back when its standard input ends, that is, when whoever holds
the other end has let go or is dead. It has a session of its own, so that what ends its holder
spares it.
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
        except ThinwireError:  # the coordinator is restarting
            time.sleep(PAUSE_S)
        else:
            return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
