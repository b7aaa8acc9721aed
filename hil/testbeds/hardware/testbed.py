"""The testbed `hardware`: physical boards through labgrid, with servers and capture in their cells.

Repetition. A trial has not begun before the board reports that it is ready with its image. A fault
of HUNG before that power-cycles the board once, if its power can be switched; otherwise a fault of
AGAIN is retried once. After it has begun, a trial is repeated only because of foreign traffic, at
most twice. Its bundle records the number of tries and power cycles.
"""

from __future__ import annotations

import functools
import platform
import subprocess
import time
from pathlib import Path

from hil.base.errors import InputError, ThinwireError
from hil.design.trials import Trial
from hil.rig.boards.esp8266 import Esp8266, Station
from hil.rig.faults import HOST, Fault, name_of, owner
from hil.rig.links.wifi import Cell, WifiLink, settings
from hil.rig.request import REPORT, TrialReport, TrialRequest
from hil.rig.results import results
from hil.rig.rig import Rig
from hil.system import scratch, tools
from hil.system.progress import Progress, in_silence
from hil.testbeds.base import Result, Testbed
from hil.testbeds.hardware import capabilities, last_run, places, power, radio, wiring
from hil.testbeds.hardware.background import load

FOREIGN_TRIES = 3
# Faults before a trial that another reset may clear, and those that only a power cycle may.
AGAIN = ("unplugged", "garbled line")
HUNG = ("unplugged", "silent", "boot loop")
LINE_S = 20.0  # for the serial line to return, since a power cycle includes the USB adapter


class HardwareTestbed(Testbed):
    """See the module.

    Args:
        place: the board to use; empty: any free one.
        anew: write the image even if the board already has it.
    """

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
        tags = wiring.wanted(request.facts)
        with places.lease(self._wanted, load.wanted(request), tags=tags) as place:
            last_run.begin(place.name, f"{request.document['study']}/{request.document['trial']}")
            try:
                result = self._until_undisturbed(request, place, progress)
            except Fault as fault:
                cause = {"name": fault.name, "owner": owner(fault.name)}
                last_run.end(place.name, "no result", cause)
                raise
            except (ThinwireError, KeyboardInterrupt) as error:
                cause = {"name": str(error) or "interrupted", "owner": HOST}
                last_run.end(place.name, "no result", cause)
                raise
            report = result.report
            last_run.end(
                place.name, report.outcome, report.fault, str(report.board.get("image", ""))
            )
            return result

    def _until_undisturbed(
        self, request: TrialRequest, place: places.Place, progress: Progress
    ) -> Result:
        """Run a trial, and repeat it after foreign traffic."""
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
            load.Background(place, request) as background,
        ):
            board = Esp8266(folder / "rig", station)
            board.reached = lambda: WifiLink(spaces, folder).heard()
            links = dict.fromkeys(
                ("air", "netem"), functools.partial(WifiLink, background=background)
            )
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
                report.fault = _fault_of(report)
                if not places.still_mine(place):
                    report.fail("invalid", "lease lost: another user acquired the board")
                    report.fault = _fault_of(report)
                raw = _read(rig.folder, report)
            finally:
                board.power_off()
                rig.close()
        versions = {"kernel": platform.release(), "esptool": _version("esptool")}
        return Result(raw, TrialReport.of(raw.pop(REPORT)), versions)

    def _ready(self, board: Esp8266, image: Path, place: places.Place) -> tuple[str, int]:
        """Prepare the board with the image, by the rule above. Return the name of the first fault
        before that, or an empty text, and the number of power cycles."""
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
        """Power-cycle a board that hung, and prepare it.

        Raises:
            Fault: it does not return, or the plug fails.
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
                detail = f"{fault.detail} (after a power cycle because of: {why.name})"
                raise Fault(fault.name, detail) from fault


def _read(folder: Path, report: TrialReport) -> dict[str, bytes]:
    return {
        name: content if isinstance(content, bytes) else content.read_bytes()
        for name, content in results(folder, report).items()
    }


def _fault_of(report: TrialReport) -> dict[str, str]:
    """Return the fault in a report and its owner; empty if the trial succeeded."""
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
