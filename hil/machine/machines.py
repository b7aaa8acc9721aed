"""The machines that a trial can run in, behind one interface, and the choice among them.

`uml` is the faster one; `qemu` runs wherever QEMU does, and is what `uml` is checked against.
"""

from __future__ import annotations

import functools
import hashlib
import json
import sys
from abc import ABC, abstractmethod
from pathlib import Path

from hil.base.errors import InputError
from hil.machine import flavours, image, shell, snapshot
from hil.machine.uml import kernel as uml_kernel
from hil.machine.uml import run as uml_run
from hil.system.progress import Progress

NAMES = ("auto", "uml", "qemu")


class Machine(ABC):
    """Where a rig runs on virtual time."""

    name: str

    @abstractmethod
    def prepare(self, flavour: flavours.Flavour) -> image.Image:
        """Everything that a trial in a machine of this kind needs; made if it is not there."""

    @abstractmethod
    def run(
        self,
        made: image.Image,
        request: dict[str, bytes],
        scratch: Path,
        timeout_s: float,
        progress: Progress,
    ) -> dict[str, bytes]:
        """Carry out an order (`order.json`, `firmware.elf`); the files of its results."""

    @abstractmethod
    def shell(self, made: image.Image) -> int:
        """A prompt inside, on the wall clock, on this terminal; an exit status."""

    @abstractmethod
    def versions(self, made: image.Image) -> dict[str, str]:
        """What decides the result: machine, kernel, a digest over all of it (`image`)."""


class Qemu(Machine):
    """QEMU with counted instructions, from a snapshot."""

    name = "qemu"

    def prepare(self, flavour: flavours.Flavour) -> image.Image:
        made = image.build(flavour)
        snapshot.ensure(made)
        return made

    def run(
        self,
        made: image.Image,
        request: dict[str, bytes],
        scratch: Path,
        timeout_s: float,
        progress: Progress,
    ) -> dict[str, bytes]:
        return snapshot.run(made, request, scratch, timeout_s, progress)

    def shell(self, made: image.Image) -> int:
        return shell.run(made)

    def versions(self, made: image.Image) -> dict[str, str]:
        info = made.info()
        known = {key: str(info[key]) for key in ("kernel", "qemu")}
        named = {"machine": self.name, "image": made.digest, "snapshot": snapshot.ensure(made)}
        return known | named


class Uml(Machine):
    """User-Mode Linux with time travel, booted for each trial.

    `mode` is how its processes are held; what is inside does not depend on it.
    """

    name = "uml"

    def __init__(self, mode: str = "auto") -> None:
        self.mode = mode

    def prepare(self, flavour: flavours.Flavour) -> image.Image:
        uml_kernel.find()
        return image.build(flavour)

    def run(
        self,
        made: image.Image,
        request: dict[str, bytes],
        scratch: Path,
        timeout_s: float,
        progress: Progress,
    ) -> dict[str, bytes]:
        return uml_run.run(made, request, scratch, timeout_s, progress, mode=self.mode)

    def shell(self, made: image.Image) -> int:
        return uml_run.shell(made)

    def versions(self, made: image.Image) -> dict[str, str]:
        kernel = uml_kernel.find()
        words = uml_kernel.words(str(made.info()["libraries"]), made.flavour.memory_mib, ["trial"])
        text = json.dumps([made.archive_sha256(), kernel.sha256, words])
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        return {"machine": self.name, "kernel": kernel.release, "image": digest}


@functools.cache
def choose(wanted: str = "auto") -> Machine:
    """The machine of that name; `auto` is `uml` where it runs, else `qemu`, which is said once.

    Raises:
        InputError: there is none of that name, or it does not run here.
    """
    if wanted not in NAMES:
        raise InputError("machine", wanted, "is no machine", f"choose of {', '.join(NAMES)}")
    if wanted == "qemu":
        return Qemu()
    why = uml_kernel.why_not()
    if not why:
        return Uml()
    if wanted == "uml":
        raise InputError("machine", "uml", why, "choose auto or qemu")
    print(f"thinwire: the slower machine 'qemu' is used, because {why}", file=sys.stderr)
    return Qemu()
