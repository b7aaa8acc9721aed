"""The kernel that setup/uml built, its command line, and whether it runs here."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hil.base.errors import ToolMissing
from hil.base.paths import ROOT
from hil.machine import closure, machine
from hil.system import scratch

FOLDER = ROOT / "build" / "uml"
_EPOCH_NS = 1577836800 * 10**9  # 2020-01-01, as the machine `qemu` has it
_REMEDY = "run 'make setup', which builds it, or use --machine qemu"
# Without an image the kernel reports that it has nothing to start: so it ran.
_BARE = "mem=64M time-travel=inf-cpu con0=null,fd:1 con=null panic=-1 noreboot"
_RAN = "No working init found"
_TRY_S = 20.0
# ld.so searches for variants of each library for this host's processor. Without this the number of
# its attempts, each a system call, would depend on the processor.
_VARIANTS = ["-POPCNT", "-AVX2", *(f"-AVX512{part}" for part in ("F", "VL", "BW", "CD", "DQ"))]
# Python allocates 256 KiB for each read from a socket and returns all but the message. Allocating
# them on the heap avoids system calls.
_TUNABLES = ":".join(
    (
        f"glibc.cpu.hwcaps={','.join(_VARIANTS)}",
        f"glibc.malloc.mmap_threshold={4 << 20}",
        f"glibc.malloc.trim_threshold={8 << 20}",
        f"glibc.malloc.top_pad={1 << 20}",
    )
)


@dataclass(frozen=True)
class Kernel:
    """A built kernel: the program, its release and SHA-256, addresses that the host reads."""

    program: Path
    release: str
    sha256: str
    symbols: dict[str, int]


def find() -> Kernel:
    """The kernel in build/uml.

    Raises:
        ToolMissing: there is none; with what setup said about it.
    """
    try:
        known = json.loads((FOLDER / "info.json").read_text(encoding="utf-8"))
        program = FOLDER / "linux"
        program.stat()
        symbols = {name: int(address, 16) for name, address in known["symbols"].items()}
        return Kernel(program, known["release"], known["sha256"], symbols)
    except (OSError, ValueError, KeyError, TypeError) as error:
        why = FOLDER / "why"
        said = why.read_text(encoding="utf-8").strip() if why.exists() else "it is not built"
        raise ToolMissing("build/uml/linux", f"the machine 'uml' ({said})", _REMEDY) from error


def mode_words(mode: str = "auto") -> list[str]:
    """Return the option that selects how processes inside are traced: by seccomp (`on`), by ptrace
    (`off`), or by what works. The kernel does not show it in its command line."""
    return [f"seccomp={mode}"]


def words(
    libraries: str, memory_mib: int, arguments: Sequence[str], passing: bool = False
) -> list[str]:
    """Return the kernel's command line. It affects the kernel's random numbers, so it names no
    path of this host. `passing`: use the wall clock, for a user at the console."""
    variables = machine.environment(libraries) | {"GLIBC_TUNABLES": _TUNABLES}
    if passing:
        clock = ["con0=fd:0,fd:1"]
    else:
        clock = ["con0=null,fd:1", "time-travel=inf-cpu", f"time-travel-start={_EPOCH_NS}"]
    return [
        f"mem={memory_mib}M",
        "initrd=image.cpio",
        *clock,
        "con=null",
        "quiet",
        "panic=-1",
        "noreboot",
        "norandmaps",
        f"rdinit=/{closure.PYTHON}",
        *(f"{key}={value}" for key, value in variables.items()),
        "--",
        "-SB",
        "-m",
        "hil.machine.uml.guest",
        *arguments,
    ]


def surroundings(home: Path, memory: Path) -> dict[str, str]:
    """Return the environment of the kernel's process, with the folders for its files and memory."""
    return {"HOME": str(home), "TMPDIR": str(memory), "PATH": os.defpath, "LC_ALL": "C"}


def memory_folder(memory_mib: int) -> Path:
    """Return the first folder with room for a machine's memory that allows execution."""
    folders = [Path("/dev/shm"), Path(tempfile.gettempdir()), Path("/var/tmp")]
    for folder in folders:
        try:
            room = os.statvfs(folder)
        except OSError:
            continue
        enough = room.f_bavail * room.f_frsize >= memory_mib << 20
        if enough and os.access(folder, os.W_OK) and not room.f_flag & os.ST_NOEXEC:
            return folder
    names = ", ".join(map(str, folders))
    raise ToolMissing(
        f"{memory_mib} MiB in {names}",
        "the machine's memory",
        "free some, or set TMPDIR to a folder with room that is not mounted noexec",
    )


@functools.cache
def why_not() -> str:
    """Boot the bare kernel (0.02 s); return why `uml` does not run here, or an empty text."""
    try:
        kernel = find()
        memory = memory_folder(64)
    except ToolMissing as error:
        return str(error)
    with scratch.folder() as home:
        try:
            run = subprocess.run(
                [kernel.program, *mode_words(), *_BARE.split()],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_TRY_S,
                check=False,
                cwd=home,
                env=surroundings(home, memory),
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{kernel.program} does not run here ({error})"
    said = [line.strip() for line in (run.stdout + run.stderr).splitlines() if line.strip()]
    if any(_RAN in line or "Unable to mount root" in line for line in said):
        return ""
    return f"{kernel.program} does not run here ({' | '.join(said[-2:]) or run.returncode})"
