"""The first process inside the machine `uml`: set up, run one trial, power off.

Servers and link are prepared first. Then the trial's folder of the host is mounted, at which point
the machine can be copied (setup/uml/freeze.c). The folder holds the request and receives the
results. Access to its files completes within the system call, so the host's time has no effect.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import traceback
from importlib import import_module
from pathlib import Path

from hil.machine import flavours, guest
from hil.machine.uml import trialfolder
from hil.peers import SERVERS
from hil.rig.boards import BOARDS
from hil.rig.request import TrialRequest
from hil.rig.results import results
from hil.rig.rig import Rig

_libc = ctypes.CDLL(None, use_errno=True)
_HOST = Path("/root/host")
# The working folder of the kernel's process, whatever its name on this host.
_SOURCE = b"/proc/self/cwd"


def _mount_host() -> None:
    _HOST.mkdir(exist_ok=True)
    if _libc.mount(b"none", str(_HOST).encode(), b"hostfs", 0, _SOURCE) != 0:
        raise OSError(ctypes.get_errno(), "mount the trial's folder")


def _run_trial(board: str, link: str, servers: list[str]) -> None:
    """Prepare these, take the request, run it, and write the results."""
    rig = Rig("lab", guest.FOLDER)
    rig.prepare(servers, link)
    import_module(BOARDS.module(board))
    _mount_host()
    request = TrialRequest.of(trialfolder.take_request(_HOST), guest.FOLDER)
    guest.seed_kernel(request.document["seed"])
    guest.next_full_second()
    report = rig.try_run(request)
    trialfolder.put_results(_HOST, results(guest.FOLDER, report))


def main() -> None:
    """Run as process 1."""
    gc.freeze()  # a collection in a forked server would copy all pages with what is loaded here
    try:
        guest.mount_all()
        guest.seed_kernel(0)
        if sys.argv[1] == "shell":
            kind = sys.argv[2]
            names = sorted(name for name in SERVERS if flavours.of(name).name == kind)
            Rig("lab", guest.FOLDER).prepare(names)
            guest.prompt()
        else:
            board, link, servers = sys.argv[2:5]
            _run_trial(board, link, servers.split(","))
    except Exception:  # the machine's outermost boundary: only the console is left
        traceback.print_exc()
    finally:
        os.chdir("/")
        guest.power_off()


if __name__ == "__main__":
    main()
