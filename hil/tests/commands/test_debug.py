"""What `thinwire debug` refuses, before it runs anything."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from hil import cli
from hil.base.errors import InputError
from hil.bundle import store
from hil.commands import debug
from hil.tests.support import bundles


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle whose firmware is not at hand."""
    files = store.contents(bundles.DOCUMENT, bundles.RAW, bundles.LAB, tmp_path)
    store.store(files, tmp_path / "bundle")
    return tmp_path / "bundle"


def refused(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    """Return the message with which a command is refused."""
    assert cli.main(["debug", *map(str, words)]) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    return message


def change(folder: Path, **values: object) -> None:
    path = folder / "trial.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | values))


@pytest.mark.parametrize(
    ("text", "ps"), [("0", 0), ("41.3", 41_300_000_000_000), ("0.000000000001", 1)]
)
def test_a_time_is_exact(text: str, ps: int) -> None:
    assert debug.picoseconds(text) == ps


@pytest.mark.parametrize("text", ["", "-1", "1e3", "nan", "1.", ".5", "1.0000000000001", "41,3"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no time in seconds"):
        debug.picoseconds(text)


def test_a_folder_without_a_bundle_is_named(capsys, tmp_path: Path) -> None:
    assert f"{tmp_path}/trial.json" in refused(capsys, tmp_path)


def test_firmware_that_is_not_the_trials_is_refused(capsys, bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "other.elf").write_bytes(b"other")
    message = refused(capsys, bundle, "--firmware", tmp_path / "other.elf")
    assert "other.elf: is not the trial's file: SHA-256 " in message
    assert "--firmware" in message


def test_a_board_without_a_debugger_is_named(capsys, bundle: Path) -> None:
    change(bundle, firmware={"board": "zephyr", "sha256": "0" * 64})
    assert "'zephyr' has no debugger here" in refused(capsys, bundle)


def test_a_trial_of_physical_boards_is_refused(capsys, bundle: Path) -> None:
    change(bundle, testbed="hardware")
    assert "testbed" in refused(capsys, bundle)


def test_a_missing_gdb_is_named_with_its_package(capsys, bundle: Path) -> None:
    message = refused(capsys, bundle, "--gdb", "no-such-gdb")
    assert "no-such-gdb: is not installed" in message
    assert "apt-get install gdb-multiarch" in message


def test_a_missing_script_is_named(capsys, bundle: Path) -> None:
    if shutil.which(debug.GDB) is None:
        pytest.fail("no GDB")
    assert "is no file" in refused(capsys, bundle, "--script", bundle / "none")


def test_files_that_differ_are_named(tmp_path: Path) -> None:
    (tmp_path / "lab.json").write_bytes(b"1")
    (tmp_path / "board.jsonl").write_bytes(b"1")
    (tmp_path / "SHA256SUMS").write_bytes(b"1")
    found = debug.differences(tmp_path, {"lab.json": b"2", "board.jsonl": b"1", "air": b""})
    assert found == ["air", "lab.json"]


def test_the_package_of_a_program_is_looked_for_beside_its_bundle(capsys, bundle: Path) -> None:
    change(
        bundle,
        firmware={"board": "program", "sha256": "0" * 64},
        device={"kind": "program", "argv": ["./client"], "environment": {}},
    )
    message = refused(capsys, bundle)
    assert f"{bundle.parents[1] / 'device.tar'}: No such file" in message
    assert "--firmware" in message


def test_a_bundle_of_a_program_without_its_command_is_refused(capsys, bundle: Path) -> None:
    change(bundle, firmware={"board": "program", "sha256": "0" * 64})
    assert "trial.json: device: is missing, though the board is 'program'" in refused(
        capsys, bundle
    )
