"""The snapshot: the machine booted once, servers up, frozen before its first trial.

Memory lies in a file of its own that every trial maps privately: restoring reads only what is
touched, and parallel trials share it. The rest of the machine's state is a small migration stream.

A snapshot affects every later trial. So it is created twice, side by side, and both must be equal.
Its digest is stored, checked whenever its files have changed, and recorded in each bundle.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import subprocess
import time
from pathlib import Path

from hil.base.errors import LabError, TransientHostError
from hil.machine import image as images
from hil.machine import machine, mailbox, process, stream
from hil.machine.job import Job
from hil.system import retry, scratch

_BOOT_TIMEOUT_S = 900.0
_REPORT_EVERY_S = 2.0
_POLL_S = 0.05
_FROZEN = "guest-panicked"  # what QEMU calls the state after a store to pvpanic
_CAPABILITIES = [{"capability": "x-ignore-shared", "state": True}]
_STATE = "state.vm"
_PAIRS = 3


def _words(image: images.Image) -> str:
    return machine.kernel_words(str(image.info()["libraries"]), [image.flavour.name])


def _files(image: images.Image, memory: Path, box: Path | None = None) -> machine.Files:
    """Return the files of a machine that keeps its memory or, with `box`, uses a private copy."""
    return machine.Files(
        image.kernel.absolute(),
        image.archive.absolute(),
        image.bql_shim,
        memory,
        process.CONSOLE,
        keep_memory=box is None,
        mailbox=box,
        memory_mib=image.flavour.memory_mib,
    )


def _migrate(booted: process.Running) -> None:
    """Write the machine's state, without its memory, to a file."""
    control = booted.control
    control.execute("migrate-set-capabilities", capabilities=_CAPABILITIES)
    control.execute("migrate", uri=f"exec:cat > {_STATE}")
    while (status := control.execute("query-migrate").get("status")) != "completed":
        if status == "failed":
            raise TransientHostError(f"the machine's state cannot be written; {process.NO_SPACE}")
        time.sleep(0.01)
    state = booted.folder / _STATE
    state.write_bytes(stream.canonical(state.read_bytes()))


def _frozen(booted: process.Running, deadline: float) -> bool:
    """Return whether the machine has stopped itself; if so, write its state and end its process."""
    if booted.control.status() != _FROZEN:
        if time.monotonic() > deadline:
            raise LabError(f"the machine is not ready after {_BOOT_TIMEOUT_S:g} s")
        return False
    _migrate(booted)
    booted.control.execute("quit")
    booted.check_end()
    booted.check_shim()
    return True


def _boot(image: images.Image, folders: list[Path]) -> None:
    """Boot a machine in each folder; each then holds memory.ram and state.vm."""
    files = _files(image, Path("memory.ram"))
    with contextlib.ExitStack() as stack:
        waiting = []
        for folder in folders:
            folder.mkdir()
            waiting.append(stack.enter_context(process.running(files, _words(image), folder)))
        deadline = time.monotonic() + _BOOT_TIMEOUT_S
        while waiting:
            for booted in list(waiting):
                with booted.explained():
                    if _frozen(booted, deadline):
                        waiting.remove(booted)
            time.sleep(_POLL_S)


def _digest(memory: Path, state: Path) -> str:
    """Return 16 hex digits over both files of a snapshot."""
    whole = hashlib.sha256()
    for path in (memory, state):
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()[:16]


def _note(image: images.Image, digest: str) -> None:
    """Write snapshot.json, which marks the snapshot as complete."""
    stamps = [images.stamp(path) for path in (image.memory, image.state)]
    aside = image.snapshot.with_suffix(".new")
    aside.write_text(json.dumps({"sha256": digest, "stamps": stamps}), encoding="utf-8")
    aside.rename(image.snapshot)


def another(image: images.Image) -> str:
    """Boot the image once more and discard the result; return the digest of its snapshot."""
    with scratch.folder(".snapshot-", image.folder) as folder:
        _boot(image, [folder / "one"])
        return _digest(folder / "one" / "memory.ram", folder / "one" / _STATE)


def _pair(image: images.Image) -> tuple[str, str]:
    """Boot twice side by side; return both digests. If they are equal, install the snapshot."""
    with scratch.folder(".snapshot-", image.folder) as folder:
        pair = [folder / "one", folder / "two"]
        _boot(image, pair)
        one, two = (_digest(each / "memory.ram", each / _STATE) for each in pair)
        if one == two:
            (pair[0] / "memory.ram").rename(image.memory)
            (pair[0] / _STATE).rename(image.state)
            _note(image, one)
        return one, two


def create(image: images.Image) -> str:
    """Boot the image; write memory.ram, state.vm and snapshot.json beside it; return the digest.

    Raises:
        LabError: the machine does not start (with the end of its console), or its boots differ.
    """
    seen: list[str] = []
    for _ in range(_PAIRS):
        one, two = retry.retry_transient(lambda: _pair(image))
        if one == two:
            return one
        seen += [one, two]
    raise LabError(
        f"{len(seen)} boots of the image {image.digest} gave {len(set(seen))} snapshots "
        f"({', '.join(seen)}): something on this host disturbs the machine, so that no trial here "
        "could be trusted; try again when the host is idle, and report it if that does not help"
    )


def _known(image: images.Image) -> str:
    """Return the digest of the existing snapshot, or an empty text if there is no valid one."""
    try:
        known = json.loads(image.snapshot.read_text(encoding="utf-8"))
        digest = str(known["sha256"])
        if known["stamps"] == [images.stamp(path) for path in (image.memory, image.state)]:
            return digest
        if _digest(image.memory, image.state) != digest:
            return ""
        _note(image, digest)
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return digest


def ensure(image: images.Image) -> str:
    """Create the snapshot if it is missing, in one of several processes; return its digest."""
    if digest := _known(image):
        return digest
    with images.locked("snapshot", image.folder.parent):
        return _known(image) or create(image)


def _wait(restored: process.Running, job: Job) -> None:
    """Let the machine run until its process has ended."""
    deadline = time.monotonic() + job.timeout_s
    began = restored.control.clock_s()
    restored.control.execute("cont")
    while True:
        left = deadline - time.monotonic()
        try:
            restored.process.wait(timeout=max(0.0, min(_REPORT_EVERY_S, left)))
            return
        except subprocess.TimeoutExpired as error:
            if left <= _REPORT_EVERY_S:
                raise LabError(
                    f"the machine is not done after {job.timeout_s:g} s of this host; "
                    "give it more with --timeout"
                ) from error
        with contextlib.suppress(LabError):  # it may have switched off by now
            job.progress(restored.control.clock_s() - began)


def run(image: images.Image, job: Job) -> dict[str, bytes]:
    """Restore the snapshot, send it the request, and return the results once it has powered off.

    Raises:
        TransientHostError: the host ended the machine, or ran out of disk.
        LabError: the machine crashed, took too long, or ran without bql_shim.so.
    """
    files = _files(image, image.memory.absolute(), Path("mailbox"))
    with mailbox.Mailbox.create(job.folder / "mailbox") as box, image.state.open("rb") as state:
        box.put(mailbox.REQUEST, job.files)
        number = state.fileno()
        incoming = ("-incoming", "defer")
        with (
            process.running(files, _words(image), job.folder, incoming, (number,)) as restored,
            restored.explained(),
        ):
            restored.control.execute("migrate-set-capabilities", capabilities=_CAPABILITIES)
            restored.control.execute("migrate-incoming", uri=f"fd:{number}")
            restored.control.wait_until_not("inmigrate", timeout_s=60)
            _wait(restored, job)
            restored.check_end()
            restored.check_shim()
            if box.state() != mailbox.RESULT:
                raise LabError("the machine switched itself off without a result")
        return box.take()
