"""The ESP8266: a chip at a serial line; it is off, in the boot loader, or running.

After a reset its firmware prints every second which chip and which image it is,

    {"t":123,"nonce":"","ev":"ready","build":"esp8266","library":NAME,"chip":MAC,"image":MD5,
     "reset":REASON}

until it receives a configuration line. So the image is written only if the chip lacks it, and the
log of an earlier run or of another board cannot be taken for this trial's.
"""

from __future__ import annotations

import contextlib
import hashlib
import queue
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from hil.base.documents import Malformed, parse_json
from hil.rig.boards import esptool
from hil.rig.boards.base import Board
from hil.rig.boards.console import BAUD, ROM_BAUD, Console, Line
from hil.rig.boards.serialclock import Starts
from hil.rig.faults import Fault
from hil.rig.links.base import BoardPort

READY_S = 6.0  # for one reset; the firmware prints once a second
BOOT_S = 5.0
CELL_S = 3.0  # from joining a network to its first frame in the cell
UP_S = 30.0  # scan, association, DHCP
_ROM = b"ets Jan"
_DAMAGED = 5  # lines that are no JSON: the boot ROM greets at another speed, in two or three
# What the Arduino core and the SDK print before they reset a chip after a crash.
_FAILED = re.compile(
    rb"(?:Fatal exception|Exception) \(?\d+|Soft WDT reset|wdt reset|Abort called|Panic \S+:\d+|"
    rb"Unhandled C\+\+ exception|Stack overflow detected"
)
# Why a board that was in a trial started without it, by what its next start reports.
_RESET = {"power_on": "brown-out", "external": "brown-out", "deep_sleep": "run lost"}
# Faults of firmware that does not start, so that writing the image may help.
_REPLACED = ("silent", "boot loop", "garbled line")


@dataclass(frozen=True)
class Station:
    """The serial line and the network of a board.

    Attributes:
        address: of its serial line, for pyserial.
        chip: its MAC address from the factory.
        ssid, password: of its access point; neither is logged or stored.
    """

    address: str
    chip: str
    ssid: str
    password: str


class Esp8266(Board):
    """See the module. `prepare` and `power_on` raise Fault; later `problem` returns it."""

    image = "esp8266"
    program = "build/firmware/esp8266/nodemcuv2.bin"
    secure: ClassVar = {"1.2": "nodemcuv2_secure.bin", "1.3": "nodemcuv2_tls13.bin"}
    own_images: ClassVar = {"mqtt5": "nodemcuv2_mqtt5.bin", "oscore": "nodemcuv2_oscore.bin"}
    made_by = "firmware/boards/{image}/build build/firmware/{image} {name}"

    @classmethod
    def config(cls, document: dict[str, Any], nonce: str) -> str:
        join = str(document["parameters"].get("join", "none"))
        return super().config(document, nonce) + (f" join={join}" if join != "none" else "")

    def __init__(self, folder: Path, station: Station | None = None) -> None:
        super().__init__(folder)
        self._station = station
        self._console: Console | None = None
        self._ready: queue.Queue[dict[str, Any]] = queue.Queue()
        self._rom = self._damaged = 0
        self._failed = ""  # what its firmware printed when it crashed
        self._nonce = ""
        self._configured_s: float | None = None  # when it was configured
        self._events: dict[str, float] = {}
        self._problem = ""
        self._in_cell = False
        # Returns whether the cell has received a frame of the board; set by the testbed.
        self.reached: Callable[[], bool] = lambda: True
        self._starts = Starts()
        self.flashed = False
        self.identity: dict[str, Any] = {}

    @property
    def station(self) -> Station:
        assert self._station is not None, "this board has no serial line"
        return self._station

    def _hear(self, line: Line) -> None:
        if _ROM in line.text:
            self._rom += 1
            return
        try:
            entry = parse_json(line.text.decode("utf-8"))
        except (Malformed, UnicodeDecodeError):
            entry = None
        if not isinstance(entry, dict) or "ev" not in entry:
            if found := _FAILED.search(line.text):
                self._failed = found[0].decode()
                if self._configured_s is not None:
                    self._fail("crash", f"it printed '{self._failed}'")
            if self._failed or self._starts.asleep:  # the crash report; noise of the boot ROM
                return
            self._damaged += 1
            if self._damaged >= _DAMAGED and self._configured_s is not None:
                self._fail("garbled line", f"{self._damaged} lines of its log are damaged")
            return
        if entry["ev"] == "ready":
            self._hear_ready(entry)
        elif self._nonce and entry.get("nonce") == self._nonce:
            self._events.setdefault(entry["ev"], line.arrived)
            self._starts.note(entry, line.arrived)
            try:
                with self.log.open("ab") as file:
                    file.write(line.text + b"\n")
            except OSError as error:
                self._fail("disk full", str(error))

    def _hear_ready(self, entry: dict[str, Any]) -> None:
        self._ready.put(entry)
        if "boot" in self._events:
            reason = entry.get("reset", "unknown")
            name = _RESET.get(reason, "crash")
            self._fail(name, f"it was reset in the middle: {reason}")

    def _fail(self, name: str, detail: str) -> None:
        """Record the first fault; later ones are its consequences."""
        self._problem = self._problem or f"{name}: {detail}"

    def _open(self) -> Console:
        if self._console is None:
            self._console = Console(self.station.address, self._hear)
        return self._console

    def _close(self) -> None:
        if self._console is not None:
            self._console.close()
            self._console = None

    def greet(self) -> dict[str, Any]:
        """Reset the board; return what it reports about itself.

        Raises:
            Fault: unplugged, silent, boot loop, garbled line.
        """
        console = self._open()
        console.reset()
        self._damaged, self._failed, console.octets = 0, "", 0
        while not self._ready.empty():  # reports from before the reset
            self._ready.get()
        deadline = time.monotonic() + READY_S
        while time.monotonic() < deadline and not console.lost:
            try:
                return self._ready.get(timeout=0.05)
            except queue.Empty:
                continue
        if console.lost:
            raise Fault("unplugged", console.lost)
        if self._failed:
            raise Fault("boot loop", f"it prints '{self._failed}' and is reset")
        if console.octets and self._greets(console):
            raise Fault("boot loop", "its boot ROM starts without a reset from here")
        if self._damaged:
            raise Fault("garbled line", f"{self._damaged} damaged lines and no intact one")
        raise Fault("silent", f"nothing within {READY_S:g} s after a reset")

    def _greets(self, console: Console) -> bool:
        """Return whether the boot ROM starts by itself; it prints at its own baud rate."""
        self._rom = 0
        console.listen_at(ROM_BAUD)
        deadline = time.monotonic() + READY_S
        while not self._rom and time.monotonic() < deadline and not console.lost:
            time.sleep(0.05)
        console.listen_at(BAUD)
        return self._rom > 0

    def _check_chip(self, chip: str) -> None:
        if chip != self.station.chip:
            raise Fault("another board", f"{chip} answers instead of {self.station.chip}")

    def prepare(self, image: Path, anew: bool = False) -> None:
        """Check that this is the right board with this image; write the image if it is missing, or
        always with `anew`.

        Raises:
            Fault: the board or its image is wrong.
        """
        wanted = hashlib.md5(image.read_bytes(), usedforsecurity=False).hexdigest()
        why: Fault | None = None
        try:
            report = self.greet()
            self._check_chip(report.get("chip", ""))
        except Fault as fault:
            if fault.name not in _REPLACED:
                raise
            report, why = {}, fault
        if anew or report.get("image") != wanted:
            self._close()
            self._write(image, why)
            report = self.greet()
            self._check_chip(report.get("chip", ""))
            if report.get("image") != wanted:
                raise Fault("wrong firmware", f"it reports {report.get('image')}, not {wanted}")
        self.identity = {
            key: report[key] for key in ("chip", "image", "library", "reset") if report.get(key)
        }

    def _write(self, image: Path, why: Fault | None) -> None:
        """Write an image. With a fault `why` the firmware did not report its chip, so the boot
        loader must identify it before anything is written."""
        try:
            if why is not None:
                self._check_chip(esptool.chip(self.station.address))
            self.flashed = True
            self._check_chip(esptool.flash(self.station.address, image))
        except Fault as fault:
            if why is None or why.name != "garbled line" or fault.name == "another board":
                raise
            # a line that damages the log also damages what esptool reads
            detail = f"{why.detail}; {fault.name}: {fault.detail}"
            raise Fault(why.name, detail) from fault

    def power_on(self, firmware: Path, config_line: str, port: BoardPort) -> None:
        """Start the firmware with its configuration line, which includes the nonce, and with the
        keys of the network, which no log repeats."""
        self.greet()
        words = dict(word.split("=", 1) for word in config_line.split())
        self._nonce, self._damaged, self._failed = words["nonce"], 0, ""
        self.log.touch()
        network = f" ssid={self.station.ssid} psk={self.station.password}"
        self._configured_s = time.monotonic()
        self._open().send(config_line + network)

    def problem(self) -> str:
        """Return the fault since `power_on`, by name and detail, or an empty text."""
        if self._console is not None and self._console.lost:
            self._fail("unplugged", self._console.lost)
        if self._configured_s is None or self._problem:
            return self._problem
        since = time.monotonic() - self._configured_s
        if "config_error" in self._events:
            self._fail("configuration refused", "see its log")
        elif "boot" not in self._events and since > BOOT_S:
            name = "garbled line" if self._damaged else "silent"
            self._fail(name, f"no answer to its configuration within {BOOT_S:g} s")
        elif "boot" in self._events and "up" not in self._events and since > UP_S:
            self._fail("no Wi-Fi", f"not in the network after {UP_S:g} s")
        elif (
            "up" in self._events
            and not self._in_cell
            and not self._starts.slept  # it was acknowledged, and the host forgets who is silent
            and time.time() - self._events["up"] > CELL_S
        ):
            self._in_cell = self.reached()
            if not self._in_cell:
                self._fail("wrong network", f"no frame of it in the cell within {CELL_S:g} s")
        elif overslept := self._starts.overslept(time.time()):
            self._fail("no wake-up", overslept)
        return self._problem

    def power_off(self) -> None:
        """Reset the board; without configuration it does not join the network."""
        if self._console is not None:
            with contextlib.suppress(Fault):  # an unplugged board is off
                self._console.reset()
            self._close()

    def report(self) -> dict[str, Any]:
        """Return the entry `board` of lab.json."""
        return {**self.identity, "flashed": self.flashed, **self._starts.summary()}
