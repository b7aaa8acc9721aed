"""Does the cpio writer make archives that depend on their contents alone?"""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path

import pytest

from hil.machine import cpio

ENTRIES = {
    "init": cpio.Entry(data=b"#!/bin/sh\n", mode=0o755),
    "etc/hosts": cpio.Entry(data=b"127.0.0.1 localhost\n", mode=0o644),
    "lib64": cpio.Entry(link="usr/lib64"),
    "proc": cpio.Entry(),
}


def archive(entries: dict[str, cpio.Entry]) -> bytes:
    out = io.BytesIO()
    cpio.write(out, entries)
    return out.getvalue()


def parse(data: bytes) -> list[tuple[str, int, int, int, bytes]]:
    """(name, mode, mtime, uid, contents) of each entry, read after the format's definition."""
    found, at = [], 0
    while True:
        assert data[at : at + 6] == b"070701"
        fields = [int(data[at + 6 + 8 * i : at + 14 + 8 * i], 16) for i in range(13)]
        size, name_size = fields[6], fields[11]
        name = data[at + 110 : at + 110 + name_size].rstrip(b"\0").decode()
        start = (at + 110 + name_size + 3) // 4 * 4
        if name == "TRAILER!!!":
            return found
        found.append((name, fields[1], fields[5], fields[2], data[start : start + size]))
        at = (start + size + 3) // 4 * 4


def test_entries_are_sorted_dateless_and_owned_by_root() -> None:
    found = parse(archive(ENTRIES))
    names = [name for name, *_ in found]
    assert names == ["etc", "etc/hosts", "init", "lib64", "proc"]
    assert {(mtime, uid) for _, _, mtime, uid, _ in found} == {(0, 0)}


def test_kinds_modes_and_contents() -> None:
    found = {name: (mode, data) for name, mode, _, _, data in parse(archive(ENTRIES))}
    assert found["init"] == (0o100755, b"#!/bin/sh\n")
    assert found["lib64"] == (0o120777, b"usr/lib64")
    assert found["proc"] == (0o040755, b"")


def test_order_of_the_dictionary_does_not_matter() -> None:
    assert archive(ENTRIES) == archive(dict(reversed(ENTRIES.items())))


def test_size_is_a_multiple_of_a_block() -> None:
    assert len(archive({"a": cpio.Entry(data=b"x")})) % 512 == 0


@pytest.mark.parametrize("size", [4096, 4097, 10000])
def test_contents_of_a_page_begin_at_a_page(size: int) -> None:
    contents = bytes(range(1, 251)) * 41
    data = archive(ENTRIES | {"bin/big": cpio.Entry(data=contents[:size])})
    assert data.index(contents[:size]) % 4096 == 0


def test_a_padded_name_is_one_that_linux_unpacks() -> None:
    """It leaves out a file whose name has more than 4096 bytes, padding included."""
    for length in range(1, 4001, 400):
        entries = {"x" * length: cpio.Entry(data=b"z" * 4096)}
        name_size = int(archive(entries)[94:102], 16)
        assert length < name_size <= 4096
        assert parse(archive(entries))[0][4] == b"z" * 4096


@pytest.mark.parametrize("path", ["/etc/passwd", "a/../../b"])
def test_a_path_outside_the_root_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="inside the root"):
        archive({path: cpio.Entry(data=b"")})


def test_cpio_itself_unpacks_it(tmp_path: Path) -> None:
    program = shutil.which("cpio") or shutil.which("busybox")
    if program is None:
        pytest.fail("neither cpio nor busybox here")
    command = [program, "-i", "-d"] if program.endswith("cpio") else [program, "cpio", "-i", "-d"]
    subprocess.run(command, input=archive(ENTRIES), cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "etc/hosts").read_bytes() == b"127.0.0.1 localhost\n"
    assert (tmp_path / "lib64").readlink() == Path("usr/lib64")
