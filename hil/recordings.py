"""Recorded captures: where they are, whether they can be had, and fetching them.

A file is taken from a mirror folder (argument, or THINWIRE_MIRROR), below which it may lie in any
folder, else from its URL; it must have the digest that data/archives.yaml gives.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.base.schema import load_yaml, nearest

INDEX = ROOT / "data" / "archives.yaml"
TIMEOUT_S = 30
PROBE_TIMEOUT_S = 3


def git_blob(content: bytes) -> str:
    """The name that git gives to a file with this content, 40 hexadecimal digits."""
    head = b"blob %d\0" % len(content)
    return hashlib.sha1(head + content, usedforsecurity=False).hexdigest()


DIGESTS = {"sha256": lambda content: hashlib.sha256(content).hexdigest(), "git-blob": git_blob}


@dataclass(frozen=True)
class Archive:
    """One recorded capture; `digest` is `KIND:DIGITS`, the first digits of one of DIGESTS."""

    name: str
    url: str
    digest: str
    device: str
    topic: str = ""

    @property
    def file(self) -> str:
        return self.url.rpartition("/")[2]

    @property
    def options(self) -> list[str]:
        """The analysis' options for this capture, as words."""
        return ["--device", self.device] + (["--topic", self.topic] if self.topic else [])

    def difference(self, content: bytes) -> str:
        """What tells `content` from the recorded file, in words; empty if nothing does."""
        kind, _, expected = self.digest.partition(":")
        found = DIGESTS[kind](content)
        return "" if found.startswith(expected) else f"its {kind} is {found}, not {expected}"


def load(index: Path = INDEX) -> dict[str, Archive]:
    """All recorded captures by name, in the order of the file."""
    found: dict[str, Archive] = {}
    for title, study in load_yaml(index, "archives")["archives"].items():
        for name, capture in study["captures"].items():
            if name in found:
                key = f"archives.{title}.captures.{name}"
                raise InputError(index, key, "is another study's name, too", "choose another name")
            found[name] = Archive(
                name=name,
                url=f"{study['base']}/{capture['file']}",
                digest=capture["digest"],
                device=study["device"],
                topic=capture.get("topic", ""),
            )
    return found


def mirrored(archive: Archive, mirror: str) -> Path | None:
    """The archive's file in the mirror folder, or None."""
    folder = mirror or os.environ.get("THINWIRE_MIRROR", "")
    if not folder:
        return None
    if not Path(folder).is_dir():
        raise InputError(folder, "", "the mirror is not a folder", "correct config.yaml: mirror")
    return min(Path(folder).rglob(archive.file), default=None)


def reachable(mode: str, mirror: str, index: Path = INDEX) -> dict[str, Archive]:
    """The archives that a run uses: all (`yes`), none (`no`), or each that can be had (`auto`).

    Files that were fetched before, or lie in the mirror, count as had; each of the others is asked
    for at its address, all at once. What is left out is said on standard error.
    """
    archives = load(index)
    if mode == "no":
        return {}
    if mode == "yes":
        return archives
    absent = [
        archive
        for name, archive in archives.items()
        if not (ROOT / "data" / "archives" / f"{name}.pcapng").exists()
        and mirrored(archive, mirror) is None
    ]
    with ThreadPoolExecutor(max_workers=16) as pool:
        answers = pool.map(lambda archive: _answers(archive.url), absent)
    lacking = {archive.name for archive, answer in zip(absent, answers, strict=True) if not answer}
    if lacking:
        print(
            f"thinwire: {len(lacking)} of {len(archives)} recorded captures cannot be had here "
            f"(neither in the mirror nor at their address): {', '.join(sorted(lacking))}",
            file=sys.stderr,
        )
    return {name: archive for name, archive in archives.items() if name not in lacking}


def _answers(url: str) -> bool:
    request = urllib.request.Request(url, method="HEAD")
    try:
        with urllib.request.urlopen(request, timeout=PROBE_TIMEOUT_S):
            return True
    except (OSError, HTTPException, ValueError, OverflowError):
        return False


def fetch(name: str, mirror: str, out: Path, index: Path = INDEX) -> None:
    """Copy or download archive `name` to `out`; nothing is left there if its digest is wrong."""
    archives = load(index)
    if name not in archives:
        raise InputError(index, name, "no such archive", nearest(name, sorted(archives)))
    archive = archives[name]
    source = mirrored(archive, mirror)
    if source is None:
        content = download(archive)
    else:
        content = source.read_bytes()
        if difference := archive.difference(content):
            raise InputError(
                source,
                "",
                difference,
                "it is not the recorded file: replace it, or take it out of the mirror",
            )
    out.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=out.parent, prefix=".fetch-"))
    try:
        part = scratch / archive.file
        part.write_bytes(content)
        part.replace(out)
    finally:
        shutil.rmtree(scratch)


def download(archive: Archive) -> bytes:
    """The archive's content from its address, checked."""
    try:
        with urllib.request.urlopen(archive.url, timeout=TIMEOUT_S) as answer:
            content: bytes = answer.read()
    except (OSError, HTTPException, ValueError, OverflowError) as error:
        raise InputError(
            archive.url,
            "",
            f"cannot be fetched ({error})",
            f"put {archive.file} into a folder and name it in config.yaml: mirror",
        ) from error
    if difference := archive.difference(content):
        raise InputError(
            archive.url,
            "",
            difference,
            f"the address gives another file: put the recorded {archive.file} into a folder and "
            "name it in config.yaml: mirror",
        )
    return content
