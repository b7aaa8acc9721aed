"""The share of the channel's time that foreign senders use, as measured by a monitor interface from
each frame, or by the driver of the access point."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path
from typing import Any

from hil.base.errors import LabError
from hil.rig import capture
from hil.system import netns, tools

LISTEN_S = 5.0  # fifty beacons of each access point on the channel
# A trial is marked if foreign senders use more of the channel's time than this.
LIMIT = 0.2
_TIMES = re.compile(r"channel (active|busy|receive|transmit) time:\s+(\d+) ms")
_FIELDS = ("frame.time_epoch", "wlan.ta", "wlan.ra", "wlan_radio.duration")


def survey(text: str) -> dict[str, int]:
    """Read `iw dev X survey dump`: times of the channel in use, in ms since the interface is up."""
    for block in text.split("Survey data from"):
        if "[in use]" in block:
            return {name: int(value) for name, value in _TIMES.findall(block)}
    return {}


def counted(interface: str, namespace: str) -> dict[str, int]:
    """Return the current times of an interface; empty if iw or the driver has none."""
    if not interface or tools.find("iw") is None:
        return {}
    try:
        return survey(netns.run(["iw", "dev", interface, "survey", "dump"], namespace=namespace))
    except LabError:  # this driver has no survey
        return {}


def foreign(before: dict[str, int], after: dict[str, int]) -> float | None:
    """Return the share of the time between two surveys in which foreign senders used the channel:
    it was busy, but not by this access point. None if the driver does not count."""
    if not {"active", "busy"} <= before.keys() & after.keys():
        return None
    gone = {key: after[key] - before.get(key, 0) for key in after}
    if gone["active"] <= 0:
        return None
    own = gone.get("receive", 0) + gone.get("transmit", 0)
    return round(max(0, gone["busy"] - own) / gone["active"], 3)


def heard(file: Path, own: set[str], begin: float, seconds: float) -> dict[str, Any]:
    """Evaluate a capture with radiotap, for so many seconds from `begin` (UNIX time) on.

    Returns:
        `share` of the time in frames neither from nor to one of the addresses `own`, without the
        pauses between frames; the number of such `frames`; and those `unmeasured`, without a rate.

    Raises:
        LabError: tshark, which computes the durations (wlan_radio), fails or is missing.
    """
    words = ["tshark", "-n", "-r", str(file), "-T", "fields", "-E", "occurrence=f"]
    for field in _FIELDS:
        words += ["-e", field]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise LabError(f"tshark cannot read the monitor's capture: {error}") from error
    frames = unmeasured = taken_us = 0
    for line in done.stdout.splitlines():
        stamp, sender, receiver, duration = line.split("\t")
        if own & {sender, receiver} or not begin <= float(stamp) < begin + seconds:
            continue
        frames += 1
        unmeasured += not duration
        taken_us += int(duration or 0)
    share = round(taken_us / (seconds * 1e6), 3)
    return {"share": share, "frames": frames, "unmeasured": unmeasured}


def by_monitor(monitor: str, namespace: str, folder: Path, own: set[str]) -> dict[str, Any]:
    """Measure for LISTEN_S with an interface in monitor mode; no frame is kept."""
    file = folder / "before.pcap"
    listening = capture.Capture(monitor, namespace, file)
    listening.wait_ready()
    begin = time.time()
    time.sleep(LISTEN_S + capture.SETTLE_S)
    dropped = listening.stop().dropped
    try:
        measured = heard(file, own, begin, LISTEN_S)
    finally:
        file.unlink()
    return {"by": "monitor", "seconds": LISTEN_S, **measured, "dropped": dropped}


def by_survey(interface: str, namespace: str) -> dict[str, Any]:
    """Measure for LISTEN_S with the driver's counters; empty if it has none."""
    before = counted(interface, namespace)
    if not before:
        return {}
    time.sleep(LISTEN_S)
    share = foreign(before, counted(interface, namespace))
    return {} if share is None else {"by": "survey", "seconds": LISTEN_S, "share": share}
