"""Take the kernel of the machine `uml` out of a wheel (docs/install.md).

    setup/uml/take.py WHEEL SOURCES FOLDER

Fills FOLDER with linux, info.json and sources. Ends with 1, and without FOLDER, if the kernel is
damaged, or was made of other sources than those with this digest (setup/uml/build).
"""

import hashlib
import json
import shutil
import sys
import zipfile
from pathlib import Path

INSIDE = "thinwire_lab/build/uml"
FILES = ("linux", "info.json", "sources")


def take(wheel: Path, sources: str, folder: Path) -> bool:
    """Return whether FOLDER now has the kernel of the wheel."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            files = {name: archive.read(f"{INSIDE}/{name}") for name in FILES}
        digest = json.loads(files["info.json"])["sha256"]
    except (OSError, KeyError, ValueError, TypeError, zipfile.BadZipFile):
        return False
    if files["sources"].decode(errors="replace").strip() != sources:
        return False
    if hashlib.sha256(files["linux"]).hexdigest() != digest:
        return False
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    (folder / "linux").chmod(0o755)
    return True


if __name__ == "__main__":
    sys.exit(0 if take(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])) else 1)
