"""For GDB: a foreign program inside the machine `uml`, from a virtual time on.

`hil/machine/uml/halted.py` starts GDB with this file. The program is a process of this host, which
the machine's kernel drives: each of its system calls and page faults is a signal, after which the
kernel has it go on by the system call rt_sigreturn. GDB passes these signals on.
"""

import contextlib
import json
import os
import pathlib
import struct
import sys

import gdb

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from program_symbols import HIGHEST, PAGE, Symbols, memory, program, quietly, register

GIVEN = json.loads(os.environ["THINWIRE_DEBUG"])
ROOT = pathlib.Path(GIVEN["root"])
EXECVE = 59  # of x86-64
LINKS = 40  # MAXSYMLINKS of Linux

# Threads that libthread_db would find are those of the machine, not of this host. Pages of code
# belong to the machine's page cache, where GDB cannot write; so breakpoints there are the
# processor's, as memory regions without permission to write say.
SETTINGS = f"""
set language c
set confirm off
set pagination off
set debuginfod enabled off
set auto-load libthread-db off
set libthread-db-search-path
set follow-fork-mode child
set breakpoint auto-hw on
set mem inaccessible-by-default off
mem 0 {HIGHEST:#x} ro
set displaced-stepping off
set trust-readonly-sections on
handle all nostop noprint pass
handle SIGTRAP SIGINT stop print nopass
"""


def now_ns():
    """Return the machine's time."""
    return struct.unpack("<Q", memory(GIVEN["kernel"], GIVEN["time"], 8))[0]


class Due(gdb.Function):
    """$thinwire_due(): whether the time to halt at has come."""

    def __init__(self, at_ns):
        super().__init__("thinwire_due")
        self.at_ns = at_ns

    def invoke(self):
        return now_ns() >= self.at_ns


class Time(gdb.Command):
    """Print the virtual time since the program's start."""

    def __init__(self, start_ns):
        super().__init__("thinwire-time", gdb.COMMAND_STATUS)
        self.start_ns = start_ns

    def invoke(self, argument, from_tty):
        print("{}.{:09} s".format(*divmod(now_ns() - self.start_ns, 10**9)))


def on_host(path):
    """Return the copy of a file of the program's root file system; None if there is none."""
    parts, at = list(reversed(pathlib.PurePosixPath("/device", path).parts[1:])), ROOT
    links = 0
    while parts:
        part = parts.pop()
        at = at.parent if part == ".." and at != ROOT else at / part
        if at.is_symlink() and links < LINKS:
            links += 1
            target = pathlib.PurePosixPath(at.readlink())
            at = ROOT if target.is_absolute() else at.parent
            parts += reversed(target.parts[target.is_absolute() :])
    return at if at.is_file() else None


def replaces():
    """Return whether the program, halted at execve, is about to become another one."""
    content, at = b"", register("rdi")
    while b"\0" not in content:
        content += memory(program(), at + len(content), PAGE - (at + len(content)) % PAGE)
    return on_host(os.fsdecode(content.split(b"\0")[0])) is not None


def follow(let_go):
    """Debug the next process that the machine's kernel starts, from its first instruction on;
    `let_go` makes that happen."""
    quietly(f"attach {GIVEN['kernel']}")
    quietly("file")  # GDB sets breakpoints of its own by the symbols of the kernel
    quietly("tcatch exec")
    let_go()
    quietly("continue")
    quietly("file")
    quietly("tcatch syscall rt_sigreturn")
    quietly("continue")
    quietly("stepi")


def release():
    """Let the process that waits go on and become the program (hil/system/halt.py)."""
    with pathlib.Path(f"/proc/{GIVEN['waits']}/mem").open("r+b", buffering=0) as file:
        os.pwrite(file.fileno(), struct.pack("<I", 1), GIVEN["released"])


def let_replace():
    """Let the program become another one, whose process is followed."""
    before = gdb.selected_inferior().num
    free = next(one for one in gdb.inferiors() if not one.pid)
    quietly(f"inferior {free.num}")
    follow(lambda: quietly(f"detach inferior {before}"))


def catch(event, condition):
    """Halt at an event if a condition holds; return the catchpoint's number."""
    quietly(f"catch {event}")
    number = int(gdb.parse_and_eval("$bpnum"))
    quietly(f"condition {number} {condition}")
    return number


def run(symbols):
    """Run the program until it is due; return whether it was."""
    if not gdb.parse_and_eval("$thinwire_due()"):
        due = catch("syscall rt_sigreturn", "$thinwire_due()")
        calls = catch("signal SIGSYS", f"$rax == {EXECVE}")
        quietly("continue")
        while program() and register("rax") == EXECVE:
            if replaces():
                let_replace()
                symbols.add_program()
                if gdb.parse_and_eval("$thinwire_due()"):
                    break
            quietly("continue")
        else:
            if program():
                quietly("stepi")
        quietly(f"delete {due} {calls}")
    return bool(program())


@contextlib.contextmanager
def silence():
    """Show nothing of what GDB reports in a block; errors go elsewhere."""
    gdb.flush()
    output = os.dup(1)
    with pathlib.Path(os.devnull).open("wb") as nothing:
        os.dup2(nothing.fileno(), 1)
    try:
        yield
    finally:
        gdb.flush()
        os.dup2(output, 1)
        os.close(output)


def begin():
    """Halt the program at the time that is given; return whether it executed anything then."""
    start_ns = now_ns()
    Due(start_ns + GIVEN["halt_ns"])
    Time(start_ns)
    symbols = Symbols(ROOT)
    with silence():
        for line in SETTINGS.strip().splitlines():
            quietly(line)
        follow(release)
        symbols.add_program()
        if not run(symbols):
            return False
        symbols.update()
        quietly("set language auto")
    gdb.events.stop.connect(lambda _: symbols.update())
    return True


def main():
    try:
        reached = begin()
    except gdb.error as error:
        pathlib.Path(GIVEN["failed"]).write_text(str(error), encoding="utf-8")
        reached = False
    if not reached:
        gdb.execute("quit")
    pathlib.Path(GIVEN["note"]).touch()
    gdb.execute("frame")


main()
