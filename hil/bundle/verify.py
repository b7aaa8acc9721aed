"""Checks of a bundle: files, hashes, schema, nonce, and that the records agree."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hil.base.documents import Malformed, read_json, read_lines, read_text
from hil.base.errors import InputError, TrialError
from hil.base.schema import validate
from hil.bundle import pcapng
from hil.bundle import store as bundle
from hil.bundle.payloads import captured
from hil.design import addressing
from hil.design.facts import Facts
from hil.design.parameters import effective
from hil.design.trials import nonce as nonce_of

_LINE = re.compile(r"^([0-9a-f]{64})  (\S+)$")
_AGAIN = "run the trial again"


@dataclass(frozen=True)
class Summary:
    """What a valid bundle contains. `foreign`: the device is a foreign program, which logs neither
    what it sends nor what is acknowledged to it."""

    trial: str
    outcome: str
    reason: str
    frames: int
    sent: int
    acknowledged: int
    received: int
    foreign: bool = False


def _check_hashes(folder: Path) -> None:
    """Check that every file is listed with its hash, and that every listed file exists."""
    listing = read_text(folder / bundle.SUMS, "name a bundle's folder")
    wanted: dict[str, str] = {}
    for number, line in enumerate(listing.splitlines(), start=1):
        if not (found := _LINE.match(line)):
            raise InputError(folder / bundle.SUMS, f"line {number}", "is malformed", _AGAIN)
        wanted[found[2]] = found[1]
    present = {path.name for path in folder.iterdir()} - {bundle.SUMS}
    for name in sorted(present | set(wanted) | set(bundle.FILES)):
        if name not in present:
            raise TrialError(f"{folder / name}: is missing; {_AGAIN}")
        if name not in wanted or name not in (*bundle.FILES, *bundle.OPTIONAL_FILES):
            raise TrialError(f"{folder / name}: does not belong to the bundle; remove it")
        if not (folder / name).is_file():
            raise TrialError(f"{folder / name}: is not a file; {_AGAIN}")
        if bundle.file_digest(folder / name) != wanted[name]:
            raise TrialError(f"{folder / name}: has changed (its SHA-256 differs); {_AGAIN}")


def _lines(path: Path, nonce: str) -> list[dict[str, Any]]:
    """Return the objects of a JSON-lines file after checking that each has the trial's nonce."""
    found = []
    try:
        for number, (entry, _) in enumerate(read_lines(path), start=1):
            if not isinstance(entry, dict) or entry.get("nonce") != nonce:
                raise TrialError(
                    f"{path}: line {number}: lacks the nonce {nonce} of this trial, so it may be"
                    f" another firmware's output; {_AGAIN}"
                )
            validate(entry, "log", path, number)
            found.append(entry)
    except Malformed as error:
        raise TrialError(f"{path}: {error}; {_AGAIN}") from error
    return found


def _sequences(lines: list[dict[str, Any]], event: str) -> list[int]:
    return [line["seq"] for line in lines if line["ev"] == event and "seq" in line]


def _board_lines(folder: Path, nonce: str, devices: int) -> list[dict[str, Any]]:
    """Return the objects of the boards' logs, after checking that each device has a log."""
    lines = _lines(folder / "board.jsonl", nonce)
    if devices == 1:
        return lines
    if not (folder / bundle.DEVICES).exists():
        raise TrialError(f"{folder / bundle.DEVICES}: is missing; {_AGAIN}")
    lines += _lines(folder / bundle.DEVICES, nonce)
    names = [addressing.device_id(number) for number in range(2, devices + 1)]
    known = {line.get("device") for line in lines if line["ev"] != "power_on"}
    if silent := [name for name in names if name not in known]:
        raise TrialError(f"{folder / bundle.DEVICES}: has no line of {silent[0]}; {_AGAIN}")
    return lines


def _check_counts(
    folder: Path,
    facts: Facts,
    board: list[dict[str, Any]],
    server: list[dict[str, Any]],
) -> None:
    """Check that the capture contains each message that board or server logged as delivered."""
    if facts.role != "publish" or facts.foreign:
        return
    names = [addressing.device_id(number) for number in range(1, facts.devices + 1)]
    if others := {line.get("from", names[0]) for line in server} - set(names):
        problem = f"has messages of {min(others)}, which is no device of the trial"
        raise TrialError(f"{folder / 'server.jsonl'}: {problem}; {_AGAIN}")
    # TLS hides the messages for a cloud from the capture.
    present = {} if facts.peer == "cloud" else captured(folder / "wire.pcapng.gz")
    for number, name in enumerate(names, start=1):
        _check_device(
            folder,
            facts,
            [line for line in board if line.get("device", names[0]) == name],
            [line for line in server if line.get("from", names[0]) == name],
            present.get(addressing.device_mac(number), set()),
        )


def _check_device(
    folder: Path,
    facts: Facts,
    board: list[dict[str, Any]],
    server: list[dict[str, Any]],
    present: set[int],
) -> None:
    """Check the messages of one device, of which these are in the capture."""
    if facts.peer == "cloud":
        lost = set(_sequences(board, "acked")) - set(_sequences(server, "received"))
        if lost:
            raise TrialError(
                f"{folder}: {len(lost)} messages that board.jsonl says were acknowledged are not in"
                f" server.jsonl (first: {min(lost)}); {_AGAIN}"
            )
        return
    claims = {
        "board.jsonl says were acknowledged": set(_sequences(board, "acked")),
        "server.jsonl says arrived": set(_sequences(server, "received")),
    }
    if facts.link == "netem" and not facts.loss_pct:
        claims["board.jsonl says were sent"] = set(_sequences(board, "sent"))
    for claim, numbers in claims.items():
        if absent := sorted(numbers - present):
            raise TrialError(
                f"{folder}: {len(absent)} messages that {claim} are not in wire.pcapng.gz "
                f"(first: {absent[0]}); {_AGAIN}"
            )


def check(folder: Path, dissect: bool = True) -> Summary:
    """Check a bundle.

    Args:
        dissect: whether to compare the logs with the messages in the capture, which needs tshark.

    Raises:
        InputError: it is not a bundle, or a file in it is malformed (exit status 2).
        TrialError: a hash, a nonce or a count is wrong (exit status 1).
    """
    if not folder.is_dir():
        raise InputError(folder, "", "is not a folder", "name the folder of a bundle")
    _check_hashes(folder)
    document = read_json(folder / "trial.json", _AGAIN)
    validate(document, "trial", folder / "trial.json")
    if effective(document["parameters"], folder / "trial.json") != document["parameters"]:
        raise InputError(folder / "trial.json", "parameters", "are not complete", _AGAIN)
    lab = read_json(folder / "lab.json", _AGAIN)
    validate(lab, "lab", folder / "lab.json")
    nonce = nonce_of(document)
    facts = Facts.of(document["parameters"])
    board = _board_lines(folder, nonce, facts.devices if lab["outcome"] == "ok" else 1)
    server = _lines(folder / "server.jsonl", nonce)
    frames = pcapng.read(folder / "wire.pcapng.gz")
    if lab["outcome"] == "ok":
        captured_frames = lab.get("capture", {}).get("frames")
        if len(frames) != captured_frames:
            raise TrialError(
                f"{folder}: wire.pcapng.gz has {len(frames)} frames,"
                f" lab.json says {captured_frames}; {_AGAIN}"
            )
        if dissect:
            _check_counts(folder, facts, board, server)
    return Summary(
        str(document["trial"]),
        str(lab["outcome"]),
        str(lab.get("reason", "")),
        len(frames),
        len(_sequences(board, "sent")),
        len(_sequences(board, "acked")),
        sum(line["ev"] == "received" for line in server),
        facts.foreign,
    )
