"""The folder that host and machine share: the request goes in, the results come out.

It holds the files of the request (hil/rig/request.py), then `results/*`, and `done` after the last
result.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from hil.rig.request import FIRMWARE, PACKAGES, REQUEST

_RESULTS, _DONE = "results", "done"


def put_request(folder: Path, files: Mapping[str, bytes | Path]) -> None:
    """Write the files of a request."""
    for name, content in files.items():
        if isinstance(content, bytes):
            (folder / name).write_bytes(content)
        else:
            shutil.copyfile(content, folder / name)


def take_request(folder: Path) -> dict[str, bytes | Path]:
    """Return the files of the request: contents, or paths of packages, of which a second copy would
    fill the machine's memory."""
    packages = {name: folder / name for name in PACKAGES if (folder / name).exists()}
    contents = {
        name: (folder / name).read_bytes()
        for name in (REQUEST, FIRMWARE)
        if (folder / name).exists()
    }
    return packages | contents


def put_results(folder: Path, files: Mapping[str, bytes | Path]) -> None:
    """Write results, given by their contents or their paths, and mark them as complete."""
    (folder / _RESULTS).mkdir()
    for name in sorted(files):
        content, target = files[name], folder / _RESULTS / name
        if isinstance(content, bytes):
            target.write_bytes(content)
        else:
            shutil.copyfile(content, target)
    (folder / _DONE).touch()


def take_results(folder: Path) -> dict[str, bytes] | None:
    """Return the results, or None if they are incomplete."""
    if not (folder / _DONE).exists():
        return None
    return {path.name: path.read_bytes() for path in sorted((folder / _RESULTS).iterdir())}
