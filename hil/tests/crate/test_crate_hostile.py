"""Is every damaged or malicious crate refused in one line with status 2?"""

from __future__ import annotations

import json
import os
import shutil
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hil import cli
from hil.bundle import store as bundle
from hil.crate.layout import METADATA
from hil.design.studies import load_study
from hil.tests.support.crates import STUDY, bundles, make

FIRST = f"data/raw/{STUDY}/{load_study(STUDY).trials('quick')[0].id}"


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    workdir = tmp_path_factory.mktemp("crate")
    assert make(workdir, workdir / "crate") == 0
    return workdir / "crate"


@pytest.fixture
def crate(good: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    return Path(shutil.copytree(good, tmp_path / "copy"))


def refused(capsys: pytest.CaptureFixture[str], crate: Path, *text: str) -> None:
    """Check that both commands refuse it and store nothing."""
    into = crate.parent / "into"
    for words in (["verify", str(crate)], ["unpack", str(crate), "--into", str(into)]):
        capsys.readouterr()
        assert cli.main(["crate", *words]) == 2, words
        said = capsys.readouterr().err
        assert said.startswith("thinwire: error: ") and said.count("\n") == 1, said
        for word in text:
            assert word in said
    assert not into.exists()


def metadata(crate: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the entities of a crate, by their names."""
    document = json.loads((crate / METADATA).read_text(encoding="utf-8"))
    entities = {entity["@id"]: entity for entity in document["@graph"]}
    change(entities)
    document["@graph"] = list(entities.values())
    (crate / METADATA).write_text(json.dumps(document), encoding="utf-8")


def signed(crate: Path, member: str, data: bytes) -> None:
    """Write a file, and its digest into the metadata."""
    (crate / member).write_bytes(data)
    metadata(crate, lambda all_: all_[member].update(sha256=bundle.digest(data)))


def zipped(crate: Path, change: Callable[[zipfile.ZipFile], None]) -> Path:
    """The crate as a zip file, after `change`."""
    target = crate.with_suffix(".zip")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(crate.rglob("*")):
            file.write(path, str(path.relative_to(crate)))
        change(file)
    return target


def test_a_zip_file_of_another_packer_is_taken(
    crate: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It has folders as entries, and compresses."""
    assert cli.main(["crate", "verify", str(zipped(crate, lambda file: None))]) == 0


@pytest.mark.parametrize(
    "member", ["../evil", "data/../../evil", "/tmp/evil", "a\\..\\evil", "C:/evil", "a//b", "a\nb"]
)
def test_a_member_outside_is_refused(
    crate: Path, capsys: pytest.CaptureFixture[str], member: str
) -> None:
    evil = zipped(crate, lambda file: file.writestr(member, b"evil"))
    refused(capsys, evil, "is a path that no crate of Thinwire has")


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_a_link_or_a_device_in_a_zip_file_is_refused(
    crate: Path, capsys: pytest.CaptureFixture[str], kind: int
) -> None:
    info = zipfile.ZipInfo("LINK")
    info.create_system, info.external_attr = 3, (kind | 0o777) << 16
    evil = zipped(crate, lambda file: file.writestr(info, b"/etc/passwd"))
    refused(capsys, evil, "'LINK': is not a regular file")


def test_a_file_that_is_there_twice_is_refused(
    crate: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        evil = zipped(crate, lambda file: file.writestr("LICENSE", b"other"))
    refused(capsys, evil, "LICENSE: appears twice")


def test_what_unpacks_to_far_more_is_refused(
    crate: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = zipped(crate, lambda file: file.writestr("zeros", bytes(1 << 23)))
    refused(capsys, evil, "zeros", " to 8388608 bytes")


def test_a_huge_member_is_refused(crate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A stored member whose size in the zip directory is three gigabytes."""
    evil = zipped(crate, lambda file: file.writestr("huge", b"x", zipfile.ZIP_STORED))
    data = bytearray(evil.read_bytes())
    at = data.rindex(b"PK\1\2")  # its entry, the last: sizes packed and unpacked from byte 20 on
    struct.pack_into("<II", data, at + 20, 3 << 30, 3 << 30)
    evil.write_bytes(data)
    refused(capsys, evil, "huge: has 3221225472 bytes; the limit is 1073741824")


def test_a_huge_file_is_refused(crate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.truncate(crate / "LICENSE", 3 << 30)  # uses no disk space
    refused(capsys, crate, "LICENSE: has 3221225472 bytes")


def test_an_encrypted_file_is_refused(crate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = zipped(crate, lambda file: file.writestr("secret", b"x"))
    data = bytearray(evil.read_bytes())
    data[data.rindex(b"PK\1\2") + 8] |= 1
    evil.write_bytes(data)
    refused(capsys, evil, "'secret': is encrypted")


def test_a_cut_zip_file_is_refused(crate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = zipped(crate, lambda file: None)
    evil.write_bytes(evil.read_bytes()[:-40])
    refused(capsys, evil, "is not a zip file")


def test_damaged_bytes_within_are_refused(crate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = zipped(crate, lambda file: None)
    with zipfile.ZipFile(evil) as file:
        at = file.getinfo("LICENSE").header_offset + 100
    data = bytearray(evil.read_bytes())
    data[at] ^= 0xFF
    evil.write_bytes(data)
    refused(capsys, evil, "LICENSE")


@pytest.mark.parametrize("target", ["/etc/passwd", "LICENSE", "/tmp"])
def test_a_link_in_a_folder_is_refused(
    crate: Path, capsys: pytest.CaptureFixture[str], target: str
) -> None:
    (crate / "LINK").symlink_to(target)
    refused(capsys, crate, "'LINK': is not a regular file")


def test_a_pipe_in_a_folder_is_refused(crate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(crate / "pipe")
    refused(capsys, crate, "'pipe': is not a regular file")


@pytest.mark.parametrize("name", ["LICENSE", f"{FIRST}/wire.pcapng.gz", f"{FIRST}/SHA256SUMS"])
def test_a_wrong_sum_is_refused(crate: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    data = bytearray((crate / name).read_bytes())
    data[-1] ^= 1
    (crate / name).write_bytes(data)
    refused(capsys, crate, f"{name}: has changed (its SHA-256 differs)")


@pytest.mark.parametrize("name", ["LICENSE", f"{FIRST}/board.jsonl"])
def test_a_missing_file_is_refused(
    crate: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (crate / name).unlink()
    refused(capsys, crate, f"{name}: is missing")


def test_a_missing_bundle_is_refused(crate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is missing from the metadata, too."""
    shutil.rmtree(crate / FIRST)

    def forget(entities: dict[str, Any]) -> None:
        for name in [name for name in entities if name.startswith(FIRST)]:
            del entities[name]

    metadata(crate, forget)
    assert cli.main(["crate", "unpack", str(crate), "--into", str(crate.parent / "into")]) == 2
    said = capsys.readouterr().err
    assert f"{FIRST}: is missing (1 of 2 bundles of the profile 'quick')" in said
    assert not (crate.parent / "into").exists()


def test_a_file_that_nothing_tells_of_is_refused(
    crate: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (crate / "more.txt").write_text("more", encoding="utf-8")
    refused(capsys, crate, f"more.txt: is not in {METADATA}")


def test_a_bundle_that_does_not_hold_is_refused(
    crate: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The crate's checksums match, the bundle's own do not."""
    signed(crate, f"{FIRST}/board.jsonl", b"")
    refused(capsys, crate, f"{FIRST}: is invalid (board.jsonl: has changed")


def test_a_bundle_in_anothers_place_is_refused(
    crate: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    second = f"data/raw/{STUDY}/{load_study(STUDY).trials('quick')[1].id}"
    for path in (crate / second).iterdir():
        signed(crate, f"{FIRST}/{path.name}", path.read_bytes())
    refused(capsys, crate, f"{FIRST}: is the bundle of {STUDY}/")


def test_bundles_of_another_design_are_not_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert make(tmp_path, tmp_path / "crate.zip") == 0
    study = load_study(STUDY)
    changed = study.document | {"constants": study.document["constants"] | {"payload_bytes": 31}}
    other = type(study)(study.path, changed)
    monkeypatch.setattr("hil.commands.crate.load_study", lambda _: other)
    words = ["crate", "unpack", str(tmp_path / "crate.zip"), "--into", str(tmp_path / "into")]
    assert cli.main(words) == 2
    said = capsys.readouterr().err
    assert "its parameters differs from the study's design here; use the version" in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ('{"@graph": 1}', "has no @graph"),
        ('{"@graph": [{"@id": "./", "conformsTo": []}, 7]}', "does not conform to"),
    ],
)
def test_metadata_that_says_nothing_is_refused(
    crate: Path, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    (crate / METADATA).write_text(text, encoding="utf-8")
    refused(capsys, crate, METADATA, words)


def test_what_is_no_crate_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundles(tmp_path)
    refused(capsys, tmp_path / "data", f"is not an RO-Crate (it has no {METADATA})")
    refused(capsys, tmp_path / "nothing", "does not exist")
    assert cli.main(["crate", "verify", str(min(tmp_path.rglob("lab.json")))]) == 2


def test_a_study_that_it_does_not_have_is_told(
    crate: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["crate", "unpack", str(crate), "matrix"]) == 2
    assert f"has no bundles of the study 'matrix'; it has {STUDY}" in capsys.readouterr().err
