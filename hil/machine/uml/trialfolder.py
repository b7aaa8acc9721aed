"""The folder that host and machine share: an order going in, results coming out.

The files of the order (hil/rig/request.py), then `results/*`, and `done` once all are written.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from hil.rig.request import FIRMWARE, REQUEST

_RESULTS, _DONE = "results", "done"


def put_order(folder: Path, files: Mapping[str, bytes]) -> None:
    """Lay out the files of an order."""
    for name, content in files.items():
        (folder / name).write_bytes(content)


def take_order(folder: Path) -> dict[str, bytes]:
    """The files of the order."""
    return {name: (folder / name).read_bytes() for name in (REQUEST, FIRMWARE)}


def put_results(folder: Path, files: Mapping[str, bytes | Path]) -> None:
    """Leave results, given by their contents or their paths, and say that they are whole."""
    (folder / _RESULTS).mkdir()
    for name in sorted(files):
        content, target = files[name], folder / _RESULTS / name
        if isinstance(content, bytes):
            target.write_bytes(content)
        else:
            shutil.copyfile(content, target)
    (folder / _DONE).touch()


def take_results(folder: Path) -> dict[str, bytes] | None:
    """The results, or None if they are not whole."""
    if not (folder / _DONE).exists():
        return None
    return {path.name: path.read_bytes() for path in sorted((folder / _RESULTS).iterdir())}
