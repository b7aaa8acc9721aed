"""Build the wheel `thinwire`: the command line with the laboratory in it (docs/install.md), and a
wheel for each further image.

    python setup/wheel/build.py [FOLDER]

`make wheel` builds first what setup/wheel/contents.yaml lists. The wheels' names go to standard
output. The same files give the same wheels.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import licences
import yaml

from hil.base.errors import InputError, ThinwireError, print_error
from hil.base.paths import ROOT
from hil.commands import version
from hil.machine import image, shipped
from hil.machine.flavours import COMMON, flavours
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


def _describe(stage: Path, text: str) -> None:
    """Write what setuptools reads: the sections of pyproject.toml about the project, and ours."""
    (stage / "pyproject.toml").write_text(text + _SETUPTOOLS, encoding="utf-8")
    for name in ("LICENSE", "README.md"):
        _copy(ROOT / name, stage / name)


def _copy_image(made: image.Image, lab: Path) -> None:
    for file in (made.archive, made.folder / "info.json"):
        _copy(file, lab / made.digest / file.name)


def _write_laboratory(stage: Path, contents: dict[str, list[str]]) -> None:
    """Write what the wheel of the laboratory is made of.

    Raises:
        InputError: something is not built.
    """
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    text = text.replace('"hil.cli:main"', f'"{_PACKAGE}:main"')
    _describe(stage, text[: text.index("[tool.setuptools")])
    top = stage / _PACKAGE
    _copy(START, top / "__init__.py")
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
    _copy_image(made, lab)
    (lab / shipped.CURRENT).write_text(f"{made.digest}\n", encoding="utf-8")
    library = preloads.built(processes.RANDOMNESS)
    _copy(library, top / library.relative_to(ROOT))
    (top / shipped.COMMIT.name).write_text(version.commit(), encoding="utf-8")
    licences.write(top / "licences", contents, COMMON)


def _write_image(stage: Path, name: str) -> None:
    """Write what the wheel is made of that adds an image to a laboratory of the same version."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    lines = {
        "name": f"thinwire-{name}",
        "version": project["version"],
        "description": f"The image '{name}' of the laboratory of thinwire",
        "readme": project["readme"],
        "requires-python": project["requires-python"],
        "dependencies": [f"thinwire=={project['version']}"],
    }
    rows = "".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items())
    rows += f"license = {{ text = {json.dumps(project['license']['text'])} }}\n"
    _describe(stage, f"{text[: text.index('[project]')]}[project]\n{rows}\n")
    top, flavour = stage / _PACKAGE, flavours()[name]
    made, lab = image.build(flavour), top / image.LAB.relative_to(ROOT)
    _copy_image(made, lab)
    shipped.write_image(lab, flavour.label, made.digest, image.build().digest)
    licences.write(top / "licences" / name, {"built": [], "portable": []}, flavour)


def _wheel(stage: Path, out: Path, name: str, platform: str) -> Path:
    """Run setuptools on the stage; return the wheel."""
    words = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    words += ["--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(out)]
    words += [f"--config-settings=--build-option=--plat-name={platform}", str(stage)]
    subprocess.run(words, check=True, env=os.environ | {"SOURCE_DATE_EPOCH": "1577836800"})
    (made,) = out.glob(f"{name}-*{platform}.whl")
    return made


def _check_size(file: Path, stage: Path, limits: dict[str, int]) -> None:
    unpacked = sum(path.stat().st_size for path in stage.rglob("*") if path.is_file())
    for what, size, limit in (
        ("is", file.stat().st_size, limits["file"]),
        ("unpacks to", unpacked, limits["unpacked"]),
    ):
        print(f"{file.name} {what} {size / 1e6:.1f} MB (limit {limit})", file=sys.stderr)
        if size > limit * 10**6:
            problem = f"{what} more than {limit} MB"
            raise InputError(file, "", problem, f"shorten {CONTENTS.relative_to(ROOT)}")


def _pack(out: Path, name: str, contents: dict[str, Any], write: Callable[[Path], None]) -> Path:
    """Build a wheel of what `write` puts into a folder; return it."""
    with tempfile.TemporaryDirectory(dir=out) as folder:
        stage = Path(folder)
        write(stage)
        made = _wheel(stage, out, name, contents["platform"])
        _check_size(made, stage / _PACKAGE, contents["limits"][name])
    return made


def build(out: Path) -> list[Path]:
    """Build the wheels in the folder `out`, and return them, that of the laboratory first.

    Raises:
        InputError: something is not built, or a wheel is too large.
    """
    contents = yaml.safe_load(CONTENTS.read_text(encoding="utf-8"))
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("thinwire*.whl"):
        old.unlink()

    parts: dict[str, Callable[[Path], None]] = {
        "thinwire": partial(_write_laboratory, contents=contents),
        **{f"thinwire_{name}": partial(_write_image, name=name) for name in shipped.ADDED},
    }
    return [_pack(out, name, contents, write) for name, write in parts.items()]


def main() -> int:
    """Build the wheels in the folder of the first argument; return the exit status."""
    try:
        for made in build(Path(sys.argv[1]) if len(sys.argv) > 1 else OUT):
            print(made)
    except ThinwireError as error:
        return print_error(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
