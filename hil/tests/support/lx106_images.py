"""Images of the LX106 board, built for a test."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hil.base.paths import ROOT

BUILD = ROOT / "build" / "firmware" / "lx106"


def build(*targets: str) -> list[Path]:
    """Build these images and return their files. Tests that run at the same time take turns."""
    BUILD.mkdir(parents=True, exist_ok=True)
    for command in (
        ["setup/configure", "firmware/boards/lx106", BUILD],
        ["cmake", "--build", BUILD, "--target", *targets],
    ):
        alone = ["flock", BUILD, *command]
        subprocess.run(alone, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return [BUILD / f"{target}.elf" for target in targets]
