"""Build the wheel `thinwire`: the command line with the laboratory in it (docs/install.md).

    python setup/wheel/build.py [FOLDER]

`make wheel` builds first what setup/wheel/contents.yaml lists. The wheel's name goes to standard
output. The same files give the same wheel.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import licences
import yaml

from hil.base.errors import InputError, ThinwireError, print_error
from hil.base.paths import ROOT
from hil.commands import version
from hil.machine import image, shipped
from hil.system import preloads, processes

CONTENTS = ROOT / "setup" / "wheel" / "contents.yaml"
START = ROOT / "setup" / "wheel" / "start.py"
OUT = ROOT / "build" / "wheel"
_PACKAGE = "thinwire_lab"
# In place of the sections about setuptools: one package that is a folder of the project.
_SETUPTOOLS = f"""\
[tool.setuptools]
packages = ["{_PACKAGE}"]
include-package-data = false

[tool.setuptools.package-data]
{_PACKAGE} = ["**/*", "**/.gitignore"]

"""
_REMEDY = "run 'make wheel', which builds it first"


def tracked(names: list[str] | tuple[str, ...]) -> list[str]:
    """Return the files of the project, as paths below it, that git knows."""
    words = ["git", "ls-files", "--", *names]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    return sorted(name for name in done.stdout.splitlines() if (ROOT / name).is_file())


def _copy(source: Path, target: Path) -> None:
    if not source.is_file():
        raise InputError(source, "", "is not built", _REMEDY)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o755 if os.access(source, os.X_OK) else 0o644)


def _describe(stage: Path) -> None:
    """Write what setuptools reads: the project's description with another package and start."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    text = text.replace('"hil.cli:main"', f'"{_PACKAGE}:main"')
    begin, end = text.index("[tool.setuptools"), text.index("[tool.ruff]")
    (stage / "pyproject.toml").write_text(text[:begin] + _SETUPTOOLS + text[end:], encoding="utf-8")
    for name in ("LICENSE", "README.md"):
        _copy(ROOT / name, stage / name)
    _copy(START, stage / _PACKAGE / "__init__.py")


def fill(top: Path, contents: dict[str, list[str]]) -> None:
    """Copy what a wheel carries of the project into the folder `top`.

    Raises:
        InputError: something is not built.
    """
    for name in tracked(contents["files"]):
        if not name.startswith(tuple(contents["without"])):
            _copy(ROOT / name, top / name)
    for name in contents["built"]:
        _copy(ROOT / name, top / name)
    for name in contents["results"]:
        for path in sorted((ROOT / name).rglob("*")):
            if path.is_file():
                _copy(path, top / path.relative_to(ROOT))
    for name in contents["portable"]:
        _copy(OUT / name, top / "build" / name)
    made = image.build()
    lab = top / image.LAB.relative_to(ROOT)
    for file in (made.archive, made.folder / "info.json"):
        _copy(file, lab / made.digest / file.name)
    (lab / shipped.CURRENT).write_text(f"{made.digest}\n", encoding="utf-8")
    library = preloads.built(processes.RANDOMNESS)
    _copy(library, top / library.relative_to(ROOT))
    (top / shipped.COMMIT.name).write_text(version.commit(), encoding="utf-8")
    licences.write(top / "licences", contents)


def _wheel(stage: Path, out: Path, platform: str) -> Path:
    """Run setuptools on the stage; return the wheel."""
    words = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    words += ["--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(out)]
    words += [f"--config-settings=--build-option=--plat-name={platform}", str(stage)]
    subprocess.run(words, check=True, env=os.environ | {"SOURCE_DATE_EPOCH": "1577836800"})
    (made,) = out.glob(f"thinwire-*{platform}.whl")
    return made


def _check_size(file: Path, stage: Path, contents: dict[str, int]) -> None:
    unpacked = sum(path.stat().st_size for path in stage.rglob("*") if path.is_file())
    for what, size, limit in (
        ("is", file.stat().st_size, contents["file_mb"]),
        ("unpacks to", unpacked, contents["unpacked_mb"]),
    ):
        print(f"{file.name} {what} {size / 1e6:.1f} MB (limit {limit})", file=sys.stderr)
        if size > limit * 10**6:
            problem = f"{what} more than {limit} MB"
            raise InputError(file, "", problem, f"shorten {CONTENTS.relative_to(ROOT)}")


def build(out: Path) -> Path:
    """Build the wheel in the folder `out`, and return it.

    Raises:
        InputError: something is not built, or the wheel is too large.
    """
    contents = yaml.safe_load(CONTENTS.read_text(encoding="utf-8"))
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("thinwire-*.whl"):
        old.unlink()
    with tempfile.TemporaryDirectory(dir=out) as folder:
        stage = Path(folder)
        _describe(stage)
        fill(stage / _PACKAGE, contents)
        made = _wheel(stage, out, contents["platform"])
        _check_size(made, stage / _PACKAGE, contents)
    return made


def main() -> int:
    """Build the wheel in the folder of the first argument; return the exit status."""
    try:
        print(build(Path(sys.argv[1]) if len(sys.argv) > 1 else OUT))
    except ThinwireError as error:
        return print_error(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
