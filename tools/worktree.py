"""A copy of the work tree with a study of its own, to try the workflow itself on."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from hil.base.paths import ROOT
from hil.design.studies import Study

# What `snakemake -- build/lab/current` has built, as far as rules name it.
BUILT = [
    "build/dtls/dtls-terminator",
    "build/firmware/lx106/thinwire.elf",
    "build/firmware/lx106/thinwire-secure.elf",
    "build/firmware/lx106/thinwire-tls13.elf",
    "build/firmware/lx106/thinwire-mqtt5.elf",
    "build/firmware/lx106/thinwire-mqtt5-secure.elf",
    "build/firmware/lx106/thinwire-mqtt5-tls13.elf",
    "build/firmware/lx106/thinwire-dhcp.elf",
    "build/firmware/lx106/thinwire-oscore.elf",
    "build/kernel/release",
    "build/lab/current",
    "build/sim/air/air",
    "build/sim/lx106/lx106",
    "build/sim/wire/wire",
    "build/src/lwip/.sha256",
    "build/src/mbedtls/.sha256",
]
# Where these settings are other than in the project's own file.
SETTINGS = {"recordings": "no", "mirror": "", "cell": False, "nbiot": False}


def study_file(workdir: Path, name: str) -> Path:
    """Where a study lies in a work tree."""
    return workdir / "workflow" / "studies" / f"{name}.yaml"


def study(name: str, profile: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The study `smoke` under another name, with this profile `quick`, and other changes."""
    document = yaml.safe_load(study_file(ROOT, "smoke").read_text(encoding="utf-8"))
    document["profiles"]["quick"] = profile
    return dict(document | changes | {"study": name})


def lay_out(workdir: Path, document: dict[str, Any], shared: Sequence[str] = ()) -> Study:
    """Copy what git knows and what is built to `workdir`, a new folder, and add a study to it.

    Args:
        document: the study's file.
        shared: folders below build/ that are not copied but linked.
    """
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)
    for name in [*listed.stdout.decode().split("\0")[:-1], *BUILT]:
        if not name.startswith(tuple(f"{folder}/" for folder in shared)):
            target = workdir / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target, follow_symlinks=False)
    for name in shared:
        (workdir / name).symlink_to(ROOT / name)
    path = study_file(workdir, document["study"])
    settings = workdir / "config.yaml"
    known = yaml.safe_load(settings.read_text(encoding="utf-8"))
    known |= SETTINGS | {"studies": [document["study"]]}
    settings.write_text(yaml.safe_dump(known), encoding="utf-8")
    path.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    return Study(path, document)
