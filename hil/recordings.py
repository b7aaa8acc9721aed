"""Recorded captures: where they are, whether they can be had, and fetching them.

A file is taken from a mirror folder (argument, or THINWIRE_MIRROR), below which it may lie in any
folder, else from its URL; it must have the digest that data/recordings.yaml gives.
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

INDEX = ROOT / "data" / "recordings.yaml"
TIMEOUT_S = 30
PROBE_TIMEOUT_S = 3


def git_blob(content: bytes) -> str:
    """The name that git gives to a file with this content, 40 hexadecimal digits."""
    head = b"blob %d\0" % len(content)
    return hashlib.sha1(head + content, usedforsecurity=False).hexdigest()


DIGESTS = {"sha256": lambda content: hashlib.sha256(content).hexdigest(), "git-blob": git_blob}


@dataclass(frozen=True)
class Recording:
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


def load(index: Path = INDEX) -> dict[str, Recording]:
    """All recorded captures by name, in the order of the file."""
    found: dict[str, Recording] = {}
    for title, study in load_yaml(index, "recordings")["recordings"].items():
        for name, capture in study["captures"].items():
            if name in found:
                key = f"recordings.{title}.captures.{name}"
                raise InputError(index, key, "is another study's name, too", "choose another name")
            found[name] = Recording(
                name=name,
                url=f"{study['base']}/{capture['file']}",
                digest=capture["digest"],
                device=study["device"],
                topic=capture.get("topic", ""),
            )
    return found


def mirrored(recording: Recording, mirror: str) -> Path | None:
    """The recording's file in the mirror folder, or None."""
    folder = mirror or os.environ.get("THINWIRE_MIRROR", "")
    if not folder:
        return None
    if not Path(folder).is_dir():
        raise InputError(folder, "", "the mirror is not a folder", "correct config.yaml: mirror")
    return min(Path(folder).rglob(recording.file), default=None)


def reachable(mode: str, mirror: str, index: Path = INDEX) -> dict[str, Recording]:
    """The recordings that a run uses: all (`yes`), none (`no`), or each that can be had (`auto`).

    Files that were fetched before, or lie in the mirror, count as had; each of the others is asked
    for at its address, all at once. What is left out is said on standard error.
    """
    recordings = load(index)
    if mode == "no":
        return {}
    if mode == "yes":
        return recordings
    absent = [
        recording
        for name, recording in recordings.items()
        if not (ROOT / "data" / "recordings" / f"{name}.pcapng").exists()
        and mirrored(recording, mirror) is None
    ]
    with ThreadPoolExecutor(max_workers=16) as pool:
        answers = pool.map(lambda recording: _answers(recording.url), absent)
    lacking = {
        recording.name for recording, answer in zip(absent, answers, strict=True) if not answer
    }
    if lacking:
        print(
            f"thinwire: {len(lacking)} of {len(recordings)} recorded captures cannot be had here "
            f"(neither in the mirror nor at their address): {', '.join(sorted(lacking))}",
            file=sys.stderr,
        )
    return {name: recording for name, recording in recordings.items() if name not in lacking}


def _answers(url: str) -> bool:
    request = urllib.request.Request(url, method="HEAD")
    try:
        with urllib.request.urlopen(request, timeout=PROBE_TIMEOUT_S):
            return True
    except (OSError, HTTPException, ValueError, OverflowError):
        return False


def fetch(name: str, mirror: str, out: Path, index: Path = INDEX) -> None:
    """Copy or download recording `name` to `out`; nothing is left there if its digest is wrong."""
    recordings = load(index)
    if name not in recordings:
        raise InputError(index, name, "no such recording", nearest(name, sorted(recordings)))
    recording = recordings[name]
    source = mirrored(recording, mirror)
    if source is None:
        content = download(recording)
    else:
        content = source.read_bytes()
        if difference := recording.difference(content):
            raise InputError(
                source,
                "",
                difference,
                "it is not the recorded file: replace it, or take it out of the mirror",
            )
    out.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=out.parent, prefix=".fetch-"))
    try:
        part = scratch / recording.file
        part.write_bytes(content)
        part.replace(out)
    finally:
        shutil.rmtree(scratch)


def download(recording: Recording) -> bytes:
    """The recording's content from its address, checked."""
    try:
        with urllib.request.urlopen(recording.url, timeout=TIMEOUT_S) as answer:
            content: bytes = answer.read()
    except (OSError, HTTPException, ValueError, OverflowError) as error:
        raise InputError(
            recording.url,
            "",
            f"cannot be fetched ({error})",
            f"put {recording.file} into a folder and name it in config.yaml: mirror",
        ) from error
    if difference := recording.difference(content):
        raise InputError(
            recording.url,
            "",
            difference,
            f"the address gives another file: put the recorded {recording.file} into a folder and "
            "name it in config.yaml: mirror",
        )
    return content
