"""Connect GDB with a foreign program in the machine `uml`, from a virtual time on.

A program inside is a process of this host. While it computes, or GDB has halted it, the machine's
kernel waits for it, and no time passes. The program waits in hil/system/halt.py before it starts;
this module finds it, and starts GDB with program_gdb.py, which does the rest. Without changes by
the user nothing inside notices.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tarfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hil.machine import elf
from hil.machine.uml import attach, kernel, marks
from hil.system import halt

SCRIPT = Path(__file__).with_name("program_gdb.py")
# Where GDB sets breakpoints of its own while it steps, by the names of functions and probes
# (create_longjmp_master_breakpoint and create_exception_master_breakpoint in GDB's breakpoint.c).
# The processor has four in all, so the copies of programs that GDB reads have other names.
_GDB_WATCHES = (b"longjmp\0", b"_Unwind_DebugHook\0", b"libgcc\0unwind\0")
_TRACED = "GDB cannot attach to the program: the machine's kernel traces it on this host"


def _for_gdb(program: bytes) -> bytes:
    """Return an ELF file as GDB is to read it; nothing of other files."""
    if program[: len(elf.MAGIC)] != elf.MAGIC or elf.machine(program[:20]) != elf.X86_64:
        return b""
    for name in _GDB_WATCHES:
        program = program.replace(name, b"~" + name[1:])
    return program


def unpack(package: Path, folder: Path) -> None:
    """Write what GDB needs of a package into a folder: programs, libraries and links. Other files
    are empty, since only their presence counts. Links come last, so that no file is written through
    one."""
    with tarfile.open(package, "r:") as archive:
        entries = [one for one in archive if ".." not in Path(one.name).parts]
        for entry in sorted(entries, key=tarfile.TarInfo.issym):
            target = folder / entry.name.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            if entry.issym():
                with contextlib.suppress(FileExistsError):
                    target.symlink_to(entry.linkname)
            elif content := archive.extractfile(entry):
                target.write_bytes(_for_gdb(content.read()))


@dataclass
class ProgramSession:
    """GDB's session with the program of one trial; the block `beside` is the machine's life.

    Attributes:
        start: starts GDB, given the variables of its environment that program_gdb.py reads.
        package: that of the device.
        halt_ps: when the program halts, since its start.
        folder: for files.
        opened: whether GDB was started.
        killed: False, since the trial goes on after the end of its program.
        problem: why GDB could not be used, or an empty text.
    """

    start: Callable[[dict[str, str]], subprocess.Popen[bytes]]
    package: Path
    halt_ps: int
    folder: Path
    opened: bool = False
    killed: bool = False
    problem: str = ""
    _over: threading.Event = field(default_factory=threading.Event)

    @property
    def _note(self) -> Path:
        return self.folder / "halted"

    @property
    def reached(self) -> bool:
        """Whether the program has executed anything at the time to halt at, or later."""
        return self._note.exists()

    @contextlib.contextmanager
    def beside(self, machine: int) -> Iterator[None]:
        """Start GDB in a thread while the machine, the process `machine`, runs."""
        root = self.folder / "root"
        root.mkdir()
        unpack(self.package, root)
        with attach.served(self._over, lambda: self._serve(machine, root)):
            yield

    def _serve(self, machine: int, root: Path) -> None:
        if (found := attach.find(machine, halt.MAGIC, halt.ALIGNMENT, self._over)) is None:
            return
        pid, released = found[0], found[1] + halt.RELEASED_AT
        failed = self.folder / "failed"
        try:
            if "TracerPid:\t0\n" not in Path(f"/proc/{pid}/status").read_text(encoding="utf-8"):
                self.problem = _TRACED
                return
            given = {
                "kernel": machine,
                "time": kernel.find().symbols["time_travel_time"],
                "waits": pid,
                "released": released,
                "halt_ns": -(-self.halt_ps // 1000),
                "root": str(root),
                "note": str(self._note),
                "failed": str(failed),
            }
            self.opened = True
            self.start(os.environ | {"THINWIRE_DEBUG": json.dumps(given)}).wait()
            if failed.exists():
                said = failed.read_text(encoding="utf-8")
                self.problem = f"GDB cannot attach to the program: {' '.join(said.split())}"
        finally:
            # If GDB could not attach, the trial goes on without it.
            with contextlib.suppress(OSError):
                marks.write(pid, released, halt.RELEASED)
