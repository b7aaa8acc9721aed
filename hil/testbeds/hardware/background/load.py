"""The background of a trial, from the trial's side: which stations do what, and whether they did.

A separate process does the work (main.py). If the trial is killed, that process still stops what
runs on the stations before it ends.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hil.base.errors import InputError
from hil.design import background
from hil.rig.faults import Fault
from hil.rig.links import wifi
from hil.rig.request import TrialRequest
from hil.system import tools
from hil.testbeds.hardware.places import Place

PROFILES = ("bulk", "web", "video", "voice")
# The stations must carry at least this share of their load, else the trial had no background. A
# background that saturates a cell carries less than its load by design.
LEAST_SHARE = 0.1
STOPPED_S = 60.0
KEY = "id_ed25519"


def wanted(request: TrialRequest) -> int:
    """Return how many stations a trial asks for.

    Raises:
        InputError: it asks for a background, or for a queue of the access point, that real stations
            and a real access point cannot provide.
    """
    sources = background.sources(request.facts)
    if sources and request.facts.background_hidden:
        raise InputError(
            f"trial {request.document['trial']}",
            "background_hidden",
            "does not apply to real stations, whose positions decide whom they hear",
            "remove it, or run the trial in the simulated cell (--testbed virtual)",
        )
    for name in ("ap_queue", "ap_queue_frames"):
        if request.facts.states(name):
            raise InputError(
                f"trial {request.document['trial']}",
                name,
                "does not apply to a real access point, which has the queue that it has",
                "remove it, or run the trial in the simulated cell (--testbed virtual)",
            )
    for source in sources:
        if source.profile not in PROFILES:
            raise InputError(
                f"trial {request.document['trial']}",
                "background_profile",
                f"{source.profile} is not available on real stations",
                f"use {', '.join(PROFILES)}",
            )
    return len(sources)


def weak(stations: list[dict[str, Any]]) -> str:
    """Return why the traffic of the stations was too weak, or an empty text."""
    asked = sum(sum(each["asked_bytes"].values()) for each in stations)
    reached = sum(sum(each["reached_bytes"].values()) for each in stations)
    if reached < LEAST_SHARE * asked:
        return f"background weak: {reached} of {asked} bytes, less than {LEAST_SHARE:.0%}"
    for each in stations:
        if each["profile"] != "web" and not any(each["reached_bytes"].values()):
            return f"background weak: {each['station']} has carried nothing"
    return ""


class Background:
    """The background stations of a place for one request. As a context manager it stops them."""

    def __init__(self, place: Place, request: TrialRequest) -> None:
        self._cell, self._stations = place.tags["cell"], place.stations
        self._sources = background.sources(request.facts)
        self._process: subprocess.Popen[bytes] | None = None
        self._report: dict[str, Any] = {}

    def __enter__(self) -> Background:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._process is not None:
            self._end(self._process)

    def start(self, seed: int) -> None:
        """Start all stations; return when all of them work.

        Raises:
            Fault: a station does not answer, or its program does not run.
            InputError, ToolMissing: the stations' key, or iperf3 on this host, is missing.
        """
        if not self._sources:
            return
        tools.program("iperf3")
        key = wifi.CELLS / self._cell / KEY
        if not key.exists():
            raise InputError(key, "", "is missing", "see docs/hardware.md, 'Background stations'")
        self._process = process = self._spawn(key, seed)
        assert process.stdout is not None
        line = process.stdout.readline()
        if line != b"ready\n":
            self._report = json.loads(line or b"{}")
            self._end(process)
            raise Fault(*self._fault())

    def _spawn(self, key: Path, seed: int) -> subprocess.Popen[bytes]:
        pairs = zip(self._stations, self._sources, strict=False)
        request = {
            "cell": self._cell,
            "key": str(key),
            "seed": seed,
            "stations": [
                {"name": station["name"], "service": station["service"], "source": asdict(source)}
                for station, source in pairs
            ],
        }
        return subprocess.Popen(
            [sys.executable, "-m", "hil.testbeds.hardware.background.main", json.dumps(request)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True, bufsize=0,
        )  # fmt: skip

    def _fault(self) -> tuple[str, str]:
        """Return the name and the detail of the fault."""
        name = self._report.get("fault", "background failed")
        return name, self._report.get("detail", "its process ended early")

    def problem(self) -> str:
        """Return a fault with its detail, or an empty text."""
        if self._process is None or self._process.poll() is None:
            return ""
        self._end(self._process)
        return ": ".join(self._fault())

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """End the process, and keep its last report."""
        self._process = None
        try:
            output, _ = process.communicate(timeout=STOPPED_S)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
        for line in output.splitlines():
            if line.startswith(b"{"):
                self._report = json.loads(line)

    def stop(self) -> dict[str, Any]:
        """Stop the stations. Return under `background` the load and the traffic of each, in bytes,
        and a `problem` if there was one."""
        if not self._sources:
            return {}
        if self._process is not None:
            self._end(self._process)
        stations = self._report.get("stations")
        if stations is None:
            return {"problem": ": ".join(self._fault())}
        problem = weak(stations)
        return {"background": stations, **({"problem": problem} if problem else {})}
