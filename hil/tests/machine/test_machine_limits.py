"""Is a package that the machine `qemu` has no room for refused before anything starts?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hil.base.errors import InputError
from hil.machine import machines
from hil.rig.request import DEVICE, REQUEST, SERVER


def package(path: Path, mib: float) -> Path:
    """A file of this size without contents."""
    with path.open("wb") as file:
        file.truncate(int(mib * (1 << 20)))
    return path


def test_packages_that_fit_are_accepted(tmp_path: Path) -> None:
    files = {DEVICE: package(tmp_path / "d", 80), SERVER: package(tmp_path / "s", 60)}
    machines.Qemu().check({REQUEST: b"{}", **files})


def test_packages_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    files = {DEVICE: package(tmp_path / "d", 80), SERVER: package(tmp_path / "s", 60.1)}
    with pytest.raises(InputError, match=r"d: packages of 141 MiB are too large .* --machine uml"):
        machines.Qemu().check({REQUEST: b"{}", **files})


def test_the_machine_uml_grows_with_them(tmp_path: Path) -> None:
    machines.Uml().check({DEVICE: package(tmp_path / "d", 400)})
