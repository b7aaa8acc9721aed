"""The machines that a trial can run in, behind one interface, and the choice between them.

`uml` is faster; `qemu` runs wherever QEMU does, and serves as the reference for `uml`.
"""

from __future__ import annotations

import functools
import hashlib
import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from hil.base.errors import InputError
from hil.machine import flavours, shell, shipped, snapshot
from hil.machine import image as images
from hil.machine import machine as model
from hil.machine.image import Image
from hil.machine.job import Job
from hil.machine.uml import kernel as uml_kernel
from hil.machine.uml import processor
from hil.machine.uml import run as uml_run
from hil.rig.request import PACKAGES

NAMES = ("auto", "uml", "qemu")
# Of the 512 MiB of the machine `qemu`, packages in transfer take twice their size: as the archive
# in the mailbox and as its files. Measured: 140.8 MiB run; with 170.8 MiB a server is killed, since
# memory runs out.
QEMU_PACKAGES_MIB = 140


class Machine(ABC):
    """Runs a rig on virtual time."""

    name: str

    @abstractmethod
    def prepare(self, flavour: flavours.Flavour) -> Image:
        """Build whatever a trial in a machine of this flavour needs and lacks."""

    def check(self, files: Mapping[str, bytes | Path]) -> None:
        """Check the files of a request, before anything is built or started.

        Raises:
            InputError: the machine has no room for them.
        """
        return

    @abstractmethod
    def run(self, image: Image, job: Job) -> dict[str, bytes]:
        """Run a request; return the files of its results, by name."""

    @abstractmethod
    def shell(self, image: Image) -> int:
        """Open a prompt inside, on the wall clock and this terminal; return its exit status."""

    @abstractmethod
    def processor(self) -> str:
        """Return which processor foreign programs see: another text if it may be another one."""

    @abstractmethod
    def versions(self, image: Image) -> dict[str, str]:
        """Return what affects the result: machine, kernel, and a digest over all (`image`)."""


class Qemu(Machine):
    """QEMU with counted instructions, from a snapshot."""

    name = "qemu"

    def prepare(self, flavour: flavours.Flavour) -> Image:
        if shipped.IN_WHEEL:
            raise shipped.refuse(f"the machine 'qemu' with '{flavour.name}'")
        image = images.build(flavour)
        snapshot.ensure(image)
        return image

    def check(self, files: Mapping[str, bytes | Path]) -> None:
        """See the base class."""
        given = [path for name in PACKAGES if isinstance(path := files.get(name), Path)]
        size = sum(path.stat().st_size for path in given)
        if size > QEMU_PACKAGES_MIB << 20:
            largest = max(given, key=lambda path: path.stat().st_size)
            problem = (
                f"packages of {-(-size >> 20)} MiB are too large for the machine 'qemu', which has"
                f" room for {QEMU_PACKAGES_MIB} MiB"
            )
            remedy = "name what the program needs in `files`, or use --machine uml"
            raise InputError(largest, "", problem, remedy)

    def run(self, image: Image, job: Job) -> dict[str, bytes]:
        return snapshot.run(image, job)

    def shell(self, image: Image) -> int:
        return shell.run(image)

    def processor(self) -> str:
        return model.PROCESSOR

    def versions(self, image: Image) -> dict[str, str]:
        info = image.info()
        known = {key: str(info[key]) for key in ("kernel", "qemu")}
        named = {"machine": self.name, "image": image.digest, "snapshot": snapshot.ensure(image)}
        return known | named


class Uml(Machine):
    """User-Mode Linux with time travel, booted for each trial.

    `mode` is how its processes are traced (kernel.mode_words); results do not depend on it.
    """

    name = "uml"

    def __init__(self, mode: str = "auto") -> None:
        self.mode = mode

    def prepare(self, flavour: flavours.Flavour) -> Image:
        uml_kernel.find()
        # Each trial starts its own servers, so the flavour decides only about those of a shell.
        image = images.build(flavour if flavour.more else flavours.COMMON)
        return replace(image, flavour=flavour)

    def run(self, image: Image, job: Job) -> dict[str, bytes]:
        return uml_run.run(image, job, mode=self.mode)

    def shell(self, image: Image) -> int:
        return uml_run.shell(image)

    def processor(self) -> str:
        return processor.seen(uml_kernel.find())

    def versions(self, image: Image) -> dict[str, str]:
        kernel = uml_kernel.find()
        words = uml_kernel.words(
            str(image.info()["libraries"]), image.flavour.memory_mib, ["trial"]
        )
        text = json.dumps([image.archive_sha256(), kernel.sha256, words])
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        return {"machine": self.name, "kernel": kernel.release, "image": digest}


@functools.cache
def choose(wanted: str = "auto") -> Machine:
    """Return the machine of that name; `auto` is `uml` where it runs, else `qemu` with a warning.

    Raises:
        InputError: there is none of that name, or it does not run here.
    """
    if wanted not in NAMES:
        raise InputError("machine", wanted, "is no machine", f"choose one of {', '.join(NAMES)}")
    if wanted == "qemu":
        return Qemu()
    why = uml_kernel.why_not()
    if not why:
        return Uml()
    if shipped.IN_WHEEL:
        raise InputError("machine", "uml", why, "a clone of the project has the machine 'qemu'")
    if wanted == "uml":
        raise InputError("machine", "uml", why, "choose auto or qemu")
    print(f"thinwire: using the slower machine 'qemu', because {why}", file=sys.stderr)
    return Qemu()
