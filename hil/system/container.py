"""A foreign program in a container: its own root file system, namespaces, limits, no privilege.

    rig - relay - first process of the PID namespace - the program

The relay exists because a new PID namespace holds only later children of the process that makes it.
The first process starts the program as an ordinary process (the kernel ignores most signals to the
first one of a namespace), writes how it ended, and ends itself: then the kernel kills all others of
the namespace, so that nothing remains.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import socket
import stat
import tarfile
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from hil.base.errors import LabError
from hil.system import processes, userns

FOLDER = "device"
# Variables that the package sets, as JSON; the trial's own come before them.
ENVIRONMENT = "etc/thinwire/environment.json"
_USUAL = {
    "PATH": "/device/.venv/bin:/device/node_modules/.bin:/usr/local/bin:/usr/bin:/bin",
    "HOME": "/tmp",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
}
_libc = ctypes.CDLL(None, use_errno=True)
_NEW = 0x00020000 | 0x20000000 | 0x08000000 | 0x04000000  # CLONE_NEW{NS,PID,IPC,UTS}
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REC, _MS_PRIVATE = 2, 4, 8, 0x4000, 1 << 18
_MNT_DETACH = 2
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
_MEMORY_DEVICES = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8)}
_DEVICES = _MEMORY_DEVICES | {"urandom": (1, 9), "tty": (5, 0)}
_TUN = (10, 200)
_LINKS = {"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"}
_PIECE = 1 << 20
_CANNOT_START = 126
_FIRST_S = 3.0
_LAST_LINES, _LAST_BYTES = 3, 500
# Any user may listen on any port and ping, in its own network namespace.
_ALLOWED = {"ip_unprivileged_port_start": "0", "ping_group_range": "0 2147483647"}


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
    """What is run: the program with its arguments, variables, the namespace of its network, and
    whether it may configure that (CAP_NET_ADMIN)."""

    argv: Sequence[str]
    environment: dict[str, str]
    namespace: str
    network_admin: bool = False


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def _mount(kind: str, target: Path, flags: int, data: str = "") -> None:
    target.mkdir(parents=True, exist_ok=True)
    _call("mount", kind.encode(), os.fsencode(target), kind.encode(), flags, data.encode())


def unpack(package: Path, root: Path, owner: int) -> None:
    """Unpack a package (hil/machine/package.py) into `root`. The user's folder belongs to `owner`,
    all else to root.

    Raises:
        LabError: the package is damaged, or a name in it leaves `root`.
    """
    try:
        with tarfile.open(package, "r:") as archive:
            for entry in archive:
                if entry.name.startswith("/") or ".." in entry.name.split("/"):
                    raise LabError(f"{entry.name}: the package names a path outside its root")
                _unpack(archive, entry, root / entry.name)
                if entry.name.split("/")[0] == FOLDER:
                    os.chown(root / entry.name, owner, owner, follow_symlinks=False)
    except (tarfile.TarError, OSError) as error:
        raise LabError(f"the package cannot be unpacked ({error})") from error


def _unpack(archive: tarfile.TarFile, entry: tarfile.TarInfo, target: Path) -> None:
    if entry.isdir():
        target.mkdir(exist_ok=True)
    elif entry.issym():
        target.symlink_to(entry.linkname)
    elif (content := archive.extractfile(entry)) is not None:
        with target.open("wb", buffering=0) as file:
            while piece := content.read(_PIECE):
                file.write(piece)
        target.chmod(entry.mode)


def _furnish(root: Path, network: bool) -> None:
    """Create what every root file system has: devices, and folders that all may write."""
    for name in ("tmp", "run", "var/tmp", "dev/shm"):
        folder = root / name
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o1777)
    (root / "dev").chmod(0o755)
    devices = dict(_DEVICES)
    if network:
        (root / "dev" / "net").mkdir()
        devices["net/tun"] = _TUN
    for name, numbers in devices.items():
        path = root / "dev" / name
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(*numbers))
        path.chmod(0o666)
    for name, tail in _LINKS.items():
        (root / "dev" / name).symlink_to(f"/proc/self/fd{tail}")


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

    @property
    def root(self) -> Path:
        return self.folder / f"{self.name}.root"

    @property
    def output(self) -> Path:
        return self.folder / f"{self.name}.printed" / "out"

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
            unpack(package, self.root, self.uid)
            _furnish(self.root, network)
        except OSError as error:
            raise LabError(f"the container of {self.name} cannot be made ({error})") from error

    def _room(self, target: Path, size: int, mode: int) -> None:
        _mount("tmpfs", target, _MS_NOSUID, f"size={size},mode={mode:o}")
        self._mounted.append(target)

    def start(self, command: Command) -> processes.Child:
        """Start the program."""
        self._stopped = False
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
        _call("unshare", _NEW)
        _call("mount", None, b"/", None, _MS_REC | _MS_PRIVATE, None)
        pid = os.fork()
        if pid == 0:
            try:
                _First(self, command).run()
            except BaseException:  # the process's outermost boundary
                traceback.print_exc()
            finally:
                os._exit(1)
        signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGTERM))
        os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 0xFF)

    def stop(self) -> None:
        """End the program: SIGTERM, and SIGKILL after its grace."""
        if self.child is not None:
            self._stopped = True
            self.child.stop(signal.SIGTERM, self.limits.grace_s + _FIRST_S)

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
            return f"the {self.name} was ended by {ended['signal']}: {self.last_words()}"
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
            _libc.umount2(os.fsencode(self._mounted.pop()), _MNT_DETACH)

    def excess(self) -> str:
        """Return which limit the program has reached, or an empty text."""
        if not self._mounted:
            return ""
        limits = self.limits
        if _full(self.output.parent):
            return f"the {self.name} printed more than {limits.output_mib} MiB"
        if _full(self.root):
            return f"the {self.name} wrote more than {limits.files_mib} MiB into files"
        tasks = Path("/proc/loadavg").read_text(encoding="ascii").split()[3].partition("/")[2]
        if int(tasks) > limits.tasks:
            return f"the {self.name} has {limits.tasks} processes and threads, which is the limit"
        return ""


def _full(folder: Path) -> bool:
    return os.statvfs(folder).f_bavail == 0


class _First:
    """The first process of a container's PID namespace."""

    def __init__(self, container: Container, command: Command) -> None:
        self.container, self.command = container, command
        self._began_ns = time.monotonic_ns()
        self._killed = False
        self._program = 0

    def _note(self, event: str, **more: object) -> None:
        elapsed_us = (time.monotonic_ns() - self._began_ns) // 1000
        fields = {"t": elapsed_us, "nonce": self.container.nonce, "ev": event, **more}
        os.write(self._events, json.dumps(fields, separators=(",", ":")).encode() + b"\n")

    def run(self) -> None:
        """Enter the root file system, start the program, and wait for its end."""
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        self._events = os.open(self.container.events, flags, 0o644)
        output = os.open(self.container.output, flags, 0o644)
        plain = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
        _mount("proc", self.container.root / "proc", plain)
        socket.sethostname(self.container.name)
        os.chroot(self.container.root)
        os.chdir(f"/{FOLDER}")
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
            ended = {"signal": signal.Signals(-code).name}
        self._note("end", **ended, **({"killed": 1} if self._killed else {}))
        os._exit(0)

    def _ask(self, *_: int | FrameType | None) -> None:
        os.kill(self._program, signal.SIGTERM)
        signal.setitimer(signal.ITIMER_REAL, self.container.limits.grace_s)

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
            tasks = self.container.limits.tasks
            resource.setrlimit(resource.RLIMIT_NPROC, (tasks, tasks))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            userns.become(self.container.uid, network_admin=self.command.network_admin)
            _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
            package = json.loads(Path("/", ENVIRONMENT).read_text(encoding="utf-8"))
            argv = list(self.command.argv)
            os.execvpe(argv[0], argv, _USUAL | package | self.command.environment)
        except OSError as error:
            os.write(2, f"{self.command.argv[0]}: {error.strerror}\n".encode())
        finally:
            os._exit(_CANNOT_START)
