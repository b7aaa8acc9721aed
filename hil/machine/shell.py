"""`thinwire lab shell`: the machine on this terminal, on the wall clock, with its servers."""

from __future__ import annotations

import subprocess

from hil.base.errors import ToolMissing
from hil.machine import image as images
from hil.machine import machine
from hil.system import retry, scratch

SHELL = "bin/busybox"


def check(image: images.Image) -> None:
    """Raise ToolMissing if the image has no shell."""
    programs = image.info()["programs"]
    if not isinstance(programs, dict) or SHELL not in programs:
        raise ToolMissing("busybox", "a prompt inside the lab", "apt-get install busybox-static")


def run(image: images.Image) -> int:
    """Boot the image with a prompt on the serial console; return QEMU's exit status.

    This machine runs on the wall clock (no `sleep=off`); otherwise years would pass inside while
    the prompt waits.

    Raises:
        ToolMissing: the image has no busybox.
    """
    check(image)
    words = machine.kernel_words(str(image.info()["libraries"]), [image.flavour.name, "shell"])
    with scratch.folder() as folder:
        command = [
            machine.program(), "-M", "q35", "-cpu", "qemu64", "-m", f"{image.flavour.memory_mib}M",
            "-accel", "tcg", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-serial", "mon:stdio", "-kernel", str(image.kernel.absolute()),
            "-initrd", str(image.archive.absolute()),
            "-append", words,
        ]  # fmt: skip
        return subprocess.run(retry.die_with_parent(command), cwd=folder, check=False).returncode
