"""What a wheel of `make wheel` carries, and what needs a clone of the project (docs/install.md).

A wheel is a folder of the project with one image, the common one, for the machine `uml`. Wheels
beside it add further images. Every host runs the same bytes, so a trial has the same digest on each
of them. No module of the guest imports this one: a look at a file would take time there.
"""

from __future__ import annotations

from pathlib import Path

from hil.base.errors import ToolMissing
from hil.base.paths import ROOT

# A file that only a wheel has: what `thinwire --version` printed about the clone that made it.
COMMIT = ROOT / "commit"
IN_WHEEL = COMMIT.is_file()
LAB = ROOT / "build" / "lab"  # the images
CURRENT, COMMON = "current", "common"
# The flavours of images that have a wheel of their own, thinwire_FLAVOUR-*.whl.
ADDED = ("amqp",)
CLONE = "run 'make setup' in a clone of the project, which builds it"


def write_image(lab: Path, label: str, digest: str, common: str) -> None:
    """Note in the folder `lab` of a wheel which image it adds for a flavour, beside `common`."""
    (lab / f"{CURRENT}-{label}").write_text(f"{digest} {common}\n", encoding="utf-8")


def wheel_of(label: str) -> str:
    """Return the file's name of the wheel with the image of a flavour; empty if there is none."""
    return f"thinwire_{label}-*.whl" if label in ADDED else ""


def has(label: str) -> bool:
    """Return whether a wheel with the image of a flavour is installed."""
    try:
        image_folder(LAB, label)
    except ToolMissing:
        return False
    return True


def image_folder(lab: Path, label: str) -> Path:
    """Return the folder of the image for a flavour.

    Raises:
        ToolMissing: its wheel is not installed, is damaged, or is of another build.
    """
    try:
        common = (lab / CURRENT).read_text(encoding="utf-8").strip()
        (lab / common / "info.json").stat()
    except OSError as error:
        remedy = "install the wheel of 'make wheel' again"
        raise ToolMissing(f"{lab}", "the laboratory", remedy) from error
    if label == COMMON:
        return lab / common
    if label not in ADDED:
        raise refuse(f"the image '{label}'")
    remedy = f"install {wheel_of(label)} and thinwire-*.whl of one 'make wheel'"
    missing = ToolMissing(f"the image '{label}' of the installed build", "this trial", remedy)
    try:
        digest, beside = (lab / f"{CURRENT}-{label}").read_text(encoding="utf-8").split()
        (lab / digest / "info.json").stat()
    except (OSError, ValueError) as error:
        raise missing from error
    if beside != common:
        raise missing
    return lab / digest


def refuse(what: str) -> ToolMissing:
    """Return the error that explains that a wheel lacks `what`."""
    return ToolMissing(what, "this trial; a wheel does not have it", CLONE)
