"""One trial in one machine `uml`: start the kernel, watch it, collect the results."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hil.base.errors import InputError, LabError, TransientHostError
from hil.machine import image as images
from hil.machine import shell as prompt
from hil.machine.job import Job
from hil.machine.symbols import Programs
from hil.machine.uml import cpus, frozen, trialfolder
from hil.machine.uml import kernel as kernels
from hil.machine.uml import spin as spinning
from hil.machine.uml.probe import Probe
from hil.rig.request import PACKAGES, REPORT, prepared
from hil.system import scratch
from hil.system.progress import Progress

_LAST_LINES = 3
# The kernel's last message (arch/um/kernel/trap.c) when there is no room for a page of its memory
# file.
_NO_ROOM = "Bus error - the host /dev/shm or /tmp mount"
_CHECK_S = 1.0
_STEP_MIB = 64
_LAST_BREATH_S, _BRIEFLY_S = 2.0, 0.002
# A machine spins if its time stands still during this number of checks while it uses this much CPU
# time. A foreign program may compute for longer without a system call than this project's do.
_STILL_CHECKS, _STILL_CPU_S, _FOREIGN_CPU_S = 4, 2.0, 5.0


class Spin(LabError):
    """A process inside computes without system calls, so that no time passes."""


def _last_lines(folder: Path) -> str:
    """Return the end of what the machine printed, in one line."""
    try:
        lines = (folder / frozen.CONSOLE).read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        lines = []
    said = [line.strip() for line in lines if line.strip()]
    return " | ".join(said[-_LAST_LINES:]) or "nothing"


_Process = subprocess.Popen[bytes] | frozen.Copy


def _end(process: _Process) -> None:
    """Kill the remaining processes of a machine, and wait until they have ended."""
    deadline = time.monotonic() + _LAST_BREATH_S
    with contextlib.suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            os.killpg(process.pid, signal.SIGKILL)
            if process.poll() is not None:
                time.sleep(_BRIEFLY_S)
    process.wait()


@contextlib.contextmanager
def _running(kind: frozen.Kind, folder: Path, *, boots: bool) -> Iterator[_Process]:
    """Run a machine as a process on one CPU; all its processes end with the block. With `boots` it
    is no copy of another one."""
    with cpus.seat(cpus.most(Path(kind.memory))) as cpu:
        process = (None if boots else frozen.copy(kind, folder, cpu)) or frozen.begin(
            kind, folder, cpu
        )
        try:
            yield process
        finally:
            _end(process)


@dataclass
class _Watch:
    """Checks a machine every second, until its process ends."""

    probe: Probe
    progress: Progress
    began_ns: int | None = None
    last_ns: int | None = None
    still: int = 0
    cpu_s: float = 0.0
    enough_s: float = _STILL_CPU_S

    def check(self) -> None:
        """Report progress; raise Spin if the time stands still while the machine computes."""
        now_ns = self.probe.virtual_ns()
        if now_ns is None:
            return
        if now_ns != self.last_ns:
            self.last_ns, self.still = now_ns, 0
            self.began_ns = now_ns if self.began_ns is None else self.began_ns
            self.progress((now_ns - self.began_ns) // 10**9)
            return
        if self.still == 0:
            self.cpu_s = self.probe.cpu_s()
        self.still += 1
        if self.still >= _STILL_CHECKS and self.probe.cpu_s() - self.cpu_s >= self.enough_s:
            self.still = 0
            raise Spin(
                f"'{self.probe.runs()}' inside the machine computes without a system call: "
                f"time stands still at {now_ns / 1e9:.6f} s"
            )


def _wait(process: _Process, watch: _Watch, deadline: float) -> bool:
    """Wait for the end of the machine's process; return whether it came before the deadline."""
    copy = isinstance(process, frozen.Copy)
    end = os.dup(process.fileno()) if copy else os.pidfd_open(process.pid)
    try:
        while (left := deadline - time.monotonic()) > 0:
            if select.select([end], [], [], min(_CHECK_S, left))[0]:
                return True
            watch.check()
        return False
    finally:
        os.close(end)


def _wait_and_end_spins(
    process: _Process, watch: _Watch, timeout_s: float, packages: list[Path]
) -> str:
    """Wait for the end of the machine's process. End what spins in it, so that the trial ends with
    the files that it has; return who spun and where, or an empty text.

    Raises:
        LabError: the machine is not done in time.
    """
    deadline = time.monotonic() + timeout_s
    reason = ""
    for ending in (*spinning.ENDINGS, None):
        try:
            if _wait(process, watch, deadline):
                return reason
            break
        except Spin as spin:
            pid = spinning.busiest(process.pid)
            if not reason:
                where = spinning.trace(pid, Programs.of(packages)) if pid else []
                reason = str(spin) + (f", at {where[0]}" if where else "")
                reason += f"; on its stack: {', '.join(where[1:])}" if where[1:] else ""
            if pid is None or ending is None:
                return reason
            spinning.end(pid, ending)
    raise LabError(
        f"the machine is not done after {timeout_s:g} s of this host; give it more with --timeout"
    )


def _check_end(status: int, folder: Path, memory: Path) -> None:
    """Raise the error that explains how the process ended."""
    said = _last_lines(folder)
    if status == -signal.SIGBUS or _NO_ROOM in said:
        raise TransientHostError(f"no room is left for the machine's memory in {memory}")
    if status < 0 and -status in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        raise TransientHostError(
            f"the machine was ended from outside by {signal.Signals(-status).name}"
        )
    raise LabError(f"the machine ended with status {status} and without a result; it said: {said}")


def shell(image: images.Image) -> int:
    """Boot the image with a prompt on this terminal, on the wall clock; return the exit status.

    Raises:
        ToolMissing: the image has no busybox.
        InputError: standard input is no terminal, at whose end the machine would wait for ever.
    """
    prompt.check(image)
    if not sys.stdin.isatty():
        problem = "is no terminal, which a prompt needs"
        raise InputError("standard input", "", problem, "run 'thinwire lab shell' in a terminal")
    kernel = kernels.find()
    memory = kernels.memory_folder(image.flavour.memory_mib)
    with scratch.folder() as folder:
        (folder / frozen.IMAGE).symlink_to(image.archive.absolute())
        words = kernels.words(
            str(image.info()["libraries"]),
            image.flavour.memory_mib,
            ["shell", image.flavour.name],
            passing=True,
        )
        return subprocess.run(
            [str(kernel.program.absolute()), *kernels.mode_words(), *words],
            cwd=folder,
            env=kernels.surroundings(folder, memory),
            check=False,
        ).returncode


def _memory_mib(image: images.Image, job: Job) -> int:
    """Return the memory of a machine, in MiB: that of its flavour, or what the trial needs if that
    is more, and room for packages, which are unpacked in memory."""
    packages = [job.files[name] for name in PACKAGES if name in job.files]
    size = sum(len(each) if isinstance(each, bytes) else each.stat().st_size for each in packages)
    steps = -(-size // (_STEP_MIB << 20))
    return max(image.flavour.memory_mib, job.least_mib) + steps * _STEP_MIB


def run(image: images.Image, job: Job, *, mode: str = "auto") -> dict[str, bytes]:
    """Boot the image with a request, and return the results once it has powered off.

    Args:
        mode: how its processes are traced (kernel.mode_words).

    Raises:
        TransientHostError: the host ended the machine, or ran out of room.
        LabError: the machine crashed or took too long.
    """
    kernel = kernels.find()
    packages = [job.folder / name for name in PACKAGES if name in job.files]
    memory_mib = _memory_mib(image, job)
    memory = kernels.memory_folder(memory_mib)
    trialfolder.put_request(job.folder, job.files)
    libraries = str(image.info()["libraries"])
    board, link, servers = prepared(job.files)
    arguments = ["trial", board, link, ",".join(servers)]
    words = (*kernels.mode_words(mode), *kernels.words(libraries, memory_mib, arguments))
    kind = frozen.Kind(
        str(kernel.program.absolute()), words, str(image.archive.absolute()), str(memory)
    )
    with _running(kind, job.folder, boots=job.beside is not None) as process:
        if job.beside:
            spun = ""
            with job.beside(process.pid):
                process.wait()
        else:
            watch = _Watch(Probe(process.pid, kernel.symbols), job.progress)
            watch.enough_s = _FOREIGN_CPU_S if packages else _STILL_CPU_S
            spun = _wait_and_end_spins(process, watch, job.timeout_s, packages)
    results = trialfolder.take_results(job.folder)
    if spun:
        report = json.loads((results or {}).get(REPORT, b"{}"))
        failed = report | {"outcome": "failed", "reason": spun}
        return (results or {}) | {REPORT: json.dumps(failed, sort_keys=True).encode()}
    if results is None or process.returncode != 0:
        _check_end(process.returncode, job.folder, memory)
    assert results is not None
    return results
