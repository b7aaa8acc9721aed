"""What a wheel of `make wheel` carries, and what needs a clone of the project (docs/install.md).

A wheel is a folder of the project with one image, the common one, for the machine `uml`. Every host
runs the same bytes, so a trial has the same digest on each of them. No module of the guest imports
this one: a look at a file would take time there.
"""

from __future__ import annotations

from pathlib import Path

from hil.base.errors import ToolMissing
from hil.base.paths import ROOT

# A file that only a wheel has: what `thinwire --version` printed about the clone that made it.
COMMIT = ROOT / "commit"
IN_WHEEL = COMMIT.is_file()
CURRENT = "current"
CLONE = "run 'make setup' in a clone of the project, which builds it"


def image_folder(lab: Path) -> Path:
    """Return the folder of the image that `current` names.

    Raises:
        ToolMissing: the installation is incomplete.
    """
    try:
        digest = (lab / CURRENT).read_text(encoding="utf-8").strip()
        (lab / digest / "info.json").stat()
    except OSError as error:
        remedy = "install the wheel of 'make wheel' again"
        raise ToolMissing(f"{lab}", "the laboratory", remedy) from error
    return lab / digest


def refuse(what: str) -> ToolMissing:
    """Return the error that explains that a wheel lacks `what`."""
    return ToolMissing(what, "this trial; a wheel does not have it", CLONE)
