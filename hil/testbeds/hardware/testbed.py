"""The testbed `hil`: physical boards through labgrid, servers and capture in the cell of each.

The rule of repetition. Before a board says that it is ready with its image nothing of the trial has
happened: a fault of HUNG there has the board switched off and on once, where its power can be
switched; else a fault of AGAIN is tried once more. A trial that began is begun anew for one
reason only, foreign traffic, at most twice. Its bundle says how often either was done.
"""

from __future__ import annotations

import functools
import platform
import subprocess
import time
from pathlib import Path

from hil.base.errors import InputError, ThinwireError
from hil.design.studies import Trial
from hil.rig.boards.esp8266 import Esp8266, Station
from hil.rig.faults import HOST, Fault, name_of, owner
from hil.rig.links.wifi import Cell, WifiLink, settings
from hil.rig.request import REPORT, TrialReport, TrialRequest
from hil.rig.rig import Rig, results
from hil.system import scratch, tools
from hil.system.progress import Progress, in_silence
from hil.testbeds.base import Result, Testbed
from hil.testbeds.hardware import capabilities, last_run, places, power, radio
from hil.testbeds.hardware.background import load

FOREIGN_TRIES = 3
# Faults before a trial that another reset may end, and those that only power may.
AGAIN = ("unplugged", "garbled line")
HUNG = ("unplugged", "silent", "boot loop")
LINE_S = 20.0  # until the line of a board is back, whose USB adapter had no power either


class HardwareTestbed(Testbed):
    """See the module. `place`: the board to use, any free one if empty; `anew`: write the image."""

    name = "hardware"

    def __init__(self, place: str = "", anew: bool = False) -> None:
        self._wanted, self._anew = place, anew

    def check(self, trial: Trial) -> None:
        capabilities.check(trial.id, trial.facts)

    def prepare(self) -> None:
        tools.widen_path()
        tools.program("tcpdump")

    def run(
        self, request: TrialRequest, timeout_s: float, progress: Progress = in_silence
    ) -> Result:
        self.prepare()
        with places.lease(self._wanted, load.wanted(request)) as place:
            last_run.begin(place.name, f"{request.document['study']}/{request.document['trial']}")
            try:
                result = self._until_alone(request, place, progress)
            except Fault as fault:
                told = {"name": fault.name, "owner": owner(fault.name)}
                last_run.end(place.name, "no result", told)
                raise
            except (ThinwireError, KeyboardInterrupt) as error:
                told = {"name": str(error) or "interrupted", "owner": HOST}
                last_run.end(place.name, "no result", told)
                raise
            report = result.report
            last_run.end(
                place.name, report.outcome, report.fault, str(report.board.get("image", ""))
            )
            return result

    def _until_alone(
        self, request: TrialRequest, place: places.Place, progress: Progress
    ) -> Result:
        """A trial, begun anew where others disturbed it."""
        tries = cycles = 0
        while True:
            result, tries = self._once(request, place, progress), tries + 1
            cycles += result.report.board["power_cycles"]
            disturbed = result.report.fault.get("name") == "foreign traffic"
            if not disturbed or tries == FOREIGN_TRIES:
                result.report.board |= {"tries": tries, "power_cycles": cycles}
                return result

    def _once(self, request: TrialRequest, place: places.Place, progress: Progress) -> Result:
        for tag in ("chip", "cell"):
            if not place.tags.get(tag):
                remedy = f"labgrid-client -p {place.name} set-tags {tag}=..."
                raise InputError(f"place {place.name}", tag, "this tag is missing", remedy)
        cell, chip = place.tags["cell"], place.tags["chip"]
        spaces, network = Cell(cell), settings(cell)
        capabilities.check_access_point(request, network)
        spaces.create()
        station = Station(place.address, chip, network["ssid"], network["wpa_passphrase"])
        with (
            scratch.folder(parent=scratch.plain_parent()) as folder,
            load.Background(place, request) as others,
        ):
            board = Esp8266(folder / "rig", station)
            board.reached = lambda: WifiLink(spaces, folder).heard()
            links = dict.fromkeys(("air", "netem"), functools.partial(WifiLink, others=others))
            rig = Rig(cell, folder / "rig", spaces, {"esp8266": lambda *_: board}, links)
            rig.progress = progress
            try:
                repeated, cycles = self._ready(board, request.firmware, place)
                rig.prepare([request.facts.server.name], request.facts.link)
                report = rig.run(request)
                report.board = {"place": place.name, **board.report(), "power_cycles": cycles}
                if repeated:
                    report.board["tried_again_after"] = repeated
                radio.note(report, request, board.log)
                report.fault = _trouble(report)
                if not places.still_mine(place):
                    report.fail("invalid", "lease lost: another user acquired the board")
                    report.fault = _trouble(report)
                raw = _read(rig.folder, report)
            finally:
                board.power_off()
                rig.close()
        versions = {"kernel": platform.release(), "esptool": _version("esptool")}
        return Result(raw, TrialReport.of(raw.pop(REPORT)), versions)

    def _ready(self, board: Esp8266, image: Path, place: places.Place) -> tuple[str, int]:
        """The board with the image on it, by the rule: the name of the first fault before, else
        an empty text, and how often it was switched off and on."""
        first = ""
        while True:
            try:
                board.prepare(image, self._anew)
            except Fault as fault:
                board.power_off()
                if place.power and fault.name in HUNG:
                    self._revive(board, image, place, fault)
                    return first or fault.name, 1
                if first or board.flashed or fault.name not in AGAIN:
                    raise
                first = fault.name
            else:
                return first, 0

    def _revive(self, board: Esp8266, image: Path, place: places.Place, why: Fault) -> None:
        """Switch a board that hung off and on, and get it ready.

        Raises:
            Fault: it does not come back, or the plug is gone.
        """
        power.cycle(place, why.name)
        deadline = time.monotonic() + LINE_S
        while True:
            try:
                return board.prepare(image, self._anew)
            except Fault as fault:
                board.power_off()
                if fault.name == "unplugged" and time.monotonic() < deadline:
                    time.sleep(0.5)
                    continue
                told = f"{fault.detail} (switched off and on, since it was: {why.name})"
                raise Fault(fault.name, told) from fault


def _read(folder: Path, report: TrialReport) -> dict[str, bytes]:
    return {
        name: content if isinstance(content, bytes) else content.read_bytes()
        for name, content in results(folder, report).items()
    }


def _trouble(report: TrialReport) -> dict[str, str]:
    """Which fault a report tells of, and whose it is; empty where all went well."""
    if report.outcome == "ok":
        return {}
    name = name_of(report.reason)
    return {"name": name, "owner": owner(name)}


def _version(program: str) -> str:
    path = tools.find(program)
    if path is None:
        return "unknown"
    done = subprocess.run([path, "version"], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()[-1].strip() if done.stdout else "unknown"
