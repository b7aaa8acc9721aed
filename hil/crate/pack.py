"""A crate's folder as one zip file, the same bytes wherever it is packed: files by name, without
times, owners or compression (whose bytes depend on the library; captures are compressed anyway)."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

_DAY = (1980, 1, 1, 0, 0, 0)  # the first that the format knows
_UNIX = 3


def pack(folder: Path, target: Path) -> None:
    """Write `target` with all files of `folder`."""
    files = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, _DAY)
            info.create_system = _UNIX
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(info, files[name].read_bytes())
