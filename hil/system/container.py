"""A foreign program in a container: its own root file system, namespaces, limits, no privilege.

    rig - relay - first process of the PID namespace - the program

The relay exists because a new PID namespace holds only later children of the process that makes it.
When the program has ended, the first process ends itself. Then the kernel kills all others of the
namespace, so that nothing remains.
"""

from __future__ import annotations

import json
import os
import signal
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hil.base.errors import LabError
from hil.system import mounts, processes, rootfolder
from hil.system.confined import ENVIRONMENT, Command, First, Limits, Place

__all__ = ["ENVIRONMENT", "Command", "Container", "Limits"]

_FIRST_S = 3.0
_LAST_LINES, _LAST_BYTES = 3, 500
# Any user may listen on any port and ping, in its own network namespace.
_ALLOWED = {"ip_unprivileged_port_start": "0", "ping_group_range": "0 2147483647"}


@dataclass
class Container:
    """The container of one program, `name`, with its files below `folder`.

    Attributes:
        uid: its user, who has no other processes.
        events: the file that gets a line for the program's end.
        output: the file with what it prints.
    """

    name: str
    folder: Path
    uid: int
    events: Path
    nonce: str
    limits: Limits = field(default_factory=Limits)
    child: processes.Child | None = None
    _mounted: list[Path] = field(default_factory=list)
    _stopped: bool = False
    _others: int = 0

    @property
    def root(self) -> Path:
        return self.folder / f"{self.name}.root"

    @property
    def output(self) -> Path:
        return self.folder / f"{self.name}.printed" / "out"

    @property
    def _place(self) -> Place:
        return Place(
            self.name, self.root, self.uid, self.events, self.output, self.nonce, self.limits
        )

    def fill(self, package: Path, network: bool = False) -> None:
        """Create the root file system from a package; `network`: with the device of TAPs.

        Raises:
            LabError: it cannot be created.
        """
        size = package.stat().st_size + (self.limits.files_mib << 20)
        try:
            self._room(self.root, size, 0o755)
            self._room(self.output.parent, self.limits.output_mib << 20, 0o700)
            self.output.touch()
            rootfolder.unpack(package, self.root, self.uid)
            rootfolder.furnish(self.root, network)
        except OSError as error:
            raise LabError(f"the container of {self.name} cannot be made ({error})") from error

    def _room(self, target: Path, size: int, mode: int) -> None:
        mounts.mount("tmpfs", target, mounts.NOSUID, f"size={size},mode={mode:o}")
        self._mounted.append(target)

    def start(self, command: Command) -> processes.Child:
        """Start the program."""
        self._stopped = False
        self._others = _tasks()
        self.child = processes.fork(
            self.name,
            lambda: self._relay(command),
            command.namespace,
            self.folder / f"{self.name}.container",
        )
        return self.child

    def _relay(self, command: Command) -> None:
        """Make the namespaces, start their first process, pass SIGTERM to it, wait for its end."""
        for name, value in _ALLOWED.items():
            Path("/proc/sys/net/ipv4", name).write_text(value, encoding="ascii")
        mounts.leave_namespaces()
        pid = os.fork()
        if pid == 0:
            try:
                First(self._place, command).run()
            except BaseException:  # the process's outermost boundary
                traceback.print_exc()
            finally:
                os._exit(1)
        signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGTERM))
        os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 0xFF)

    def stop(self, number: int = signal.SIGTERM) -> None:
        """End the program by a signal, and by SIGKILL after its grace."""
        if self.child is not None:
            self._stopped = True
            self.child.stop(number, self.limits.grace_s + _FIRST_S)

    def ended(self) -> dict[str, Any] | None:
        """Return how the program ended: `status` or `signal`, and `killed` if it ignored SIGTERM;
        None if it runs."""
        if not self.events.exists():
            return None
        for line in self.events.read_text(encoding="utf-8").splitlines():
            if f'"nonce":"{self.nonce}","ev":"end"' in line:
                fields = json.loads(line)
                return {key: fields[key] for key in ("status", "signal", "killed") if key in fields}
        return None

    def forget(self) -> None:
        """Forget how it ended, before it is started again."""
        self.events.unlink(missing_ok=True)
        self.child = None

    def failure(self) -> str:
        """Return why the program ended, unless with status 0; an empty text while it runs."""
        if self.child is None or self._stopped:
            return ""
        ended = self.ended()
        if ended is None:
            if self.child.alive():
                return ""
            return f"the container of {self.name} failed: {self.child.last_words()}"
        if "signal" in ended:
            cause = ended["signal"]
            if cause == "SIGKILL":
                cause += ", perhaps because memory ran out"
            return f"the {self.name} was ended by {cause}: {self.last_words()}"
        if ended["status"]:
            return f"the {self.name} ended with status {ended['status']}: {self.last_words()}"
        return ""

    def last_words(self) -> str:
        """Return the last lines that it printed, in one line of printable characters."""
        with self.output.open("rb") as file:
            file.seek(max(0, self.output.stat().st_size - _LAST_BYTES))
            text = file.read().decode("utf-8", errors="replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        said = " | ".join(lines[-_LAST_LINES:]) or "it printed nothing"
        return "".join(c if c.isprintable() else "\ufffd" for c in said)[-_LAST_BYTES:]

    def close(self) -> None:
        """Remove its file systems, once it has ended."""
        while self._mounted:
            mounts.unmount(self._mounted.pop())

    def excess(self) -> str:
        """Return which limit the program has reached, or an empty text."""
        if not self._mounted:
            return ""
        limits = self.limits
        if _full(self.output.parent):
            return f"the {self.name} printed more than {limits.output_mib} MiB"
        if _full(self.root):
            return f"the {self.name} wrote more than {limits.files_mib} MiB into files"
        if _tasks() - self._others >= limits.tasks:
            return f"the {self.name} has {limits.tasks} processes and threads, which is the limit"
        return ""


def _tasks() -> int:
    """Return the number of processes and threads of the whole system (proc_loadavg(5))."""
    return int(Path("/proc/loadavg").read_text(encoding="ascii").split()[3].partition("/")[2])


def _full(folder: Path) -> bool:
    return os.statvfs(folder).f_bavail == 0
