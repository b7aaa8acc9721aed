"""The command line of the time-warped machine, the same for booting, restoring and looking inside.

One virtual CPU of a fixed model executes a counted billion instructions per virtual second; when it
is idle its clock jumps to the next timer. Nothing outside has access, so the run depends on the
image, the request in the mailbox and QEMU's version alone; bql_shim.c, preloaded into QEMU, removes
the influence of the host's scheduler. q35 has the HPET that gives high-resolution timers; microvm
has none, and its timers are up to 4 ms late.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hil.base.errors import ToolMissing
from hil.machine import closure, mailbox, pyruntime
from hil.machine.flavours import COMMON
from hil.system import retry, tools

QEMU = "qemu-system-x86_64"
PROCESSOR = "qemu64"
_MAILBOX_SLOT = "0x10"
_EPOCH = "2020-01-01"
_KERNEL_WORDS = (
    "console=ttyS0 quiet panic=-1 random.trust_cpu=off random.trust_bootloader=off nokaslr "
    # A program that has the same addresses in each process is translated once.
    "norandmaps tsc=reliable ipv6.disable=1 mitigations=off "
    # Counted loops against a clock are slow: the calibration of the APIC's timer (the HPET serves
    # instead), and a test whether timers interrupt. Pages that are cleared need no second time.
    "nolapic_timer no_timer_check init_on_alloc=0"
)


@dataclass(frozen=True)
class Files:
    """Files of one machine: kernel, image and bql_shim.so (read), memory, the name of its console.

    Relative ones lie in the folder that QEMU runs in.
    `keep_memory` makes stores to memory stay in its file; else they are private to the process.
    `mailbox` is plugged into a restored machine only: a migration could not carry it.
    """

    kernel: Path
    image: Path
    bql_shim: Path
    memory: Path
    console: str
    keep_memory: bool = False
    mailbox: Path | None = None
    memory_mib: int = COMMON.memory_mib


def environment(libraries: str) -> dict[str, str]:
    """The environment of the first process inside."""
    return {
        "PATH": "/bin",
        "LD_LIBRARY_PATH": libraries,
        "PYTHONHOME": f"/{pyruntime.HOME}",
        "PYTHONPATH": f"/{pyruntime.SITE}",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TC_LIB_DIR": f"/{closure.TC_TABLES}",
        "LC_ALL": "C.UTF-8",
    }


def kernel_words(libraries: str, arguments: Sequence[str] = ()) -> str:
    """The kernel's command line: its own words, the environment, the first process's arguments."""
    variables = " ".join(f"{key}={value}" for key, value in environment(libraries).items())
    python = f"rdinit=/{closure.PYTHON}"
    return f"{_KERNEL_WORDS} {python} {variables} -- -SB -m hil.machine.guest {' '.join(arguments)}"


def program() -> str:
    """The path of QEMU; ToolMissing says how to get it."""
    found = tools.find(QEMU)
    if found is None:
        raise ToolMissing(
            QEMU,
            "the virtual testbed",
            "run 'make' or 'apt-get install qemu-system-x86', or enter 'nix develop'",
        )
    return found


def version() -> str:
    """QEMU's own first line about itself."""
    run = subprocess.run([program(), "--version"], capture_output=True, text=True, check=True)
    return run.stdout.splitlines()[0]


def options(memory_mib: int) -> list[str]:
    """All options that decide what happens inside; part of the image's digest."""
    return [
        "-M", "q35,memory-backend=ram", "-cpu", PROCESSOR, "-smp", "1", "-m", f"{memory_mib}M",
        "-accel", "tcg", "-icount", "shift=0,sleep=off", "-seed", "1",
        "-rtc", f"base={_EPOCH},clock=vm",
        "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
        "-name", "thinwire,debug-threads=on",  # bql_shim.c knows the CPU's thread by its name
        "-action", "panic=pause", "-device", "pvpanic-pci",
    ]  # fmt: skip


def surroundings(bql_shim: int, announcing: int) -> dict[str, str]:
    """The environment of the QEMU process, given the numbers of two open files: bql_shim.so, and
    the one to which it reports that it is in effect."""
    return retry.plain_environment(
        LD_PRELOAD=f"/proc/self/fd/{bql_shim}", THINWIRE_BQL_SHIM=str(announcing)
    )


def _value(path: Path) -> str:
    """A path as the value of a QEMU option: a comma would end it."""
    return str(path).replace(",", ",,")


def command(files: Files, words: str, control: int, extra: Sequence[str] = ()) -> list[str]:
    """The whole command.

    Args:
        files: of this machine.
        words: the kernel's command line.
        control: number of the open socket to which QEMU speaks QMP.
        extra: further QEMU options.
    """
    share = "on" if files.keep_memory else "off"
    memory = f"size={files.memory_mib}M,mem-path={_value(files.memory)},share={share}"
    plugged: list[str] = []
    if files.mailbox:
        path = _value(files.mailbox)
        box = f"memory-backend-file,id=mailbox,size={mailbox.SIZE},mem-path={path},share=on"
        plugged = ["-object", box, "-device", f"ivshmem-plain,memdev=mailbox,addr={_MAILBOX_SLOT}"]
    return [
        program(), "-object", f"memory-backend-file,id=ram,{memory}", *options(files.memory_mib),
        *plugged,
        "-kernel", str(files.kernel), "-initrd", str(files.image), "-append", words,
        "-serial", f"file:{files.console}",
        "-chardev", f"socket,id=control,fd={control}", "-mon", "chardev=control,mode=control",
        *extra,
    ]  # fmt: skip
