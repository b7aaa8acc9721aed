"""A QEMU process in a folder of its own, under control, which ends with its block.

It works with any path of this host: QEMU gets its own files by names relative to its folder, the
control connection and bql_shim.so as open file descriptors. (LD_PRELOAD splits at blanks and
colons, and the path of a unix socket has at most 108 bytes.)
"""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hil.base.errors import LabError, TransientHostError
from hil.machine import machine
from hil.machine.qmp import Qmp
from hil.system import retry

CONSOLE, _LOG = "console", "qemu.log"
NO_SPACE = "free some disk and try again"
_IN_EFFECT = b"in effect"  # the message of bql_shim.c
_END_S, _GRACE_S = 30.0, 2.0


def last_lines(path: Path, count: int = 3) -> str:
    """Return the end of a console or log file, in one line."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        return "no output"
    return " | ".join(lines[-count:]) if lines else "no output"


@contextlib.contextmanager
def _explained(process: subprocess.Popen[bytes], folder: Path) -> Iterator[None]:
    try:
        yield
    except LabError as error:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S)
        status = process.returncode
        end = "QEMU is still running" if status is None else f"QEMU has ended with status {status}"
        raise type(error)(
            f"{error} ({end}; its last words: {last_lines(folder / _LOG)}; "
            f"the machine's console: {last_lines(folder / CONSOLE)})"
        ) from error


@dataclass
class Running:
    """A running machine."""

    folder: Path
    process: subprocess.Popen[bytes]
    control: Qmp
    heard: socket.socket

    @contextlib.contextmanager
    def explained(self) -> Iterator[None]:
        """Add the last output of the machine and of QEMU to an error of the block."""
        with _explained(self.process, self.folder):
            yield

    def check_shim(self) -> None:
        """Check that bql_shim.c was in effect. Call it after the machine has run.

        Raises:
            LabError: it was not, so the host's scheduler may have affected the results.
        """
        if self.heard.recv(len(_IN_EFFECT)) != _IN_EFFECT:
            raise LabError(
                "bql_shim.so is not in effect in QEMU, so that nothing it computes can be trusted "
                "(is /proc mounted, and is the lab's folder on a file system without 'noexec'?)"
            )

    def check_end(self) -> None:
        """Wait for the end of the process, and check that the machine powered itself off.

        Raises:
            TransientHostError: the host ended it.
            LabError: QEMU failed.
        """
        try:
            status = self.process.wait(_END_S)
        except subprocess.TimeoutExpired as error:
            raise LabError(f"QEMU does not end within {_END_S:g} s") from error
        self.control.read_out()
        if status == -signal.SIGBUS:
            raise TransientHostError(
                f"no room is left for the memory of QEMU's machine; {NO_SPACE}"
            )
        if status < 0:
            name = signal.Signals(-status).name
            memory = ", perhaps because memory ran out" if status == -signal.SIGKILL else ""
            raise TransientHostError(f"QEMU was killed by {name}{memory}")
        if self.control.shutdown == "host-signal":
            raise TransientHostError("QEMU was ended by a signal")
        if status != 0:
            raise LabError(f"QEMU ended with status {status}")


@contextlib.contextmanager
def running(
    files: machine.Files,
    words: str,
    folder: Path,
    extra: tuple[str, ...] = (),
    keep: tuple[int, ...] = (),
) -> Iterator[Running]:
    """Start a machine in `folder`; `keep` are files it inherits, `extra` more options.

    Raises:
        LabError, TransientHostError: it does not start.
    """
    ours, theirs = socket.socketpair()
    heard, announcing = socket.socketpair()
    with (
        ours,
        heard,
        files.bql_shim.open("rb") as bql_shim,
        (folder / _LOG).open("wb") as log,
    ):
        given = (theirs.fileno(), announcing.fileno(), bql_shim.fileno(), *keep)
        with theirs, announcing:
            process = subprocess.Popen(
                retry.die_with_parent(machine.command(files, words, theirs.fileno(), extra)),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=folder,
                pass_fds=given,
                env=machine.surroundings(bql_shim.fileno(), announcing.fileno()),
            )
        try:
            with _explained(process, folder):
                control = Qmp(ours)
            with control:
                yield Running(folder, process, control, heard)
        finally:
            process.kill()
            process.wait()
