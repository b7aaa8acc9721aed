"""Does the closure find what a program needs, and say what is missing?"""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from hil import cli
from hil.base.errors import InputError, ToolMissing
from hil.base.paths import ROOT
from hil.machine import closure, elf, pyruntime
from hil.system import preloads, tools


def test_a_program_needs_the_c_library() -> None:
    program = Path(shutil.which("ls") or "/bin/ls").resolve()
    assert "libc.so.6" in {path.name for path in needed(program)}


def test_a_static_program_has_no_interpreter(tmp_path: Path) -> None:
    program = tmp_path / "static"
    header = (
        b"\x7fELF\x02\x01\x01"
        + b"\0" * 9
        + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    )
    program.write_bytes(header + struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, 0, 0, 0))
    assert elf.interpreter(program) is None


def test_a_script_is_no_program(tmp_path: Path) -> None:
    script = tmp_path / "tool"
    script.write_text("#!/bin/sh\n")
    with pytest.raises(InputError, match="is not a 64-bit ELF program"):
        elf.interpreter(script)


@pytest.fixture
def linked(tmp_path: Path) -> tuple[Path, Path]:
    """A library in a folder with a blank, and a program that finds it beside itself ($ORIGIN)."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.fail("no C compiler")
    folder = tmp_path / "my clones"
    folder.mkdir()
    (folder / "own.c").write_text("int own(void) { return 1; }\n")
    (folder / "main.c").write_text("int own(void); int main(void) { return own(); }\n")
    library = [compiler, "-shared", "-fPIC", "-o", "libown.so", "own.c"]
    program = [compiler, "-o", "main", "main.c", "-L.", "-lown", "-Wl,-rpath,$ORIGIN"]
    for command in (library, program):
        subprocess.run(command, check=True, cwd=folder)
    return folder / "libown.so", folder / "main"


def needed(program: Path) -> tuple[Path, ...]:
    loader = elf.interpreter(program)
    assert loader is not None
    return elf.needed(program, loader)


def test_a_library_in_a_folder_with_a_blank_is_found(linked: tuple[Path, Path]) -> None:
    library, program = linked
    assert library in needed(program)


def test_a_missing_library_is_named(linked: tuple[Path, Path]) -> None:
    library, program = linked
    library.unlink()
    with pytest.raises(InputError, match=r"libown\.so"):
        needed(program)


def test_a_missing_tool_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(ToolMissing) as caught:
        tools.program("mosquitto")
    assert "mosquitto: not found, needed for the MQTT broker" in str(caught.value)
    assert "apt-get install mosquitto" in str(caught.value)


def test_no_image_is_built_without_mosquitto(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    which = shutil.which
    monkeypatch.setattr(
        shutil, "which", lambda name, **more: None if name == "mosquitto" else which(name, **more)
    )
    monkeypatch.setenv("PATH", "/usr/bin:/bin:/usr/sbin:/sbin:/elsewhere")
    if not (ROOT / "build" / "kernel" / "release").exists():
        pytest.fail("no kernel fetched")
    assert cli.main(["lab", "build"]) == 2
    error = capsys.readouterr().err
    assert "thinwire: error: mosquitto: not found" in error and "Traceback" not in error


def test_a_compiler_without_headers_is_an_error(tmp_path: Path) -> None:
    source = tmp_path / "bql_shim.c"
    source.write_text("#include <no_such_header.h>\n")
    with pytest.raises(InputError, match=r"bql_shim\.c.*does not compile it"):
        preloads.compile_to(source, tmp_path / "bql_shim.so")


def test_modules_include_late_parts_of_packages() -> None:
    targets = {module.target for module in pyruntime.modules(("json",))}
    assert f"{pyruntime.STDLIB}/json/tool.py" in targets  # not imported by json itself
    assert f"{pyruntime.STDLIB}/encodings/idna.py" in targets


def test_a_missing_module_is_named() -> None:
    with pytest.raises(ToolMissing, match="Python module no_such_module"):
        pyruntime.modules(("no_such_module",))


def test_byte_code_repeats_and_names_no_place_here(tmp_path: Path) -> None:
    source = tmp_path / "thing.py"
    source.write_text("CHOICES = {'a', 'b', 'c'}\ndef f(x): return x in {'p', 'q', 'r'}\n")
    module = pyruntime.Module(source, "opt/thinwire/site/thing.py")
    contents = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        made = pyruntime.compile_all([module], tmp_path / name)
        contents.append(made["opt/thinwire/site/thing.pyc"].read_bytes())
    assert contents[0] == contents[1]
    assert str(tmp_path).encode() not in contents[0]


def test_the_digest_follows_contents_and_the_machine() -> None:
    parts = [closure.Part("etc/hosts", text="a")]
    other = [closure.Part("etc/hosts", text="b")]
    digests = {closure.digest(p, m) for p in (parts, other) for m in ("7.2", "8.2")}
    assert len(digests) == 4
