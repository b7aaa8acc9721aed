"""Bundles: the only product of a trial, written completely or not at all, hashed, never edited.

    trial.json wire.pcapng.gz board.jsonl server.jsonl lab.json SHA256SUMS
    air.pcapng.gz (the virtual cell), monitor.pcapng.gz (an adapter beside physical boards)
    board.out.txt, server.out.txt (what foreign programs print)
    devices.jsonl (the logs of several devices but the first, which board.jsonl is)

A bundle contains nothing that differs between two runs of one trial, such as wall-clock times or
host names.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from hil.base.errors import InputError
from hil.bundle import pcapng
from hil.system import scratch

SUMS = "SHA256SUMS"
FILES = ("board.jsonl", "lab.json", "server.jsonl", "trial.json", "wire.pcapng.gz")
# What foreign programs print.
TEXTS = ("board.out.txt", "server.out.txt")
DEVICES = "devices.jsonl"
OPTIONAL_FILES = ("air.pcapng.gz", DEVICES, "monitor.pcapng.gz", *TEXTS)


def _json(document: dict[str, Any]) -> bytes:
    return (json.dumps(document, indent=1, sort_keys=True) + "\n").encode()


def digest(data: bytes) -> str:
    """Return the SHA-256 of bytes, hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file's contents, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sums(files: dict[str, bytes]) -> bytes:
    """Return the contents of SHA256SUMS, in the format of sha256sum."""
    return "".join(f"{digest(files[name])}  {name}\n" for name in sorted(files)).encode()


def key_log(board_log: bytes) -> str:
    """Return the key log (SSLKEYLOGFILE) that a board has written into its log, line by line."""
    lines = []
    for line in board_log.splitlines():
        if b'"ev":"keys"' in line:
            try:
                lines.append(f"{json.loads(line)['line']}\n")
            except (ValueError, KeyError):  # the board was switched off while it wrote this line
                continue
    return "".join(lines)


def contents(
    document: dict[str, Any], raw: dict[str, bytes], lab: dict[str, Any], aside: Path
) -> dict[str, bytes]:
    """Return the files of a bundle.

    Args:
        document: trial.json.
        raw: raw results by name (wire.pcap, air.pcapng, monitor.pcap, board.jsonl, server.jsonl,
            DEVICES, TEXTS); what a failed trial did not produce becomes an empty file or an empty
            capture.
        lab: lab.json.
        aside: a folder for intermediate files.
    """
    keys = key_log(raw.get("board.jsonl", b"") + raw.get(DEVICES, b""))

    def frames(name: str) -> list[pcapng.Frame]:
        if name not in raw:
            return []
        (aside / name).write_bytes(raw[name])
        return list(pcapng.read_pcap(aside / name))

    def capture(data: bytes) -> bytes:
        return pcapng.pack(pcapng.with_key_log(data, keys) if keys else data)

    files = {
        "board.jsonl": raw.get("board.jsonl", b""),
        "lab.json": _json(lab),
        "server.jsonl": raw.get("server.jsonl", b""),
        "trial.json": _json(document),
        "wire.pcapng.gz": capture(pcapng.encode(frames("wire.pcap"))),
    }
    if "air.pcapng" in raw:
        files["air.pcapng.gz"] = capture(raw["air.pcapng"])
    if "monitor.pcap" in raw:
        heard = pcapng.encode(frames("monitor.pcap"), pcapng.RADIOTAP)
        files["monitor.pcapng.gz"] = pcapng.pack(heard)
    files |= {name: raw[name] for name in (DEVICES, *TEXTS) if name in raw}
    files[SUMS] = sums(files)
    return files


def store(files: dict[str, bytes], target: Path) -> None:
    """Move a bundle to `target` in one step, replacing an older one.

    Raises:
        InputError: it cannot be written (a full disk); then `target` is unchanged.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with scratch.folder(".new-", target.parent) as aside:
            fresh, old = aside / "bundle", aside / "old"
            fresh.mkdir()
            for name, data in files.items():
                with (fresh / name).open("wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
            if target.exists():
                target.rename(old)
            fresh.rename(target)
    except OSError as error:
        raise InputError(
            target,
            "",
            f"the bundle cannot be written ({error.strerror or error})",
            "free some disk or choose another folder; nothing was left half-written",
        ) from error
