"""The folder that host and machine share: an order going in, results coming out.

`order.json` and `firmware.elf`, then `results/*` and, once all of them are written, `done`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_ORDER, _FIRMWARE, _RESULTS, _DONE = "order.json", "firmware.elf", "results", "done"


def put_order(folder: Path, order: bytes, firmware: bytes) -> None:
    """Lay out an order (JSON) and the board's firmware."""
    (folder / _ORDER).write_bytes(order)
    (folder / _FIRMWARE).write_bytes(firmware)


def take_order(folder: Path) -> tuple[dict[str, Any], bytes]:
    """The order and the firmware."""
    return json.loads((folder / _ORDER).read_bytes()), (folder / _FIRMWARE).read_bytes()


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
