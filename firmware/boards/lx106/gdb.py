"""For GDB: what it needs for the LX106's firmware. Read it before the firmware:

    gdb-multiarch -ix firmware/boards/lx106/gdb.py build/firmware/lx106/thinwire.elf

Debian's gdb-multiarch has no Xtensa, so this sets an architecture whose debug information has the
same numbers of registers (sim/lx106/src/gdb_registers.hpp): a0 to a15 are r0 to r15. What GDB would
do by that architecture's own rules is replaced here or refused: the disassembly, the value that a
function returns, and calls of the firmware's functions.
"""

import contextlib
import pathlib
import re
import shutil
import subprocess
import tempfile

import gdb

with contextlib.suppress(ImportError):  # before GDB 13
    import gdb.disassembler

ROOT = pathlib.Path(__file__).resolve().parents[3]
OBJDUMP = "xtensa-lx106-elf-objdump"
RETURN_REGISTERS = ("r2", "r3", "r4", "r5")
WORD_BYTES, LONGEST_INSTRUCTION_BYTES = 4, 3
WORDS = re.compile(r"^\s*[0-9a-f]+:\t[0-9a-f]+\s*\t(.*)$", re.MULTILINE)
ADDRESS = re.compile(r"0x[0-9a-f]{8}\b")

SETTINGS = f"""
set architecture powerpc:common
set endian little
set may-call-functions off
set print finish off
directory "{ROOT}"
set substitute-path lwip "{ROOT}/build/src/lwip"
"""


def returned(kind):
    """Return the value of this type that a function has just returned; None if it is in memory."""
    if kind.sizeof > WORD_BYTES * len(RETURN_REGISTERS):
        return None
    values = [int(gdb.parse_and_eval(f"(unsigned)${name}")) for name in RETURN_REGISTERS]
    content = b"".join(value.to_bytes(WORD_BYTES, "little") for value in values)
    return gdb.Value(content[: kind.sizeof], kind)


class Finish(gdb.Command):
    """Execute until the selected function returns, and print the value that it returns."""

    def __init__(self):
        super().__init__("finish", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        frame = gdb.selected_frame()
        if frame.older() is None:
            raise gdb.GdbError("'finish' has no meaning in the outermost frame.")
        function = frame.function()
        print(f"Run till exit from {frame.name() or hex(frame.pc())}")
        place = gdb.FinishBreakpoint(frame, internal=True)
        place.silent = True
        gdb.execute("continue")
        if place.is_valid() and place.hit_count == 0:
            return  # something else has halted it
        gdb.execute("frame")
        kind = function.type.target().strip_typedefs() if function else None
        if kind is not None and kind.code != gdb.TYPE_CODE_VOID:
            value = returned(kind)
            if value is not None:
                gdb.set_convenience_variable("returned", value)
                print(f"Value returned is $returned = {value.format_string()}")


def disassembled(content, address):
    """Return one instruction as text; None without the program that knows them."""
    if shutil.which(OBJDUMP) is None:
        return None
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        run = subprocess.run(
            [OBJDUMP, "-D", "-b", "binary", "-m", "xtensa", f"--adjust-vma={address}", file.name],
            capture_output=True,
            text=True,
            check=False,
        )
    found = WORDS.search(run.stdout)
    return found[1].strip() if found else None


def with_symbol(text):
    """Add the symbol to the address that an instruction names."""

    def named(match):
        where = gdb.execute(f"info symbol {match[0]}", to_string=True)
        name = where.split(" in section")[0].replace(" ", "")
        return match[0] if where.startswith("No symbol") else f"{match[0]} <{name}>"

    return ADDRESS.sub(named, text)


if hasattr(gdb, "disassembler"):

    class Lx106(gdb.disassembler.Disassembler):
        """Lets GDB's commands print LX106 instructions."""

        def __init__(self):
            super().__init__("LX106")

        def __call__(self, info):
            content = bytes(info.read_memory(LONGEST_INSTRUCTION_BYTES, 0))
            length = 2 if 8 <= content[0] & 15 < 14 else 3
            text = disassembled(content[:length], info.address)
            if text is None:
                text = ".byte " + ", ".join(hex(byte) for byte in content[:length])
            return gdb.disassembler.DisassemblerResult(length, with_symbol(text.replace("\t", " ")))

    gdb.disassembler.register_disassembler(Lx106(), "powerpc:common")

for setting in SETTINGS.strip().splitlines():
    gdb.execute(setting, to_string=True)
Finish()
