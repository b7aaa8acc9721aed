"""Is a file or folder that cannot be written refused in one line, before work that takes time?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hil import cli
from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.commands import outputs

CLIENT = str(ROOT / "examples/python")
CAPTURE = str(ROOT / "README.md")  # no capture: it is not read
ASK = ("ask", "--payload", "40", "--interval", "60")


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The current folder, with a file and a folder; what takes time fails the test."""

    def never(*_: object, **__: object) -> None:
        raise AssertionError("work began")

    for name in (
        "hil.testbeds.runner.testbed",
        "hil.commands.tries.build",
        "hil.commands.view._made",
    ):
        monkeypatch.setattr(name, never)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("words", "option"),
    [
        ((*ASK, "--record"), "--record"),
        (("try", CLIENT, "--out", "results", "--report"), "--report"),
        (("try", CLIENT, "--out", "results", "--junit"), "--junit"),
        (("hunt", CLIENT, "--out", "results", "--report"), "--report"),
        (("view", CAPTURE, "--out"), "--out"),
    ],
)
@pytest.mark.parametrize(
    ("target", "cause"),
    [
        ("nowhere/file", "No such file or directory"),
        ("file/below", "Not a directory"),
        ("folder", "Is a directory"),
    ],
)
@pytest.mark.usefixtures("place")
def test_a_file_is_refused(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], option: str, target: str, cause: str
) -> None:
    assert cli.main([*words, target]) == 2
    assert capsys.readouterr().err == (
        f"thinwire: error: {target}: cannot be written ({cause}); give another file to {option}\n"
    )


@pytest.mark.parametrize("words", [("try", CLIENT), ("hunt", CLIENT), ("demo",)])
def test_a_folder_is_refused(
    capsys: pytest.CaptureFixture[str], place: Path, words: tuple[str, ...]
) -> None:
    assert cli.main([*words, "--out", str(place / "file/below")]) == 2
    said = capsys.readouterr().err
    assert said.endswith("Not a directory); name a folder that you may write to\n")


def test_what_belongs_to_another_user_is_refused(tmp_path: Path) -> None:
    """As with a wheel that root has installed, whose examples an ordinary user tries."""
    if os.getuid() == 0:
        pytest.skip("root may write everywhere")
    tmp_path.chmod(0o555)
    with pytest.raises(InputError, match="Permission denied"):
        outputs.check_file(tmp_path / "report.json", "--report")
    with pytest.raises(InputError, match="Permission denied"):
        outputs.check_folder(tmp_path / "results")
    tmp_path.chmod(0o755)
