"""Are results independent of the names of folders: checkout, TMPDIR, HOME?

Each case is a separate checkout with the image that was built here, which it must find by its
digest; the most unusual one has no image, and builds and boots it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hil.base.paths import ROOT
from hil.machine import image, snapshot

pytestmark = pytest.mark.lab

LINKED = (
    "workflow",
    "data/oscore",
    "data/recorded",
    "data/tls",
    "build/kernel",
    "build/sim/air/air",
    "build/sim/lx106/lx106",
    "build/sim/wire/wire",
    "build/dtls",
)
LINKED += ("build/firmware/lx106/thinwire.elf",)
LONG = "long" * 50
WORST = "a blank, a 'quote' and a \"quote\", \N{SNOWMAN} $HOME " + "x" * 150
TRIAL = ("trial", "run", "smoke", "--point", "protocol=mqtt", "--out", "out")


def check_out(folder: Path, built: image.Image, shared: bool) -> None:
    """A checkout in `folder`, of what the lab is made from; `shared`: with the image."""
    ignored = shutil.ignore_patterns("__pycache__", "tests")
    shutil.copytree(ROOT / "hil", folder / "hil", ignore=ignored)
    for name in LINKED:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(ROOT / name)
    if shared:
        lab = folder / "build" / "lab" / built.digest
        lab.mkdir(parents=True)
        for path in built.folder.iterdir():
            if path.is_file():
                (lab / path.name).symlink_to(path)


def thinwire(checkout: Path, own: Path, *words: str) -> str:
    """Run a command in a checkout, with TMPDIR and HOME below `own`; what it prints."""
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "PYTHONPATH": str(checkout)}
    for key, name in (("TMPDIR", "tmp"), ("HOME", "home")):
        (own / name).mkdir(parents=True, exist_ok=True)
        environment[key] = str(own / name)
    run = subprocess.run(
        [sys.executable, "-m", "hil.cli", *words],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert list((own / "tmp").iterdir()) == []
    return run.stdout


def sums(checkout: Path) -> str:
    """The digests of the only bundle in a checkout."""
    (found,) = checkout.glob("out/smoke/*/SHA256SUMS")
    return found.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def built() -> image.Image:
    made = image.build()
    snapshot.ensure(made)
    return made


@pytest.fixture(scope="module")
def usual(built: image.Image, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digests of the trial where no name is odd."""
    folder = tmp_path_factory.mktemp("usual")
    check_out(folder / "checkout", built, shared=True)
    thinwire(folder / "checkout", folder, *TRIAL)
    return sums(folder / "checkout")


@pytest.mark.parametrize(
    ("checkout", "own"),
    [
        ("a blank", "a blank"),
        ("comma,size=1", "comma,size=1"),
        ("'q\"", "'q\""),
        ("\N{GREEK SMALL LETTER OMEGA}", "\N{GREEK SMALL LETTER OMEGA}"),
        (LONG, LONG),
        ("plain", "co:lon"),
        (WORST, WORST),
    ],
    ids=["blank", "comma", "quotes", "unicode", "long", "colon", "worst"],
)
def test_the_same_image_and_the_same_bundle_in_every_folder(
    built: image.Image, usual: str, checkout: str, own: str, tmp_path: Path
) -> None:
    workdir = tmp_path / checkout / "checkout"
    check_out(workdir, built, shared=checkout != WORST)
    assert thinwire(workdir, tmp_path / own, "lab", "build").strip() == built.digest
    thinwire(workdir, tmp_path / own, *TRIAL)
    assert [path.parent.name for path in workdir.glob("build/lab/*/info.json")] == [built.digest]
    assert sums(workdir) == usual
