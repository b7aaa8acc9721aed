"""The background of a trial, seen from the trial: which stations do what, and whether they did.

The work is done by a process of its own (main.py), which outlives a trial that is killed for as
long as it takes to end what runs on the stations.
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
# What is reached of what was asked must be this share at least; less, and there was no background.
# What saturates a cell reaches less than it asks, and is meant to.
LEAST_SHARE = 0.1
STOPPED_S = 60.0
KEY = "id_ed25519"


def wanted(request: TrialRequest) -> int:
    """How many stations a trial asks for.

    Raises:
        InputError: it asks for what none can do.
    """
    sources = background.sources(request.facts)
    if sources and request.facts.background_hidden:
        raise InputError(
            f"trial {request.document['trial']}",
            "background_hidden",
            "cannot be asked of real stations: where they stand says whom they hear",
            "leave it out, or run the trial in the laboratory's cell (--testbed virtual)",
        )
    for source in sources:
        if source.profile not in PROFILES:
            raise InputError(
                f"trial {request.document['trial']}",
                "background_profile",
                f"{source.profile} cannot be made by stations",
                f"use {', '.join(PROFILES)}",
            )
    return len(sources)


def weak(stations: list[dict[str, Any]]) -> str:
    """What is wrong with what stations have reached, or an empty text."""
    asked = sum(sum(each["asked_bytes"].values()) for each in stations)
    reached = sum(sum(each["reached_bytes"].values()) for each in stations)
    if reached < LEAST_SHARE * asked:
        return f"background weak: {reached} of {asked} bytes, less than {LEAST_SHARE:.0%}"
    for each in stations:
        if each["profile"] != "web" and not any(each["reached_bytes"].values()):
            return f"background weak: {each['station']} has reached nothing"
    return ""


class Background:
    """The stations of a place at work for an order. As a context it leaves nothing of them."""

    def __init__(self, place: Place, request: TrialRequest) -> None:
        self._cell, self._stations = place.tags["cell"], place.stations
        self._sources = background.sources(request.facts)
        self._process: subprocess.Popen[bytes] | None = None
        self._told: dict[str, Any] = {}

    def __enter__(self) -> Background:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._process is not None:
            self._end(self._process)

    def start(self, seed: int) -> None:
        """Let all stations work; returns when they do.

        Raises:
            Fault: a station is not there, or its program does not run.
            InputError, ToolMissing: there is no key for the stations, or no iperf3 here.
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
            self._told = json.loads(line or b"{}")
            self._end(process)
            raise Fault(*self._trouble())

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

    def _trouble(self) -> tuple[str, str]:
        """Name and detail."""
        name = self._told.get("fault", "background failed")
        return name, self._told.get("detail", "its process ended early")

    def problem(self) -> str:
        """A fault and what it is about, or an empty text."""
        if self._process is None or self._process.poll() is None:
            return ""
        self._end(self._process)
        return ": ".join(self._trouble())

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """End the process, and keep what it told."""
        self._process = None
        try:
            output, _ = process.communicate(timeout=STOPPED_S)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
        for line in output.splitlines():
            if line.startswith(b"{"):
                self._told = json.loads(line)

    def stop(self) -> dict[str, Any]:
        """End the stations' work: under `background` what each asked for and reached, bytes; a
        `problem` if there was one."""
        if not self._sources:
            return {}
        if self._process is not None:
            self._end(self._process)
        stations = self._told.get("stations")
        if stations is None:
            return {"problem": ": ".join(self._trouble())}
        problem = weak(stations)
        return {"background": stations, **({"problem": problem} if problem else {})}
