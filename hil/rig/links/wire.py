"""The program `wire` (sim/wire), which passes frames between device and servers: it injects faults,
and is the NAT between them.

    link - server's port - wire - device's port - device
                            |
                     the rig's socket

The rig's first datagram starts the schedule. The program announces faults that the rig carries out.
"""

from __future__ import annotations

import json
import select
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hil.base.errors import LabError
from hil.design import faultlist
from hil.design.facts import Facts
from hil.system import processes, tools

PROGRAM = "sim/wire/wire"
_READY = "wire: ready"
_ANNOUNCED_BYTES = 64


def configuration(
    facts: Facts, seed: int, device: dict[str, Any], server: dict[str, Any], folder: Path
) -> dict[str, Any]:
    """Return the program's configuration (sim/wire/wire.schema.json) between these two ports."""
    document = {
        "seed": seed,
        "device": device,
        "server": server,
        "control": {"unix": {"bind": str(folder / "wire.sock"), "peer": str(folder / "rig.sock")}},
        "application": faultlist.application(facts),
        "server_port": facts.port,
        "faults": faultlist.schedule(facts),
    }
    if facts.nat_timeout_s:
        document["nat_idle_ms"] = facts.nat_timeout_s * 1000
    return document


class Wire:
    """The running program."""

    def __init__(self, namespace: str, folder: Path, document: dict[str, Any]) -> None:
        """Start it; its interfaces exist in the namespace, or it creates them there.

        Raises:
            TrialError: it does not start.
            LabError: it was not built.
        """
        program = tools.built(PROGRAM)
        if program is None:
            remedy = f"run 'snakemake --cores all -- build/{PROGRAM}'"
            raise LabError(f"the program 'wire' (faults, nat_timeout_s) is missing: {remedy}")
        self._output = folder / "wire.out"
        self._own = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        ports = document["control"]["unix"]
        Path(ports["peer"]).unlink(missing_ok=True)
        self._own.bind(ports["peer"])
        self._peer = ports["bind"]
        file = folder / "wire-config.json"
        file.write_text(json.dumps(document, indent=1), encoding="utf-8")
        self._child = processes.spawn([program, str(file)], namespace, self._output)
        self._child.wait_for(lambda: _READY in self._child.said())

    def begin(self) -> None:
        """Let the schedule's time begin now."""
        self._own.sendto(b"start", self._peer)

    def wait(self, seconds: float) -> list[tuple[int, bool]]:
        """Wait at most so long for announcements; return of each the fault's number and whether the
        fault is over."""
        ready, _, _ = select.select([self._own], [], [], seconds)
        found = []
        while ready:
            try:
                word, number = self._own.recv(_ANNOUNCED_BYTES, socket.MSG_DONTWAIT).split()
            except BlockingIOError:
                break
            found.append((int(number), word == b"over"))
        return found

    def problem(self) -> str:
        """Return why it died, or an empty text."""
        if self._child.alive():
            return ""
        return f"wire died with status {self._child.status}: {self._child.last_words()}"

    def stop(self) -> None:
        """End it, which also ends the faults."""
        if self._child.alive():
            self._child.stop(signal.SIGTERM)
        self._own.close()

    def events(self) -> Iterator[tuple[int, int, bool, int]]:
        """Yield begin and end of each fault: stamp in ns, number, whether it is over, and how many
        frames it has affected."""
        for line in self._output.read_text(encoding="utf-8").splitlines():
            if line.startswith('{"t_ns"'):
                event = json.loads(line)
                yield event["t_ns"], event["number"], event["over"], event["frames"]
