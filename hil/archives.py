"""Recorded captures: where they are, whether they can be had, and fetching them.

A file is taken from a mirror folder (argument, or THINWIRE_MIRROR), below which it may lie in any
folder, else from its URL; its SHA-256 must be the one in data/archives.yaml.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from hil.errors import InputError
from hil.schema import ROOT, load_yaml, nearest

INDEX = ROOT / "data" / "archives.yaml"
TIMEOUT_S = 30
PROBE_TIMEOUT_S = 3


@dataclass(frozen=True)
class Archive:
    """One recorded capture."""

    name: str
    url: str
    sha256: str
    device: str
    topic: str = ""

    @property
    def file(self) -> str:
        return self.url.rpartition("/")[2]

    @property
    def options(self) -> str:
        """The analysis' options for this capture."""
        return f"--device {self.device}" + (f" --topic {self.topic}" if self.topic else "")


def load(index: Path = INDEX) -> dict[str, Archive]:
    """All recorded captures by name, in the order of the file."""
    return {
        name: Archive(
            name=name,
            url=f"{study['base']}/{capture['file']}",
            sha256=capture["sha256"],
            device=study["device"],
            topic=capture.get("topic", ""),
        )
        for study in load_yaml(index, "archives")["archives"].values()
        for name, capture in study["captures"].items()
    }


def mirrored(archive: Archive, mirror: str) -> Path | None:
    """The archive's file in the mirror folder, or None."""
    folder = mirror or os.environ.get("THINWIRE_MIRROR", "")
    if not folder:
        return None
    if not Path(folder).is_dir():
        raise InputError(folder, "", "the mirror is not a folder", "correct config.yaml: mirror")
    return min(Path(folder).rglob(archive.file), default=None)


def reachable(mode: str, mirror: str, index: Path = INDEX) -> dict[str, Archive]:
    """The archives that a run uses: all (`yes`), none (`no`), or those to be had (`auto`).

    Files that were fetched before, or lie in the mirror, count as had; for the others one request
    tells whether the network is there. What is left out is said on standard error.
    """
    archives = load(index)
    if mode == "no":
        return {}
    if mode == "yes":
        return archives
    absent = {
        name
        for name, archive in archives.items()
        if not (ROOT / "data" / "archives" / f"{name}.pcapng").exists()
        and mirrored(archive, mirror) is None
    }
    if absent and not _answers(archives[min(absent)].url):
        print(
            f"thinwire: {len(absent)} of {len(archives)} recorded captures cannot be had here "
            "(no network, not in the mirror): the paper goes without them",
            file=sys.stderr,
        )
        return {name: archive for name, archive in archives.items() if name not in absent}
    return archives


def _answers(url: str) -> bool:
    request = urllib.request.Request(url, method="HEAD")
    try:
        with urllib.request.urlopen(request, timeout=PROBE_TIMEOUT_S):
            return True
    except OSError:
        return False


def fetch(name: str, mirror: str, out: Path, index: Path = INDEX) -> None:
    """Copy or download archive `name` to `out`; nothing is left there if its hash is wrong."""
    archives = load(index)
    if name not in archives:
        raise InputError(index, name, "no such archive", nearest(name, sorted(archives)))
    archive = archives[name]
    source = mirrored(archive, mirror)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=out.parent, prefix=".fetch-", delete=False) as file:
        part = Path(file.name)
    try:
        if source is not None:
            shutil.copyfile(source, part)
        else:
            _download(archive, part)
        found = hashlib.sha256(part.read_bytes()).hexdigest()
        if found != archive.sha256:
            raise InputError(
                source or archive.url,
                "",
                f"SHA-256 is {found}, not {archive.sha256}",
                "it is not the recorded file: replace it, or take it out of the mirror",
            )
        part.chmod(0o644)
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)


def _download(archive: Archive, part: Path) -> None:
    try:
        with (
            urllib.request.urlopen(archive.url, timeout=TIMEOUT_S) as answer,
            part.open("wb") as file,
        ):
            shutil.copyfileobj(answer, file)
    except (OSError, urllib.error.URLError) as error:
        raise InputError(
            archive.url,
            "",
            f"cannot be fetched ({error})",
            f"put {archive.file} into a folder and name it in config.yaml: mirror",
        ) from error
