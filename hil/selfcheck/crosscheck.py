"""Do the two machines give the same results? `python -m hil.selfcheck.crosscheck`

It runs a trial of each protocol in both machines and prints a table: what is equal, and what the
cost of computing changes. With --emulators it compares the board's two emulators in the machine
`uml`.

The machines share image and rig; kernel, clock and the cost of computing differ. Packets and bytes
are all frames on the wire, divided by the messages. Frames with data have a payload of TCP or UDP
that was not sent before. The others open or close TCP, acknowledge or retransmit, or are ARP.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hil.base.documents import read_lines
from hil.base.errors import TrialError
from hil.bundle import ipv4, pcapng, verify
from hil.design.parameters import effective
from hil.design.protocols import protocols
from hil.design.trials import Trial
from hil.selfcheck.smoke import STEADY
from hil.system import scratch
from hil.testbeds import runner

MACHINES = {name: {"machine": name} for name in ("uml", "qemu")}
EMULATORS = {name: {"machine": "uml", "emulator": name} for name in ("lx106", "qemu")}
COMMON = STEADY | {"duration_s": 5}
PROTOCOLS: dict[str, dict[str, Any]] = {
    "mqtt": {"qos": 1, "keepalive_s": 60},
    "mqttsn": {"qos": 1, "keepalive_s": 60},
    "coap": {"confirmable": True},
    "http": {"keep_alive": True},
    "websocket": {"keepalive_s": 60, "confirmable": True},
    "amqp": {"confirmable": True},
    "tcp": {"confirmable": True},
    "udp": {"confirmable": True},
}


@dataclass(frozen=True)
class Frames:
    """A number of frames on the wire, and their bytes."""

    packets: int
    octets: int


@dataclass(frozen=True)
class Run:
    """The results of a trial: events of the logs, traffic, median round trip at the device in ms.

    `carrying` are frames with data, `bare` those without, `repeated` those whose data TCP has sent
    before.
    """

    sent: list[int]
    acked: list[int]
    received: list[tuple[int, int]]
    events: list[str]
    carrying: Frames
    bare: Frames
    repeated: Frames
    median_ms: float

    def per_message(self) -> tuple[float, float]:
        """Return packets and bytes per message, over all frames."""
        parts = (self.carrying, self.bare, self.repeated)
        count = len(self.sent)
        return sum(part.packets for part in parts) / count, sum(
            part.octets for part in parts
        ) / count


def _traffic(frames: list[pcapng.Frame]) -> list[Frames]:
    """Return the frames that carry data, the bare ones, and the repeated ones."""
    sizes: tuple[list[int], ...] = ([], [], [])
    seen: set[bytes] = set()
    for frame in frames:
        size = ipv4.data_bytes(frame.data)
        found = ipv4.packet(frame.data)
        if not found or size <= 0:
            sizes[1].append(frame.length)
            continue
        # Ports and what follows them: TCP's sequence number, or UDP's checksum.
        head = frame.data[found.at : found.at + 8]
        mark = ipv4.sender(frame.data) + head + frame.data[found.end - size : found.end]
        sizes[2 if mark in seen else 0].append(frame.length)
        seen.add(mark)
    return [Frames(len(part), sum(part)) for part in sizes]


def read(folder: Path) -> Run:
    """Return the run in a valid bundle.

    Raises:
        TrialError, InputError: the bundle is not valid (hil/bundle/verify.py).
    """
    verify.check(folder)
    board, server = (
        [entry for entry, _ in read_lines(folder / f"{name}.jsonl")] for name in ("board", "server")
    )
    began = {line["seq"]: line["t"] for line in board if line["ev"] == "sent"}
    acked = {line["seq"]: line["t"] for line in board if line["ev"] == "acked"}
    return Run(
        sorted(began),
        sorted(acked),
        [(line["seq"], line["bytes"]) for line in server if line["ev"] == "received"],
        [line["ev"] for line in board],
        *_traffic(pcapng.read(folder / "wire.pcapng.gz")),
        statistics.median((acked[seq] - began[seq]) / 1000 for seq in acked),
    )


def runs(
    protocol: str, folder: Path, testbeds: dict[str, dict[str, str]] = MACHINES
) -> dict[str, Run]:
    """Run a trial of the protocol in testbeds `virtual` with these settings, by name; TrialError if
    one fails."""
    wanted = {"protocol": protocol} | PROTOCOLS[protocol] | COMMON
    trial = Trial("crosscheck", {}, 1, effective(wanted, "crosscheck"))
    found = {}
    for name, settings in testbeds.items():
        done = runner.run(trial, runner.testbed("virtual", **settings), folder / name)
        if done.outcome != "ok":
            raise TrialError(f"{protocol} in {name}: {done.reason}")
        found[name] = read(done.folder)
    return found


def row(one: Run, other: Run) -> list[str]:
    """Return the cells of a row of the table, with one figure for equal values."""

    def both(first: float, second: float, digits: int = 2) -> str:
        cells = (f"{first:.{digits}f}", f"{second:.{digits}f}")
        return cells[0] if first == second else ", ".join(cells)

    (packets, octets), (other_packets, other_octets) = one.per_message(), other.per_message()
    return [
        both(len(one.sent), len(other.sent), 0),
        both(len(one.received), len(other.received), 0),
        both(one.carrying.packets, other.carrying.packets, 0),
        both(one.carrying.octets, other.carrying.octets, 0),
        both(packets, other_packets),
        both(octets, other_octets),
        f"{one.median_ms:.2f}, {other.median_ms:.2f}",
        f"{one.median_ms - other.median_ms:+.2f}",
    ]


HEAD = (
    "Protocol", "Messages", "Deliveries", "Frames with data", "their bytes", "Frames a message",
    "Bytes a message", "Median round trip, ms", "Difference, ms",
)  # fmt: skip


def _print(cells: Iterable[str]) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


def main() -> int:
    """Run the trials and print the table."""
    parser = argparse.ArgumentParser(prog="python -m hil.selfcheck.crosscheck", description=__doc__)
    parser.add_argument("--protocol", nargs="+", choices=PROTOCOLS, default=[*PROTOCOLS])
    parser.add_argument("--emulators", action="store_true")
    settings = parser.parse_args()
    testbeds = EMULATORS if settings.emulators else MACHINES
    _print(HEAD)
    _print(["---"] * len(HEAD))
    with scratch.folder() as folder:
        for protocol in settings.protocol:
            found = runs(protocol, folder / protocol, testbeds)
            _print([protocols()[protocol].label, *row(*found.values())])
    return 0


if __name__ == "__main__":
    sys.exit(main())
