"""The image's run under QEMU: what each handshake took, in instructions and bytes."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

PATIENCE_S = 300


class BoardError(Exception):
    """A run without a result; the message says what to do."""


@dataclass(frozen=True)
class Handshake:
    """A client's part of a handshake.

    `error` is BearSSL's number (0: complete), counts are of instructions, sizes are bytes, `calls`
    and `parts` are of the kinds "rsa", "ecdhe" and "sign". `stack` is what the client's calls
    reached at their deepest.
    """

    error: int
    instructions: int
    calls: dict[str, int]
    parts: dict[str, int]
    context: int
    buffers: int
    decoder: int
    stack: int
    sent: int
    received: int


def handshakes(image: Path) -> dict[str, Handshake]:
    """Runs the image; by the names that it gives them. Raises BoardError."""
    try:
        run = subprocess.run(
            [
                "qemu-system-xtensa",
                *("-M", "lx60-nommu", "-cpu", "lx106", "-m", "4"),
                *("-nodefaults", "-display", "none", "-icount", "shift=4,sleep=off"),
                *("-kernel", str(image), "-semihosting"),
            ],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise BoardError(
            f"{image}: does not run ({error}); build it by 'make handshakes'"
        ) from error
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    scales = [line["instructions"] / line["cycles"] for line in lines if line["ev"] == "scale"]
    shaken = {line["name"]: line for line in lines if line["ev"] == "handshake"}
    if len(scales) != 1 or not shaken:
        raise BoardError(f"{image}: not the log of handshakes; build it by 'make handshakes'")

    def count(cycles: int) -> int:
        return round(cycles * scales[0])

    kinds = ("rsa", "ecdhe", "sign")
    return {
        name: Handshake(
            error=line["client_error"] or line["server_error"],
            instructions=count(line["cycles"]),
            calls={kind: line[f"{kind}_calls"] for kind in kinds},
            parts={kind: count(line[f"{kind}_cycles"]) for kind in kinds},
            context=line["context_bytes"],
            buffers=line["buffer_bytes"],
            decoder=line["decoder_bytes"],
            stack=line["stack_bytes"],
            sent=line["sent_bytes"],
            received=line["received_bytes"],
        )
        for name, line in shaken.items()
    }
