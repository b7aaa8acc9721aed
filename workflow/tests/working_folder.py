"""Folders in which the tests run Snakemake: files of the project, and settings of their own."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = ["profiles", "hil", "firmware", "sim", "setup", "paper"]
CODE += ["data/recorded", "data/measured", "docs/measured"]  # what claims rest on without a run
CONFIG = """\
studies: [smoke]
profile: quick
testbed: virtual
machine: auto
emulator: lx106
recordings: "no"
mirror: ""
cell: false
nbiot: false
paper: plain
"""


def snakemake(workdir, *arguments):
    command = ["snakemake", "--cores", "2", *arguments]
    return subprocess.run(command, cwd=workdir, capture_output=True, text=True, check=False)


def link(workdir, *names):
    """Give a working folder files and folders of the project."""
    for name in names:
        (workdir / name).parent.mkdir(parents=True, exist_ok=True)
        (workdir / name).symlink_to(ROOT / name)


def stand_in(workdir, *names):
    """Empty files in the place of what is built, for a workflow that only plans."""
    for name in names:
        (workdir / name).parent.mkdir(parents=True, exist_ok=True)
        (workdir / name).touch()
