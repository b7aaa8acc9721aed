"""The root file system of a foreign program: unpacked from its package, and furnished."""

from __future__ import annotations

import os
import stat
import tarfile
from pathlib import Path

from hil.base.errors import LabError

# The user's folder, at the root.
FOLDER = "device"
_MEMORY_DEVICES = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8)}
_DEVICES = _MEMORY_DEVICES | {"urandom": (1, 9), "tty": (5, 0)}
_TUN = (10, 200)
_LINKS = {"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"}
_PIECE = 1 << 20
# What stands in the place of /proc/cpuinfo: the processor of setup/uml/lab_cpu.c.
CPUINFO = "etc/thinwire/cpuinfo"
_CPU = """\
processor\t: 0
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: 26
model name\t: Thinwire virtual CPU
stepping\t: 3
cpu MHz\t\t: 1000.000
physical id\t: 0
siblings\t: 1
core id\t\t: 0
cpu cores\t: 1
flags\t\t: fpu tsc cx8 cmov clflush mmx fxsr sse sse2 syscall nx rdtscp lm pni ssse3 cx16 sse4_1 \
sse4_2 popcnt lahf_lm
clflush size\t: 64
address sizes\t: 40 bits physical, 48 bits virtual

"""
_END = bytes(1024)


def _check_end(package: Path) -> None:
    """Check that an archive has its last blocks, whose loss Python's reader would not notice."""
    with package.open("rb") as file:
        file.seek(max(0, package.stat().st_size - len(_END)))
        if file.read() != _END:
            raise LabError("the package cannot be unpacked (it is truncated)")


def unpack(package: Path, root: Path, owner: int) -> None:
    """Unpack a package (hil/machine/package.py) into `root`. The user's folder belongs to `owner`,
    all else to root.

    Raises:
        LabError: the package is damaged, or a name in it leaves `root`.
    """
    try:
        _check_end(package)
        with tarfile.open(package, "r:") as archive:
            for entry in archive:
                if entry.name.startswith("/") or ".." in entry.name.split("/"):
                    raise LabError(f"{entry.name}: the package names a path outside its root")
                _unpack(archive, entry, root / entry.name)
                if entry.name.split("/")[0] == FOLDER:
                    os.chown(root / entry.name, owner, owner, follow_symlinks=False)
    except (tarfile.TarError, OSError) as error:
        raise LabError(f"the package cannot be unpacked ({error})") from error


def _unpack(archive: tarfile.TarFile, entry: tarfile.TarInfo, target: Path) -> None:
    if entry.isdir():
        target.mkdir(exist_ok=True)
    elif entry.issym():
        target.symlink_to(entry.linkname)
    elif (content := archive.extractfile(entry)) is not None:
        with target.open("wb", buffering=0) as file:
            while piece := content.read(_PIECE):
                file.write(piece)
        target.chmod(entry.mode)


def furnish(root: Path, network: bool) -> None:
    """Create what every root file system has: devices, and folders that all may write."""
    cpuinfo = root / CPUINFO
    cpuinfo.parent.mkdir(parents=True, exist_ok=True)
    cpuinfo.write_text(_CPU, encoding="ascii")
    for name in ("tmp", "run", "var/tmp", "dev/shm"):
        folder = root / name
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o1777)
    (root / "dev").chmod(0o755)
    devices = dict(_DEVICES)
    if network:
        (root / "dev" / "net").mkdir()
        devices["net/tun"] = _TUN
    for name, numbers in devices.items():
        path = root / "dev" / name
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(*numbers))
        path.chmod(0o666)
    for name, tail in _LINKS.items():
        (root / "dev" / name).symlink_to(f"/proc/self/fd{tail}")
