"""Does a package hold what a program needs, always the same, and is what is missing refused?"""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from hil.base.errors import InputError, LabError
from hil.design.device import Device
from hil.machine import package as packages
from hil.machine.package import package
from hil.system import container, rootfolder

SCRIPT = "#!/bin/sh\necho hello\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a script, a dynamic program, and things that belong to no package."""
    own = tmp_path / "my client"
    own.mkdir()
    (own / "run.sh").write_text(SCRIPT)
    (own / "run.sh").chmod(0o755)
    (own / "main.c").write_text("int main(void) { return 0; }\n")
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.fail("no C compiler")
    subprocess.run([compiler, "-o", "client", "main.c"], check=True, cwd=own)
    (own / ".git").mkdir()
    (own / ".git" / "config").write_text("secret")
    (own / "data").mkdir()
    (own / "data" / "ca.pem").write_text("certificate")
    return own


def made(
    folder: Path, *argv: str, files: Sequence[Path] | None = None, **environment: str
) -> tarfile.TarFile:
    device = Device("program", argv, environment)
    return tarfile.open(package(device, folder, folder.parent / "device.tar", files))


def test_a_dynamic_program_comes_with_its_loader_and_libraries(folder: Path) -> None:
    names = made(folder, "./client").getnames()
    assert {"device/client", "device/data/ca.pem", "lib64/ld-linux-x86-64.so.2"} <= set(names)
    assert any(name.endswith("/libc.so.6") for name in names)
    assert not any(".git" in name for name in names)


def test_a_script_comes_with_its_interpreter(folder: Path) -> None:
    names = made(folder, "./run.sh", files=[]).getnames()
    assert {"device/run.sh", "bin/sh"} <= set(names)
    assert "device/data/ca.pem" not in names


def test_named_files_come_along_from_anywhere(folder: Path) -> None:
    (folder.parent / "shared.txt").write_text("x")
    names = made(folder, "./run.sh", files=[Path("data"), Path("../shared.txt")]).getnames()
    assert {"device/data/ca.pem", "device/shared.txt"} <= set(names)


def test_it_depends_on_contents_alone(folder: Path) -> None:
    target = folder.parent / "device.tar"
    device = Device("program", ("./client",))
    first = package(device, folder, target).read_bytes()
    os.utime(folder / "client", (1, 1))
    (folder / "data" / "ca.pem").chmod(0o600)
    assert package(device, folder, target).read_bytes() == first
    with tarfile.open(target) as archive:
        entries = archive.getmembers()
    assert {(entry.uid, entry.gid, entry.mtime) for entry in entries} == {(0, 0, 0)}
    assert [entry.name for entry in entries] == sorted(entry.name for entry in entries)


def test_python_comes_with_its_standard_library(folder: Path) -> None:
    (folder / "client.py").write_text("import asyncio\n")
    archive = made(folder, "python3", "client.py", files=[])
    names = archive.getnames()
    assert "device/client.py" in names
    assert any(name.endswith("/asyncio/__init__.py") for name in names)
    assert not any("/test/" in name or "site-packages" in name for name in names)
    variables = json.load(archive.extractfile(container.ENVIRONMENT))  # type: ignore[arg-type]
    assert variables["PYTHONUNBUFFERED"] == "1"


def test_modules_of_the_folders_own_environment_come_along(folder: Path) -> None:
    subprocess.run(["python3", "-m", "venv", "--without-pip", folder / ".venv"], check=True)
    names = made(folder, "python3", "-c", "1").getnames()
    assert "device/.venv/pyvenv.cfg" in names and "device/.venv/bin/python3" in names
    assert any(name.endswith("/asyncio/__init__.py") for name in names)


def refused(folder: Path, *argv: str, files: Sequence[Path] | None = ()) -> str:
    with pytest.raises(InputError) as caught:
        made(folder, *argv, files=files)
    assert caught.value.source == str(folder) and caught.value.key == "device"
    assert list(folder.parent.glob("*.tar")) == []
    return f"{caught.value.problem}; {caught.value.remedy}"


def test_a_missing_program_is_refused(folder: Path) -> None:
    assert "the program './absent' is missing; build it" in refused(folder, "./absent")
    assert "the program 'absent' is not on PATH" in refused(folder, "absent")
    assert "names no program" in refused(folder)


@pytest.mark.parametrize(
    ("at", "value", "said"),
    [(18, 183, "Arm64"), (18, 94, "Xtensa"), (18, 999, "machine 999"), (4, 1, "32-bit addresses")],
)
def test_a_program_for_another_machine_is_refused(
    folder: Path, at: int, value: int, said: str
) -> None:
    data = bytearray((folder / "client").read_bytes())
    struct.pack_into("<H" if at == 18 else "<B", data, at, value)
    (folder / "client").write_bytes(data)
    answer = refused(folder, "./client")
    assert f"'client' is a program for {said}" in answer or said in answer
    assert "build it for Linux on x86-64" in answer


def test_a_missing_library_is_refused(folder: Path) -> None:
    (folder / "own.c").write_text("int own(void) { return 1; }\n")
    (folder / "use.c").write_text("int own(void); int main(void) { return own(); }\n")
    library = ["cc", "-shared", "-fPIC", "-o", "libown.so", "own.c"]
    for command in (library, ["cc", "-o", "use", "use.c", "-L.", "-lown"]):
        subprocess.run(command, check=True, cwd=folder)
    answer = refused(folder, "./use")
    assert "'use' needs the library 'libown.so', which is not here" in answer
    archive = made(folder, "./use", files=[], LD_LIBRARY_PATH="/device")
    assert "device/libown.so" in archive.getnames()


@pytest.mark.parametrize(
    ("text", "mode", "said"),
    [
        ("#!/opt/no/perl\n", 0o755, "needs the interpreter '/opt/no/perl', which is not here"),
        ("#!\n", 0o755, "needs the interpreter ''"),
        ("#!/usr/bin/env no-such-thing\n", 0o755, "the program 'no-such-thing' is not on PATH"),
        ("print(1)\n", 0o755, "is no program that Linux runs"),
        ("", 0o755, "is no program that Linux runs"),
        (SCRIPT, 0o644, "is not executable; run chmod +x"),
    ],
)
def test_a_file_that_is_no_program_is_refused(
    folder: Path, text: str, mode: int, said: str
) -> None:
    (folder / "run.sh").write_text(text)
    (folder / "run.sh").chmod(mode)
    assert said in refused(folder, "./run.sh")


def test_a_missing_file_is_refused(folder: Path) -> None:
    answer = refused(folder, "./run.sh", files=[Path("keys")])
    assert answer == "'keys' is missing; correct `files`, or create it"


def test_too_large_a_package_names_its_largest_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "LARGEST_MIB", 4)
    (folder / "target").mkdir()
    (folder / "target" / "debug").write_bytes(bytes(5 << 20))
    assert "(largest: /device/target, 5 MiB); name what" in refused(folder, "./run.sh", files=None)


def test_links_stay_links_and_loops_end(folder: Path) -> None:
    (folder / "again").symlink_to("data")
    (folder / "loop").symlink_to(folder)
    (folder / "broken").symlink_to("nowhere")
    archive = made(folder, "./run.sh")
    assert archive.getmember("device/again").linkname == "/device/data"
    assert archive.getmember("device/loop").linkname == "/device"
    assert "device/broken" not in archive.getnames()


@pytest.mark.parametrize("name", ["/etc/shadow", "../outside", "device/../../outside"])
def test_a_package_that_leaves_its_root_is_not_unpacked(tmp_path: Path, name: str) -> None:
    with tarfile.open(tmp_path / "bad.tar", "w") as archive:
        archive.addfile(tarfile.TarInfo(name))
    (tmp_path / "root").mkdir()
    with pytest.raises(LabError, match="outside its root"):
        rootfolder.unpack(tmp_path / "bad.tar", tmp_path / "root", os.getuid())
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize("size", [0, 100, 600, 5000])
def test_a_truncated_package_is_an_error(folder: Path, tmp_path: Path, size: int) -> None:
    whole = package(Device("program", ("./run.sh",)), folder, tmp_path / "a.tar").read_bytes()
    (tmp_path / "a.tar").write_bytes(whole[:size])
    (tmp_path / "root").mkdir()
    with pytest.raises(LabError, match="cannot be unpacked"):
        rootfolder.unpack(tmp_path / "a.tar", tmp_path / "root", os.getuid())
