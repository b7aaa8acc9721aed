"""Devices of one cell that are switched on in the same moment: `python -m hil.selfcheck.storm`.

It prints one line for each span of time after the first frame: data frames on the air, those that
collided since they began in the same slot, repetitions, and how many devices have got so far: an
answer of ARP, a TCP connection, a session, and the acknowledgement of a first message. Option
--frames lists the first frames instead. All is read from the capture of the cell.
"""

from __future__ import annotations

import argparse
import bisect
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hil.base.errors import TrialError
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.system import scratch, tools
from hil.testbeds import runner

STORM = {
    "mode": "mqtt-qos1",
    "payload_bytes": 30,
    "interval_ms": 10_000,
    "duration_s": 10,
    "start_spread_s": 0,
    "link": "air",
    "wifi_standard": "g",
}
# Ends of the spans, s.
SPANS_S = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2)
STAGES = ("arp", "tcp", "session", "message")
_DATA, _SYN_ACK, _ARP_REPLY = "0x0020", 0x12, "2"
_MQTT = {"2": "session", "4": "message"}  # CONNACK, PUBACK
_FIELDS = ("frame.time_epoch", "wlan.fc.type_subtype", "wlan.fc.retry", "wlan.da", "tcp.flags",
           "mqtt.msgtype", "arp.opcode")  # fmt: skip


@dataclass(frozen=True)
class Frame:
    """A data frame: when it began, s; whether it is a repetition; its destination's link-layer
    address, and what it brings there (one of STAGES, or an empty text)."""

    at_s: float
    repeated: bool
    to: str
    brings: str


def parse(line: str) -> Frame | None:
    """Return the frame in a line of tshark with _FIELDS; None if it carries no data."""
    at, kind, retry, to, flags, message, arp = line.split("\t")
    if kind != _DATA:
        return None
    brings = ""
    if arp == _ARP_REPLY:
        brings = "arp"
    elif flags and int(flags, 16) & 0x3F == _SYN_ACK:
        brings = "tcp"
    else:
        brings = _MQTT.get(message, "")
    return Frame(float(at), retry in ("1", "True"), to, brings)


def _tshark(capture: Path, *options: str) -> list[str]:
    argv = [tools.program("tshark"), "-n", "-r", str(capture), *options]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def reached(frames: list[Frame]) -> dict[str, list[float]]:
    """Return for each stage when each device first reached it, in order; times as in Frame."""
    first: dict[str, dict[str, float]] = {stage: {} for stage in STAGES}
    for frame in frames:
        if frame.brings:
            first[frame.brings].setdefault(frame.to, frame.at_s)
    return {stage: sorted(times.values()) for stage, times in first.items()}


def table(frames: list[Frame]) -> Iterator[str]:
    """Yield the lines of the table: each has the frames of its span, and the devices so far."""
    heads = ["within, ms", "data frames", "collided", "repetitions"]
    yield ",".join(f'"{head}"' for head in (*heads, *(f"devices: {stage}" for stage in STAGES)))
    stages, together = reached(frames), Counter(frame.at_s for frame in frames)
    begin = first = frames[0].at_s
    for span in SPANS_S:
        end = first + span
        own = [frame for frame in frames if begin <= frame.at_s < end]
        counts = [bisect.bisect_left(stages[stage], end) for stage in STAGES]
        collided = sum(together[frame.at_s] > 1 for frame in own)
        numbers = [len(own), collided, sum(frame.repeated for frame in own), *counts]
        yield ",".join(map(str, (f"{1000 * span:g}", *numbers)))
        begin = end


def _run(devices: int, folder: Path) -> Path:
    given: dict[str, Any] = STORM | {"devices": devices}
    trial = Trial("storm", {}, 1, effective(given, "storm"))
    done = runner.run(trial, runner.testbed("virtual"), folder)
    if done.outcome != "ok":
        raise TrialError(done.reason)
    return done.folder


def main() -> None:
    """Run the trial and print."""
    parser = argparse.ArgumentParser(prog="python -m hil.selfcheck.storm", description=__doc__)
    parser.add_argument("--devices", type=int, default=100, metavar="N")
    parser.add_argument("--frames", type=int, metavar="N", help="list the first N frames")
    settings = parser.parse_args()
    with scratch.folder() as scratched:
        folder = _run(settings.devices, scratched)
        capture = folder / "air.pcapng.gz"
        if settings.frames:
            print("\n".join(_tshark(capture, "-Y", "!wlan.fc.type_subtype==8")[: settings.frames]))
            return
        fields = (word for name in _FIELDS for word in ("-e", name))
        lines = _tshark(capture, "-T", "fields", "-E", "occurrence=f", *fields)
        print("\n".join(table([frame for line in lines if (frame := parse(line))])))


if __name__ == "__main__":
    main()
