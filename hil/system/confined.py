"""The first process of a container: it enters the container, starts the program, writes its end."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from hil.system import halt, mounts, rootfolder, userns

# Variables that the package sets, as JSON; the trial's own take precedence.
ENVIRONMENT = "etc/thinwire/environment.json"
_USUAL = {
    "PATH": "/device/.venv/bin:/device/node_modules/.bin:/usr/local/bin:/usr/bin:/bin",
    "HOME": "/tmp",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
}
_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
_CANNOT_START = 126


@dataclass(frozen=True)
class Limits:
    """What a foreign program may use.

    Attributes:
        files_mib: for files beyond those of its package.
        output_mib: for what it prints.
        tasks: processes and threads.
        grace_s: from SIGTERM to SIGKILL.
    """

    files_mib: int = 128
    output_mib: int = 16
    tasks: int = 512
    grace_s: float = 2.0


@dataclass(frozen=True)
class Command:
    """What is run: the program with its arguments, variables, the namespace of its network, whether
    it may configure that (CAP_NET_ADMIN), and whether it waits for a debugger before it starts."""

    argv: Sequence[str]
    environment: dict[str, str]
    namespace: str
    network_admin: bool = False
    halted: bool = False


@dataclass(frozen=True)
class Place:
    """What the first process needs of its container (hil/system/container.py)."""

    name: str
    root: Path
    uid: int
    events: Path
    output: Path
    nonce: str
    limits: Limits


class First:
    """The first process of a container's PID namespace. It starts the program as an ordinary
    process, since the kernel ignores most signals to the first one of a namespace."""

    def __init__(self, place: Place, command: Command) -> None:
        self.place, self.command = place, command
        self._began_ns = time.monotonic_ns()
        self._killed = False
        self._program = 0

    def _note(self, event: str, **more: object) -> None:
        elapsed_us = (time.monotonic_ns() - self._began_ns) // 1000
        fields = {"t": elapsed_us, "nonce": self.place.nonce, "ev": event, **more}
        os.write(self._events, json.dumps(fields, separators=(",", ":")).encode() + b"\n")

    def run(self) -> None:
        """Enter the root file system, start the program, and wait for its end."""
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        mode = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        self._events = os.open(self.place.events, mode, 0o644)
        output = os.open(self.place.output, mode, 0o644)
        plain = mounts.NOSUID | mounts.NODEV | mounts.NOEXEC
        mounts.mount("proc", self.place.root / "proc", plain)
        mounts.bind(self.place.root / rootfolder.CPUINFO, self.place.root / "proc" / "cpuinfo")
        socket.sethostname(self.place.name)
        os.chroot(self.place.root)
        os.chdir(f"/{rootfolder.FOLDER}")
        signal.signal(signal.SIGTERM, self._ask)
        signal.signal(signal.SIGALRM, self._kill)
        self._program = os.fork()
        if self._program == 0:
            self._become(output)
        while True:
            pid, status = os.wait()
            if pid == self._program:
                break
        code = os.waitstatus_to_exitcode(status)
        ended: dict[str, object] = {"status": code}
        if code < 0:
            known = {number.value: number.name for number in signal.Signals}
            ended = {"signal": known.get(-code, f"signal {-code}")}  # or a real-time one
        self._note("end", **ended, **({"killed": 1} if self._killed else {}))
        os._exit(0)

    def _ask(self, *_: int | FrameType | None) -> None:
        os.kill(self._program, signal.SIGTERM)
        signal.setitimer(signal.ITIMER_REAL, self.place.limits.grace_s)

    def _kill(self, *_: int | FrameType | None) -> None:
        self._killed = True
        os.kill(-1, signal.SIGKILL)

    def _become(self, output: int) -> None:
        """Become the program; does not return."""
        try:
            for target in (1, 2):
                os.dup2(output, target)
            for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(number, signal.SIG_DFL)
            # If memory runs out, the kernel kills this program and none of the laboratory.
            Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
            tasks = self.place.limits.tasks
            resource.setrlimit(resource.RLIMIT_NPROC, (tasks, tasks))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            userns.become(self.place.uid, network_admin=self.command.network_admin)
            _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
            package = json.loads(Path("/", ENVIRONMENT).read_text(encoding="utf-8"))
            argv = list(self.command.argv)
            if self.command.halted:
                halt.wait()
            os.execvpe(argv[0], argv, _USUAL | package | self.command.environment)
        except (OSError, ValueError) as error:
            said = getattr(error, "strerror", None) or str(error)
            os.write(2, f"{self.command.argv[0]}: {said}\n".encode())
        finally:
            os._exit(_CANNOT_START)
