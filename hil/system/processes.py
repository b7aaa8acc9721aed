"""Child processes in network namespaces: programs and forked Python functions, one interface.

A forked server starts faster, because it needs no second start of Python. A program is started
without a fork if this process is the first of a machine: no process outlives that one, so nothing
remains to be done between fork and exec. In the machine `uml` a fork costs some thousand page
faults.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from hil.base.errors import LabError, TrialError
from hil.system import userns

_PR_SET_PDEATHSIG, _PR_SET_TIMERSLACK = 1, 29
_libc = ctypes.CDLL(None, use_errno=True)
# A library to preload into programs whose random numbers must be repeatable inside the machine.
RANDOMNESS = Path(__file__).with_name("randomness.c")
_POLL_S = 0.002
_POLL_SHARE = 0.01  # of the time that a process has been waited for
_LAST_LINES = 3
# Enough for two million lines of a log at the speed of the virtual machine.
_LOG_S = 120.0


def enter_namespace(name: str) -> None:
    """Move this process into the network namespace `name` (ip-netns(8)); do nothing if empty."""
    if not name:
        return
    with Path("/run/netns", name).open("rb") as file:
        userns.enter(file.fileno())


@contextlib.contextmanager
def _visit(name: str) -> Iterator[None]:
    """Move this thread into the network namespace `name` for a block; do nothing if empty."""
    if not name:
        yield
        return
    with Path("/run/netns", name).open("rb") as file, userns.visit(file.fileno()):
        yield


def wake_in_time() -> None:
    """Let this process wake exactly at the end of a sleep; by default Linux adds up to 50 us."""
    _libc.prctl(_PR_SET_TIMERSLACK, 1)


def allow_files(count: int) -> None:
    """Let this process, and those that it starts, have so many files open. Only more than Linux's
    usual 1024 change anything, and root alone may exceed the hard limit.

    Raises:
        LabError: the limit cannot be raised.
    """
    least, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if count <= least:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, max(count, most)))
    except (OSError, ValueError) as error:
        raise LabError(
            f"{count} open files are not allowed here ({error}); see ulimit(1)"
        ) from error


class Child:
    """A started process. `name` is for messages; `output` is the file with what it printed;
    `ends_on` is the signal on which it exits cleanly."""

    def __init__(self, name: str, output: Path, pid: int) -> None:
        self.name, self.output, self.pid = name, output, pid
        self.ends_on = signal.SIGTERM
        self.status: int | None = None
        self._killed = False
        _running[pid] = self

    def _end(self, status: int) -> None:
        self.status = os.waitstatus_to_exitcode(status)
        del _running[self.pid]

    def alive(self) -> bool:
        """False once the process has ended; `status` is then its exit status (negative: signal).

        Raises:
            LabError: something else than this process killed it, so it is no failure of the trial.
        """
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._end(status)
                if self.status == -signal.SIGKILL and not self._killed:
                    raise LabError(f"{self.name} was killed, perhaps because memory ran out")
        return self.status is None

    def send(self, number: int) -> None:
        self._killed |= number == signal.SIGKILL
        if self.alive():
            os.kill(self.pid, number)

    def stop(self, number: int = signal.SIGTERM, timeout_s: float = 5.0) -> int:
        """Send a signal, wait for the end, kill after `timeout_s`; exit status. A process
        that SIGSTOP has paused is continued so that it receives the signal."""
        self.send(number)
        self.send(signal.SIGCONT)
        deadline = time.monotonic() + timeout_s
        while self.alive():
            if time.monotonic() > deadline:
                self.send(signal.SIGKILL)
            time.sleep(_POLL_S)
        return self.status if self.status is not None else 0

    def finish(self, timeout_s: float = _LOG_S) -> None:
        """Send `ends_on` to a process that then writes its log, and wait until it has ended.

        Raises:
            TrialError: it had to be killed, or it failed; its log is incomplete.
        """
        status = self.stop(self.ends_on, timeout_s)
        if status == -signal.SIGKILL:
            raise TrialError(f"{self.name} had not written its log after {timeout_s:g} s")
        if status > 0:
            raise TrialError(f"{self.name} ended with status {status}: {self.last_words()}")

    def wait_to_end(self) -> int:
        """Wait until it ends by itself; return the exit status."""
        if self.status is None:
            self._end(os.waitpid(self.pid, 0)[1])
        assert self.status is not None
        return self.status

    def said(self) -> str:
        """Return what the process has printed so far."""
        return self.output.read_text(encoding="utf-8", errors="replace")

    def wait_for(self, ready: Callable[[], bool], timeout_s: float = 20.0) -> None:
        """Wait until `ready()`; TrialError if the process ends first, or needs too long.

        It asks less often the longer it has waited: to ask may take the machine a millisecond.
        """
        began = time.monotonic()
        while not ready():
            if not self.alive():
                raise TrialError(
                    f"{self.name} ended with status {self.status}: {self.last_words()}"
                )
            waited_s = time.monotonic() - began
            if waited_s > timeout_s:
                raise TrialError(f"{self.name} is not ready after {timeout_s:g} s")
            time.sleep(max(_POLL_S, waited_s * _POLL_SHARE))

    def last_words(self) -> str:
        """Return the last lines it printed, in one line."""
        lines = [line.strip() for line in self.said().splitlines() if line.strip()]
        return " | ".join(lines[-_LAST_LINES:]) if lines else "it printed nothing"


_running: dict[int, Child] = {}


def reap() -> None:
    """Wait for each child that has ended, including orphans that this process has adopted. Do not
    call it in a process whose children are also waited for elsewhere."""
    with contextlib.suppress(ChildProcessError):  # there is no child
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if child := _running.get(ended[0]):
                child._end(ended[1])


def _start(name: str, output: Path, namespace: str, body: Callable[[], None]) -> Child:
    """Fork; in the child enter namespace and session, open the output file, and call `body`, which
    must not return. When this returns, the child is in its namespace, so that its network can be
    inspected."""
    sys.stdout.flush()
    sys.stderr.flush()
    output.write_bytes(b"")
    outside, entering = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid:
        os.close(entering)
        os.read(outside, 1)  # until the child has closed it, or has ended
        os.close(outside)
        return Child(Path(name).name, output, pid)
    status = 1
    try:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it has ended before the call
            os._exit(status)
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # instead of the parent's handler
        file = os.open(output, os.O_WRONLY | os.O_APPEND)
        null = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((null, 0), (file, 1), (file, 2)):
            os.dup2(source, target)
        enter_namespace(namespace)
        os.close(outside)
        os.close(entering)
        body()
        status = 0
    except BaseException:  # the child's outermost boundary: write every error to its output file
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _spawn_unforked(
    argv: Sequence[str], namespace: str, files: Sequence[Path], environment: Mapping[str, str]
) -> int:
    """Start a program with these files as standard input, output and error; return its PID."""
    flags = (os.O_RDONLY, *[os.O_WRONLY | os.O_CREAT | os.O_APPEND] * 2)
    actions = [
        (os.POSIX_SPAWN_OPEN, number, str(file), flags[number], 0o644)
        for number, file in enumerate(files)
    ]
    with _visit(namespace):
        return os.posix_spawnp(
            argv[0], argv, environment,
            file_actions=actions, setsid=True, setsigdef=[signal.SIGTERM],
        )  # fmt: skip


def spawn(
    argv: Sequence[str],
    namespace: str,
    output: Path,
    standard: Path | None = None,
    preload: Path | None = None,
    *,
    given: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> Child:
    """Start a program in a namespace.

    Args:
        output: file for standard error and, without `standard`, for standard output.
        standard: file for standard output.
        preload: library that is loaded first.
        given: file for standard input; else it is empty.
        variables: additions to the environment.
    """
    environment = {**os.environ, **(variables or {})}
    if preload is not None:
        environment["LD_PRELOAD"] = str(preload)
    if os.getpid() == 1:
        output.write_bytes(b"")
        files = (given or Path(os.devnull), standard or output, output)
        pid = _spawn_unforked(argv, namespace, files, environment)
        return Child(Path(argv[0]).name, output, pid)

    def body() -> None:
        if given is not None:
            os.dup2(os.open(given, os.O_RDONLY), 0)
        if standard is not None:
            os.dup2(os.open(standard, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644), 1)
        os.execvpe(argv[0], list(argv), environment)

    return _start(argv[0], output, namespace, body)


def fork(name: str, function: Callable[[], None], namespace: str, output: Path) -> Child:
    """Run a Python function in a child process in a namespace."""
    return _start(name, output, namespace, function)


def call(function: Callable[[], None], namespace: str) -> None:
    """Run a Python function in a namespace, which this thread must be privileged to visit.

    Raises:
        LabError: the function failed; with its message.
    """
    with _visit(namespace):
        try:
            function()
        except Exception as error:
            raise LabError(f"{function.__name__} in {namespace} fails: {error}") from error
