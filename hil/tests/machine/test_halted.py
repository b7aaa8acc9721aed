"""What the host does so that GDB can debug a foreign program: it finds the process that waits, lets
it go on, and unpacks what GDB reads."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
import time
from pathlib import Path

import pytest

from hil.machine.uml import halted, marks
from hil.system import halt

_WAIT_S = 20.0


def _waiting() -> int:
    """Return a process that waits for the host."""
    pid = os.fork()
    if pid == 0:
        halt.wait()
        os._exit(7)
    return pid


def _address(pid: int) -> int:
    deadline = time.monotonic() + _WAIT_S
    while time.monotonic() < deadline:
        if address := marks.find(pid, halt.MAGIC, halt.ALIGNMENT):
            return address
        time.sleep(0.01)
    pytest.fail("the process shows no mark")


def test_a_process_that_waits_is_found_and_released() -> None:
    pid = _waiting()
    address = _address(pid)
    assert os.waitpid(pid, os.WNOHANG) == (0, 0)
    marks.write(pid, address + halt.RELEASED_AT, halt.RELEASED)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7


def test_the_number_alone_is_no_mark() -> None:
    """As in the constants of a process, or in a copy of the mark."""
    copy = bytearray(halt.MAGIC.to_bytes(8, "little") * 64)
    assert marks.find(os.getpid(), halt.MAGIC, halt.ALIGNMENT) is None
    del copy


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with a program, a text, links, and a name that leads out of it."""
    program = Path(shutil.which("true") or "/bin/true").read_bytes()
    files = {"usr/bin/true": program, "device/notes": b"text", "../out": b"", "away/out": b""}
    with tarfile.open(tmp_path / "device.tar", "w") as archive:
        link = tarfile.TarInfo("bin")
        link.type, link.linkname = tarfile.SYMTYPE, "usr/bin"
        archive.addfile(link)
        away = tarfile.TarInfo("away")
        away.type, away.linkname = tarfile.SYMTYPE, str(tmp_path)
        archive.addfile(away)
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return tmp_path / "device.tar"


def test_what_gdb_reads_of_a_package_is_unpacked_beside_nothing_else(
    package: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "root"
    folder.mkdir()
    halted.unpack(package, folder)
    assert (folder / "bin" / "true").read_bytes()[:4] == b"\x7fELF"
    assert (folder / "device" / "notes").read_bytes() == b""
    assert not (tmp_path / "out").exists()
