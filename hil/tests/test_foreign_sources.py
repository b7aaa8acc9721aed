"""Foreign sources: the table, where a library comes from, and what is refused."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from hil import foreign
from hil.base.errors import InputError
from hil.base.paths import ROOT

FILES = {"src/client.c": b"int x;\n", "README": b"read\n", "src.h": b"", "src/a/b.h": b"b\n"}
# What `find . -type f -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum` prints of them.
LINES = "".join(
    f"{hashlib.sha256(FILES[name]).hexdigest()}  {name}\n"
    for name in ("README", "src.h", "src/a/b.h", "src/client.c")
)
DIGEST = hashlib.sha256(LINES.encode()).hexdigest()


def archive(path: Path, files: dict[str, bytes]) -> None:
    """Write an archive as GitHub makes them: everything below one folder."""
    with tarfile.open(path, "w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(f"client-1f2e3d/{name}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))


@pytest.fixture
def source(tmp_path: Path) -> foreign.Source:
    """A library whose address answers to nobody."""
    return foreign.Source(
        name="client-1.0",
        library="Client",
        release="v1.0",
        licence="MIT",
        folder=tmp_path / "libraries" / "client-1.0",
        address="https://127.0.0.1:1/client.tar.gz",
        tree=DIGEST,
    )


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    folder = tmp_path / "mirror"
    folder.mkdir()
    return folder


def files_of(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def test_an_archive_of_the_mirror_is_unpacked_without_its_outer_folder(source, mirror):
    archive(mirror / "client-1.0.tar.gz", FILES)
    assert not source.here
    foreign.fetch(source, str(mirror))
    assert files_of(source.folder) == FILES and source.here


def test_a_folder_of_the_mirror_is_copied_without_its_history(source, mirror):
    for name, content in {**FILES, ".git/HEAD": b"ref\n"}.items():
        (mirror / "client-1.0" / name).parent.mkdir(parents=True, exist_ok=True)
        (mirror / "client-1.0" / name).write_bytes(content)
    foreign.fetch(source, str(mirror))
    assert files_of(source.folder) == FILES


def test_a_part_is_a_folder_and_no_beginning_of_a_name(source, mirror):
    archive(mirror / "client-1.0.tar.gz", FILES)
    part = {name: content for name, content in FILES.items() if name.startswith("src/")}
    lines = LINES.partition("src.h\n")[2]
    some = dataclasses.replace(
        source, part=("src",), tree=hashlib.sha256(lines.encode()).hexdigest()
    )
    foreign.fetch(some, str(mirror))
    assert files_of(source.folder) == part


def test_other_contents_are_refused_and_leave_nothing(source, mirror):
    archive(mirror / "client-1.0.tar.gz", {**FILES, "README": b"read!\n"})
    with pytest.raises(InputError, match=r"client-1\.0\.tar\.gz: the digest of its files is "):
        foreign.fetch(source, str(mirror))
    assert list(source.folder.parent.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"no archive", b"\x1f\x8b\x08\0cut"])
def test_what_is_no_archive_is_refused(source, mirror, content):
    (mirror / "client-1.0.tar.gz").write_bytes(content)
    with pytest.raises(InputError, match="cannot be unpacked"):
        foreign.fetch(source, str(mirror))


@pytest.fixture(params=[True, False], ids=["filters", "python-3.11.2"])
def filters(request, monkeypatch):
    """Python with and without filters of an archive's members, as Debian 12 has it."""
    if not request.param:
        monkeypatch.delattr(tarfile, "data_filter", raising=False)


@pytest.mark.usefixtures("filters")
def test_an_archive_gives_the_same_tree_with_any_python(source, mirror):
    archive(mirror / "client-1.0.tar.gz", FILES)
    foreign.fetch(source, str(mirror))
    assert source.here


@pytest.mark.usefixtures("filters")
def test_a_member_outside_of_the_folder_is_refused(source, mirror):
    archive(mirror / "client-1.0.tar.gz", {**FILES, "../../../out": b"!"})
    with pytest.raises(InputError, match="cannot be unpacked"):
        foreign.fetch(source, str(mirror))
    assert not (source.folder.parents[1] / "out").exists()


def test_a_changed_file_makes_the_library_absent(source, mirror):
    archive(mirror / "client-1.0.tar.gz", FILES)
    foreign.fetch(source, str(mirror))
    (source.folder / "README").write_bytes(b"changed")
    assert not source.here
    foreign.fetch(source, str(mirror))
    assert source.here


def test_a_host_that_does_not_answer_is_asked_once(source, mirror):
    silent: set[str] = set()
    with pytest.raises(foreign.Unavailable, match="Connection refused"):
        foreign.fetch(source, str(mirror), silent)
    assert silent == {"127.0.0.1:1"}
    with pytest.raises(foreign.Unavailable, match="did not answer before"):
        foreign.fetch(source, str(mirror), silent)


def test_the_command_reports_what_is_not_at_hand_and_fails_for_what_was_named(
    source, mirror, monkeypatch, capsys
):
    other = dataclasses.replace(source, name="other-2.0", folder=source.folder.parent / "other")
    monkeypatch.setattr(foreign, "load", lambda: {"client-1.0": source, "other-2.0": other})
    archive(mirror / "client-1.0.tar.gz", FILES)
    assert foreign.main(["--mirror", str(mirror)], "") == 0
    assert "libraries: 1 of 2 are not at hand" in (said := capsys.readouterr().err)
    assert said.endswith(": other-2.0\n") and source.here
    assert foreign.main(["other-2.0", "--mirror", str(mirror)], "") == 2
    assert "set THINWIRE_MIRROR to it" in capsys.readouterr().err
    assert foreign.main(["--list"], "") == 0
    assert re.findall(r"(\S+) +Client v1\.0, MIT: (.+)", capsys.readouterr().out) == [
        ("client-1.0", "here"),
        ("other-2.0", "not at hand"),
    ]
    assert foreign.main(["clientt-1.0"], "") == 2
    assert "did you mean 'client-1.0'?" in capsys.readouterr().err


def test_the_table_names_the_commits_that_the_esp8266_builds():
    """A library has one commit a release, in whatever build it is."""
    text = (ROOT / "firmware/boards/esp8266/platformio.ini").read_text(encoding="utf-8")
    built = re.findall(r"lib_deps = (https\S+)\.git#([0-9a-f]{40})\n", text)
    addresses = {source.address for source in foreign.load().values()}
    assert len(built) == 4
    assert {f"{base}/archive/{commit}.tar.gz" for base, commit in built} <= addresses


def test_an_adapter_of_the_table_is_a_file():
    for source in foreign.load().values():
        if source.adapter:
            folder = ROOT / "firmware" / "libraries"
            assert list(folder.rglob(f"{source.adapter}.c*")), source.name


def test_the_program_starts():
    done = subprocess.run(
        [sys.executable, ROOT / "firmware/libraries/fetch", "--list"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(done.stdout.splitlines()) == len(foreign.load())
