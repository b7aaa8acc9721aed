"""For GDB: where a foreign program has loaded the files of its package, and their symbols.

The host does not see which file the machine has mapped at an address. So a page of code is found by
its contents, and the program itself by what the kernel has put on its first stack.
"""

import contextlib
import hashlib
import os
import pathlib
import struct

import gdb

PAGE = 4096
AT_PHDR, AT_PHNUM, AT_ENTRY = 3, 5, 9  # getauxval(3)
PT_LOAD, PF_X = 1, 1  # elf(5)
HIGHEST = 0x7FFF_FFFF_F000  # of a program's addresses


def quietly(command):
    """Execute a command of GDB; return what it says."""
    return gdb.execute(command, to_string=True)


def memory(pid, address, size):
    """Read memory of a process of this host; OSError where it has none."""
    with pathlib.Path(f"/proc/{pid}/mem").open("rb", buffering=0) as file:
        return os.pread(file.fileno(), size, address)


def program():
    """Return the program's process of this host; 0 if it has ended."""
    return gdb.selected_inferior().pid


def register(name):
    """Return a register of the program, without a sign."""
    return int(gdb.parse_and_eval(f"${name}")) & (2**64 - 1)


class Elf:
    """An ELF file of the package: its loaded segments as offset, address, size, and whether they
    hold code; the addresses of its entry and of its table of segments, and that table's size."""

    def __init__(self, path):
        self.path, self.segments = path, []
        self.data = path.read_bytes()
        self.entry, at = struct.unpack_from("<QQ", self.data, 24)
        size, self.count = struct.unpack_from("<HH", self.data, 54)
        self.table = at
        for number in range(self.count):
            kind, flags, offset, address, _, stored, _, _ = struct.unpack_from(
                "<IIQQQQQQ", self.data, at + number * size
            )
            if kind == PT_LOAD:
                self.segments.append((offset, address, stored, bool(flags & PF_X)))
                if offset <= at < offset + stored:
                    self.table = at - offset + address

    def pages(self):
        """Yield the digests of the pages of code, each with its address."""
        for offset, address, size, code in self.segments:
            if code:
                first = offset & -PAGE
                for at in range(first, offset + size, PAGE):
                    page = self.data[at : at + PAGE].ljust(PAGE, b"\0")
                    yield hashlib.sha256(page).digest(), address + at - offset


def stack(address):
    """Return the stack from an address on."""
    content = b""
    with contextlib.suppress(OSError):
        while page := memory(
            program(), address + len(content), PAGE - (address + len(content)) % PAGE
        ):
            content += page
    return content[: len(content) & -8]


class Symbols:
    """What of the package the program has loaded, and where."""

    def __init__(self, root):
        self.files, self.pages, self.spans = {}, {}, []
        self.loaded, self.seen = set(), set()
        for path in sorted(root.rglob("*")):
            if path.is_file() and not path.is_symlink() and path.stat().st_size:
                with contextlib.suppress(struct.error):  # a damaged file
                    file = Elf(path)
                    self.files.setdefault(hashlib.sha256(file.data).digest(), file)
        for file in self.files.values():
            for digest, address in file.pages():
                # A page that stands in two places says nothing.
                self.pages[digest] = None if digest in self.pages else (file, address)
            file.data = b""

    def add_program(self):
        """Read the symbols of the program, which is at its first instruction: the stack names the
        addresses of its entry and its table of segments (the System V ABI for x86-64, 3.4.3)."""
        words = struct.iter_unpack("<Q", stack(register("rsp")))
        values = [value for (value,) in words]
        at = values.index(0, 1) + 1  # behind count and arguments
        at = values.index(0, at) + 1  # behind the environment
        vector = dict(zip(values[at::2], values[at + 1 :: 2], strict=False))
        self.loaded, self.seen = set(), set()
        for file in self.files.values():
            begin = vector[AT_ENTRY] - file.entry
            if vector[AT_PHDR] == begin + file.table and vector[AT_PHNUM] == file.count:
                self.add(file, begin)
                break

    def add(self, file, begin):
        """Read the symbols of a file that begins at an address."""
        if (file.path, begin) not in self.loaded:
            self.loaded.add((file.path, begin))
            self.spans += [
                (begin + (address & -PAGE), begin + (address + size + PAGE - 1 & -PAGE))
                for _, address, size, code in file.segments
                if code
            ]
            quietly(f'add-symbol-file "{file.path}" -o {begin:#x}')

    def update(self):
        """Read the symbols of what has been loaded since, and name the regions of code."""
        if not program():
            return
        spans = []
        for line in (
            pathlib.Path(f"/proc/{program()}/maps").read_text(errors="replace").splitlines()
        ):
            span, rights = line.split()[:2]
            begin, end = (int(part, 16) for part in span.split("-"))
            if "x" in rights and "w" not in rights and end <= HIGHEST:
                spans.append((begin, end))
                for address in range(begin, end, PAGE):
                    self.identify(address)
        quietly("delete mem")
        for begin, end in merged(spans + self.spans):
            quietly(f"mem {begin:#x} {end:#x} ro")

    def identify(self, address):
        """Find which file has the page at this address."""
        if address in self.seen:
            return
        self.seen.add(address)
        try:
            page = memory(program(), address, PAGE)
        except OSError:
            return
        if found := self.pages.get(hashlib.sha256(page).digest()):
            file, usual = found
            self.add(file, address - usual)


def merged(spans):
    """Return spans that do not overlap, in order."""
    found = []
    for begin, end in sorted(spans):
        if found and begin <= found[-1][1]:
            found[-1][1] = max(end, found[-1][1])
        else:
            found.append([begin, end])
    return found
