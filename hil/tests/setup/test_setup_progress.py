"""Does set-up print how far its packages are, and how long each step took?"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hil.base.paths import ROOT

# In the place of apt and pip. apt's state (README.progress-reporting) is between dpkg's words.
APT_GET = """\
case "$*" in
*--assume-no*) echo 'Need to get 8 MB of archives.' ;;
*Status-Fd=1*)
    echo 'dlstatus:1:60.5:Retrieving file 1 of 1'
    echo 'Unpacking fresh (1.0) ...'
    echo 'pmstatus:fresh:50:Unpacking fresh'
    exit ${FAILS:-0} ;;
esac
"""
PYTHON3 = """\
case "$*" in
--version) echo Python 3.11 ;;
*venv*) mkdir -p .venv/bin; printf '#!/bin/sh\\n' >.venv/bin/pip; chmod +x .venv/bin/pip ;;
esac
"""
STAND_INS = {
    "apt-get": APT_GET,
    "apt-cache": "",
    "dpkg-query": "",
    "id": "echo 0",
    "python3": PYTHON3,
}


@pytest.fixture
def top(tmp_path: Path) -> Path:
    (tmp_path / "setup").mkdir()
    (tmp_path / "bin").mkdir()
    for name in ("install", "progress"):
        shutil.copy(ROOT / "setup" / name, tmp_path / "setup")
    (tmp_path / "setup" / "apt.txt").write_text("fresh fresh\n", encoding="utf-8")
    for name in ("setup/requirements.txt", "pyproject.toml"):
        (tmp_path / name).touch()
    programs = {f"bin/{name}": code for name, code in STAND_INS.items()}
    for name, code in (programs | {"setup/without-services": 'exec "$@"\n'}).items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{code}", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    return tmp_path


def install(top: Path, **more: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PATH": f"{top}/bin:{os.environ['PATH']}"} | more
    environment.pop("THINWIRE_NIX", None)
    return subprocess.run(
        [top / "setup" / "install"], env=environment, capture_output=True, text=True, check=False
    )


def test_downloads_are_the_first_half_of_the_packages(top: Path) -> None:
    done = install(top)
    assert done.returncode == 0 and done.stdout == ""
    said = done.stderr.splitlines()
    assert [line for line in said if " left" in line] == [
        "setup: packages: 30 %, about 0 s left",
        "setup: packages: 75 %, about 0 s left",
    ]
    for step in ("setup: packages: ", "setup: Python packages: "):
        assert any(line.startswith(step) and line.endswith(" s") for line in said), said


def test_packages_that_cannot_be_installed_end_the_set_up(top: Path) -> None:
    done = install(top, FAILS="100")
    assert done.returncode == 100
    assert "Python packages" not in done.stderr
