"""Recordings: captures of real devices by others, their addresses, and how to fetch them.

A file comes from a mirror folder (an argument, or THINWIRE_MIRROR) or one of its subfolders, else
from its URL. It must have the digest of data/recordings.yaml.
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
    """Return git's name of a file with this content: 40 hexadecimal digits."""
    head = b"blob %d\0" % len(content)
    return hashlib.sha1(head + content, usedforsecurity=False).hexdigest()


DIGESTS = {"sha256": lambda content: hashlib.sha256(content).hexdigest(), "git-blob": git_blob}


@dataclass(frozen=True)
class Recording:
    """A recorded capture; `digest` is `KIND:DIGITS`, the first digits of one of DIGESTS."""

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
        """The analysis' options for this capture, as command-line arguments."""
        return ["--device", self.device] + (["--topic", self.topic] if self.topic else [])

    def difference(self, content: bytes) -> str:
        """Describe how `content` differs from the recorded file; empty if it does not."""
        kind, _, expected = self.digest.partition(":")
        found = DIGESTS[kind](content)
        return "" if found.startswith(expected) else f"its {kind} is {found}, not {expected}"


def load(index: Path = INDEX) -> dict[str, Recording]:
    """Return all recordings by name, in the order of the file."""
    found: dict[str, Recording] = {}
    for title, study in load_yaml(index, "recordings")["recordings"].items():
        for name, capture in study["captures"].items():
            if name in found:
                key = f"recordings.{title}.captures.{name}"
                raise InputError(index, key, "is used twice", "choose another name")
            found[name] = Recording(
                name=name,
                url=f"{study['base']}/{capture['file']}",
                digest=capture["digest"],
                device=study["device"],
                topic=capture.get("topic", ""),
            )
    return found


def mirrored(recording: Recording, mirror: str) -> Path | None:
    """Return the recording's file in the mirror folder, or None."""
    folder = mirror or os.environ.get("THINWIRE_MIRROR", "")
    if not folder:
        return None
    if not Path(folder).is_dir():
        raise InputError(folder, "", "the mirror is not a folder", "correct config.yaml: mirror")
    return min(Path(folder).rglob(recording.file), default=None)


def reachable(mode: str, mirror: str, index: Path = INDEX) -> dict[str, Recording]:
    """Return the recordings to use: all (`yes`), none (`no`), or the available ones (`auto`).

    A recording is available if it was fetched before, is in the mirror, or answers at its address.
    Addresses are tried at the same time. The rest is reported on standard error.
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
            f"thinwire: {len(lacking)} of {len(recordings)} recordings are not available "
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
    """Copy or download the recording `name` to `out`.

    Raises:
        InputError: it is unknown, unavailable, or has a wrong digest; `out` is unchanged.
    """
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
                "it is not the recorded file: replace it, or remove it from the mirror",
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
    """Download a recording and check its digest.

    Raises:
        InputError: it is unavailable, or has a wrong digest.
    """
    try:
        with urllib.request.urlopen(recording.url, timeout=TIMEOUT_S) as answer:
            content: bytes = answer.read()
    except (OSError, HTTPException, ValueError, OverflowError) as error:
        raise InputError(
            recording.url,
            "",
            f"cannot be fetched ({error})",
            f"put {recording.file} into a folder and set mirror in config.yaml to it",
        ) from error
    if difference := recording.difference(content):
        raise InputError(
            recording.url,
            "",
            difference,
            f"the file at this address has changed: put the recorded {recording.file} into a "
            "folder and set mirror in config.yaml to it",
        )
    return content
