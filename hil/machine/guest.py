"""The first process inside the machine `qemu`: set up, freeze, run one trial, power off.

All expensive work happens before the freeze, once per image instead of once per trial.
"""

from __future__ import annotations

import ctypes
import fcntl
import gc
import mmap
import os
import struct
import subprocess
import sys
import time
import traceback
from importlib import import_module
from pathlib import Path

from hil.base.errors import LabError
from hil.machine import flavours, mailbox
from hil.machine.bootorder import BOOT_ORDER
from hil.peers import CLIENTS, SERVERS
from hil.peers.load import GENERATOR
from hil.rig.boards import BOARDS
from hil.rig.request import TrialRequest
from hil.rig.results import results
from hil.rig.rig import Rig

_libc = ctypes.CDLL(None, use_errno=True)
_SYS_FINIT_MODULE = 313
_RB_POWER_OFF = 0x4321FEDC
_RNDADDENTROPY = 0x40085203  # random(4)
_RNDRESEEDCRNG = 0x5207
_MOUNTS = (
    ("proc", "/proc"),
    ("sysfs", "/sys"),
    ("devtmpfs", "/dev"),
    ("tmpfs", "/dev/shm"),  # named semaphores and shared memory (shm_overview(7))
    ("tmpfs", "/tmp"),
    ("tmpfs", "/run"),
)
_IVSHMEM = ("0x1af4", "0x1110")
_PVPANIC = ("0x1b36", "0x0011")
_PVPANIC_BYTES = 2  # offset within its memory region; firmware maps it at the start of a page
FOLDER = Path("/tmp/trial")


def mount_all() -> None:
    for kind, target in _MOUNTS:
        Path(target).mkdir(exist_ok=True)
        if _libc.mount(kind.encode(), target.encode(), kind.encode(), 0, None) != 0:
            raise OSError(ctypes.get_errno(), f"mount {target}")
    Path("/run/netns").mkdir()


def _load_modules() -> None:
    for name in BOOT_ORDER:
        path = Path("/lib/modules", f"{name}.ko")
        if path.exists():
            with path.open("rb") as file:
                if _libc.syscall(_SYS_FINIT_MODULE, file.fileno(), b"", 0) != 0:
                    raise OSError(ctypes.get_errno(), f"load {path}")


def _pci_device(identity: tuple[str, str]) -> Path:
    """Enable and return the device with this vendor and device number."""
    for device in sorted(Path("/sys/bus/pci/devices").iterdir()):
        numbers = (device / "vendor").read_text(), (device / "device").read_text()
        if (numbers[0].strip(), numbers[1].strip()) == identity:
            (device / "enable").write_text("1")
            return device
    raise LabError(f"the machine has no PCI device {':'.join(identity)}")


def _freeze() -> None:
    """Stop the machine by a store to the pvpanic device, until the host resumes it.

    The machine stops at this very instruction. A stop requested by the host would come at an
    arbitrary time, so that two snapshots of one image would differ.
    """
    with (_pci_device(_PVPANIC) / "resource0").open("r+b") as file:
        region = mmap.mmap(file.fileno(), _PVPANIC_BYTES)
        ctypes.c_uint8.from_buffer(region).value = 1


def _find_mailbox() -> mailbox.Mailbox:
    """Return the mailbox, a device that was added while the machine was frozen."""
    Path("/sys/bus/pci/rescan").write_text("1")
    return mailbox.Mailbox(_pci_device(_IVSHMEM) / "resource2")


def seed_kernel(seed: int) -> None:
    """Seed the kernel's random numbers; the machine has no other entropy."""
    data = struct.pack(">Q", seed) * 8
    pool = struct.pack("ii", 8 * len(data), len(data)) + data  # struct rand_pool_info
    with Path("/dev/urandom").open("wb", buffering=0) as device:
        fcntl.ioctl(device, _RNDADDENTROPY, pool)
        fcntl.ioctl(device, _RNDRESEEDCRNG)


def power_off() -> None:
    sys.stdout.flush()
    _libc.sync()
    _libc.reboot(_RB_POWER_OFF)


def next_full_second() -> None:
    """Wait for a full second of the clock, so that trials begin at the same phase of all timers."""
    time.sleep(1.0 - time.time() % 1.0)


def _run_trial(rig: Rig, box: mailbox.Mailbox) -> None:
    """Run the request in the mailbox, and put the results into it."""
    request = TrialRequest.of(box.take(), FOLDER)
    seed_kernel(request.document["seed"])
    next_full_second()
    report = rig.try_run(request)
    box.put(mailbox.RESULT, results(FOLDER, report))


def prompt() -> None:
    """A shell on the console, with the programs of busybox behind those of the image."""
    Path("/usr/bin").mkdir(parents=True, exist_ok=True)  # no file of the image is there
    subprocess.run(["/bin/busybox", "--install", "-s", "/usr/bin"], check=True)
    print("Servers run in the namespace lab-wired; 'exit' switches the machine off.", flush=True)
    environment = {**os.environ, "PATH": "/bin:/usr/bin", "PS1": "lab:\\w# ", "ENV": "/etc/shell"}
    subprocess.run(
        ["/bin/busybox", "setsid", "-c", "/bin/busybox", "sh"], env=environment, check=False
    )


def main() -> None:
    """Run as process 1."""
    try:
        mount_all()
        _load_modules()
        seed_kernel(0)
        BOARDS.load()
        CLIENTS.load()
        import_module(GENERATOR)
        rig = Rig("lab", FOLDER)
        kind, *request = sys.argv[1:]
        rig.prepare(sorted(name for name in SERVERS if flavours.of(name).name == kind))
        if request == ["shell"]:
            prompt()
            return
        print("ready", time.clock_gettime(time.CLOCK_MONOTONIC), flush=True)
        gc.collect()
        gc.freeze()
        _freeze()
        with _find_mailbox() as box:
            _run_trial(rig, box)
    except Exception:  # the machine's outermost boundary: only the console is left
        traceback.print_exc()
    finally:
        power_off()


if __name__ == "__main__":
    main()
