"""Pack a crate's folder as a zip file, with the same bytes on every host.

Files are sorted by name and have neither times nor owners. They are stored uncompressed: compressed
bytes depend on the library, and captures are compressed already.
"""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

_DAY = (1980, 1, 1, 0, 0, 0)  # the earliest date of the format
_UNIX = 3


def pack(folder: Path, target: Path) -> None:
    """Write all files of `folder` to the zip file `target`."""
    files = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as target_zip:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, _DAY)
            info.create_system = _UNIX
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            target_zip.writestr(info, files[name].read_bytes())
