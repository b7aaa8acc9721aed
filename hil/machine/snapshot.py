"""The snapshot: the machine booted once, servers up, frozen before its first trial.

Memory lies in a file of its own that every trial maps privately: restoring reads only what is
touched, and parallel trials share it. The rest of the machine's state is a small migration stream.
"""

from __future__ import annotations

import contextlib
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from hil.errors import TrialError
from hil.machine import image as images
from hil.machine import machine, tray
from hil.machine.qmp import Qmp
from hil.system.progress import Progress

_BOOT_TIMEOUT_S = 900.0
_REPORT_EVERY_S = 30.0
_FROZEN = "guest-panicked"  # what QEMU calls the state after a store to pvpanic
_CAPABILITIES = [{"capability": "x-ignore-shared", "state": True}]
_NO_SPACE = "free some disk and try again"


def _words(image: images.Image) -> str:
    return machine.kernel_words(str(image.info()["libraries"]), [image.flavour.name])


@contextlib.contextmanager
def _running(
    files: machine.Files, words: str, extra: tuple[str, ...] = (), keep: tuple[int, ...] = ()
) -> Iterator[subprocess.Popen[str]]:
    """A QEMU process that is gone when the block is left; `keep` are files it inherits."""
    log = files.control.with_suffix(".log")
    with log.open("w") as output:
        process = subprocess.Popen(
            machine.command(files, words, extra), stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, text=True, cwd=files.control.parent,
            pass_fds=keep, env=machine.surroundings(files),
        )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def last_lines(path: Path, count: int = 3) -> str:
    """The end of a console or log file, in one line."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        return "no output"
    return " | ".join(lines[-count:]) if lines else "no output"


@contextlib.contextmanager
def _explained(image: images.Image, files: machine.Files) -> Iterator[None]:
    """Add the last words of the machine and of QEMU to an error."""
    try:
        yield
    except TrialError as error:
        raise TrialError(
            f"the machine {image.digest}: {error}; its console: {last_lines(files.console)}; "
            f"QEMU: {last_lines(files.control.with_suffix('.log'))}"
        ) from error


def _migrate(control: Qmp, target: Path) -> None:
    """Write the machine's state, without its memory, to a file."""
    control.execute("migrate-set-capabilities", capabilities=_CAPABILITIES)
    control.execute("migrate", uri=f"exec:cat > {shlex.quote(str(target))}")
    while (status := control.execute("query-migrate").get("status")) != "completed":
        if status == "failed":
            raise TrialError(f"the machine's state cannot be written to {target}; {_NO_SPACE}")
        time.sleep(0.01)


def create(image: images.Image) -> None:
    """Boot the image and leave memory.ram and state.vm in its folder.

    Raises:
        TrialError: the machine does not come up; with the end of its console.
    """
    with tempfile.TemporaryDirectory(prefix=".snapshot-", dir=image.folder) as scratch:
        folder = Path(scratch)
        files = machine.Files(
            image.kernel, image.archive, image.turns, folder / "memory.ram", folder / "console",
            folder / "control", keep_memory=True, memory_mib=image.flavour.memory_mib,
        )  # fmt: skip
        with (
            _explained(image, files),
            _running(files, _words(image)) as process,
            Qmp(files.control) as control,
        ):
            deadline = time.monotonic() + _BOOT_TIMEOUT_S
            while control.status() != _FROZEN:
                if time.monotonic() > deadline:
                    raise TrialError(f"it is not ready after {_BOOT_TIMEOUT_S:g} s")
                time.sleep(0.02)
            _migrate(control, folder / "state.vm")
            control.execute("quit")
            process.wait(timeout=30)
        files.memory.rename(image.memory)
        (folder / "state.vm").rename(image.state)


def ensure(image: images.Image) -> None:
    """Make the snapshot unless it is there; of several processes one makes it."""
    if image.state.exists():
        return
    with images.locked("snapshot"):
        if not image.state.exists():
            create(image)


def _wait(
    process: subprocess.Popen[str], control: Qmp, timeout_s: float, progress: Progress
) -> int:
    """Let the machine run; its status once it has switched off."""
    deadline = time.monotonic() + timeout_s
    began = control.clock_s()
    control.execute("cont")
    while True:
        left = deadline - time.monotonic()
        try:
            return process.wait(timeout=max(0.0, min(_REPORT_EVERY_S, left)))
        except subprocess.TimeoutExpired as error:
            if left <= _REPORT_EVERY_S:
                raise TrialError(f"it is not done after {timeout_s:g} s") from error
        with contextlib.suppress(TrialError):  # it may have switched off by now
            progress(control.clock_s() - began)


def run(
    image: images.Image, order: dict[str, bytes], scratch: Path, timeout_s: float,
    progress: Progress,
) -> dict[str, bytes]:  # fmt: skip
    """Restore the snapshot, give it an order, and return the results once it has switched off.

    Args:
        order: files for the tray.
        scratch: a folder for this run's own files.
        timeout_s: wall time after which the machine is given up.
        progress: is told the virtual seconds gone, every half minute.

    Raises:
        TrialError: the machine crashed, ran out of disk, or took too long.
    """
    files = machine.Files(
        image.kernel, image.archive, image.turns, image.memory, scratch / "console",
        scratch / "control", tray=scratch / "tray", memory_mib=image.flavour.memory_mib,
    )  # fmt: skip
    assert files.tray
    incoming = ("-incoming", "defer")
    with (
        tray.Tray.create(files.tray) as box,
        image.state.open("rb") as state,
        _explained(image, files),
    ):
        box.put(tray.ORDER, order)
        number = state.fileno()
        with (
            _running(files, _words(image), incoming, (number,)) as process,
            Qmp(files.control) as control,
        ):
            control.execute("migrate-set-capabilities", capabilities=_CAPABILITIES)
            control.execute("migrate-incoming", uri=f"fd:{number}")
            control.wait_until_not("inmigrate", timeout_s=60)
            status = _wait(process, control, timeout_s, progress)
        if status == -signal.SIGBUS:
            raise TrialError(f"no room is left for its results in {scratch.parent}; {_NO_SPACE}")
        if status != 0 or box.state() != tray.RESULT:
            raise TrialError(f"it ended with status {status} and without a result")
        return box.take()
