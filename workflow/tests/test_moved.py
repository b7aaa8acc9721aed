"""Does a checkout that was moved or copied with what was built in it heal itself?"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = """\
cmake_minimum_required(VERSION 3.20)
project(example C)
add_executable(example example.c)
"""


def build(folder):
    subprocess.run(
        [ROOT / "setup/configure", "source", "build/example", "-DCMAKE_BUILD_TYPE=Release"],
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    subprocess.run(
        ["cmake", "--build", "build/example"], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )
    return subprocess.run([folder / "build/example/example"], check=False).returncode


@pytest.fixture
def project(tmp_path):
    source = tmp_path / "first place" / "source"
    source.mkdir(parents=True)
    (source / "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
    (source / "example.c").write_text("int main(void) { return 3; }\n", encoding="utf-8")
    assert build(source.parent) == 3
    return source.parent


@pytest.mark.parametrize("move", [shutil.copytree, shutil.move], ids=["copied", "moved"])
def test_a_build_of_another_place_is_configured_afresh(project, tmp_path, move):
    there = tmp_path / "second place"
    move(project, there)
    (there / "source/example.c").write_text("int main(void) { return 4; }\n", encoding="utf-8")
    assert build(there) == 4
    cache = (there / "build/example/CMakeCache.txt").read_text(encoding="utf-8")
    assert "CMAKE_BUILD_TYPE:STRING=Release" in cache and str(project) not in cache


def test_a_build_of_this_place_is_not_made_again(project):
    program = project / "build/example/example"
    before = program.stat().st_mtime_ns
    assert build(project) == 3
    assert program.stat().st_mtime_ns == before


def install(folder):
    """Run setup/install; did it install the Python packages?"""
    tools = folder / "tools"
    environment = {key: value for key, value in os.environ.items() if key != "THINWIRE_NIX"}
    run = subprocess.run(
        [folder / "setup/install"],
        env=environment | {"PATH": f"{tools}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return "installing the Python packages" in run.stderr


@pytest.fixture
def checkout(tmp_path):
    """A checkout whose Python makes environments with a pip that does nothing."""
    workdir = tmp_path / "checkout"
    (workdir / "setup").mkdir(parents=True)
    for name in ("setup/install", "setup/apt.txt", "setup/requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, workdir / name)
    (workdir / "tools").mkdir()
    python = workdir / "tools/python3"
    python.write_text(
        "#!/bin/sh\n"
        'if [ "$1" = -m ]; then\n'
        "  rm -rf .venv; mkdir -p .venv/bin\n"
        "  for name in python pip; do printf '#!/bin/sh\\n' >.venv/bin/$name; done\n"
        "  chmod +x .venv/bin/*\n"
        "else echo Python 3; fi\n",
        encoding="utf-8",
    )
    python.chmod(0o755)
    return workdir


def test_python_is_installed_once_and_again_where_the_checkout_has_moved(checkout, tmp_path):
    assert install(checkout)
    assert not install(checkout)
    there = tmp_path / "elsewhere"
    shutil.copytree(checkout, there)
    assert install(there)
    assert not install(there) and not install(checkout)


def test_python_that_was_installed_by_half_is_installed_anew(checkout):
    assert install(checkout)
    (checkout / ".venv/stamp").unlink()
    assert install(checkout) and not install(checkout)
