"""A real radio link: an access point, on this host or external, behind the servers' interface.

    servers - wired0 (in the cell's namespace, which set-up created) - access point ))) board

A cell has its own access point on its own channel, so that boards of two cells do not hear each
other. /etc/thinwire/cells/CELL/hostapd.conf is hostapd's own file, or for an external access point
a file with the same keys. The bundle records the settings without the password.

An interface `monitor0` of the cell, in monitor mode, is captured as well. It receives only part of
the frames on the air, so this capture serves for inspection and no metric uses it.

The background consists of real stations (`Background`); the servers' capture omits their frames.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Protocol

from hil.base.errors import InputError, LabError
from hil.design import addressing
from hil.design.facts import Facts
from hil.rig import capture
from hil.rig.links import occupancy
from hil.rig.links.base import BoardPort, Link, Plug
from hil.system import netns

# THINWIRE_CELLS names another folder than /etc/thinwire/cells.
CELLS = Path(os.environ.get("THINWIRE_CELLS") or "/etc/thinwire/cells")
# What a configuration line can say about a network (firmware/boards/esp8266/src/serial_config.hpp):
# printable ASCII without blanks, an SSID of up to 32 bytes (IEEE 802.11-2020, 9.4.2.2) and a
# passphrase of 8 to 63 (J.4.1).
_SENT = {"ssid": (1, 32), "wpa_passphrase": (8, 63)}
_SECRET = re.compile(r"pass|psk|key|secret|ssid")
MONITOR = "monitor0"
# Only the board's frames, without the handshake, from which a password can be guessed.
_OWN = f"wlan host {addressing.BOARD_MAC} and not ether proto 0x888e"


def settings(cell: str) -> dict[str, str]:
    """Return the keys of a cell's access point.

    Raises:
        InputError: the file is missing, or it names no network that a configuration line can hold.
    """
    path = CELLS / cell / "hostapd.conf"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(
            path, "", f"cannot be read ({error.strerror})", "see docs/hardware.md, 'Set-up'"
        ) from error
    # as hostapd reads them: a trailing blank belongs to the value
    found = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    for key, (least, most) in _SENT.items():
        if not found.get(key):
            raise InputError(path, key, "is missing", "add it")
        if not re.fullmatch(rf"[!-~]{{{least},{most}}}", found[key]):
            remedy = f"{least} to {most} ASCII characters without blanks"
            raise InputError(path, key, "cannot be sent to a board over its line", remedy)
    return found


def public(found: dict[str, str]) -> dict[str, str]:
    """Return the settings that a bundle may contain."""
    return {key: value for key, value in sorted(found.items()) if not _SECRET.search(key)}


class Cell(netns.Namespaces):
    """The namespace of a cell, which set-up creates; it is neither created nor removed here."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.wired = self.radio = name

    def create(self) -> None:
        if not Path("/run/netns", self.wired).exists():
            raise InputError(
                f"cell {self.wired}", "", "has no network namespace here", "see docs/hardware.md"
            )
        try:
            netns.run(["true"], namespace=self.wired)
        except LabError as error:
            remedy = "run as the user of thinwire-cell@, or use sudo"
            raise InputError(f"cell {self.wired}", "", str(error), remedy) from error

    def close(self) -> None:
        pass


class Background(Protocol):
    """The background of a trial."""

    def start(self, seed: int) -> None:
        """Start all stations; Fault if one does not work."""

    def problem(self) -> str:
        """Return a fault with its detail, or an empty text."""

    def stop(self) -> dict[str, Any]:
        """Stop all stations; return `background` with what they carried, or `problem`."""


class WifiLink(Link):
    """See the module."""

    own = f"host {addressing.BOARD_IP} or ether host {addressing.BOARD_MAC}"

    def __init__(
        self, spaces: netns.Namespaces, folder: Path, background: Background | None = None
    ) -> None:
        super().__init__(spaces, folder)
        self._background = background

    def prepare(self) -> None:
        netns.run(["ip", "link", "show", addressing.WIRED], namespace=self.spaces.wired)
        self._forget()

    def _forget(self) -> None:
        """Flush the board's neighbour entry, so that one found later means that it was heard."""
        netns.run(["ip", "neigh", "flush", "dev", addressing.WIRED], namespace=self.spaces.wired)

    def _interface(self) -> str:
        """Return this host's interface that is the access point, or an empty text."""
        return settings(self.spaces.wired).get("interface", "")

    def _occupancy(self, monitor: bool) -> dict[str, Any]:
        """Measure the occupancy of the channel before the trial; empty if impossible."""
        if not monitor:
            return occupancy.by_survey(self._interface(), self.spaces.wired)
        own = {addressing.BOARD_MAC, settings(self.spaces.wired).get("bssid", "").lower()}
        if interface := self._interface():
            words = netns.run(["ip", "-br", "link", "show", interface], namespace=self.spaces.wired)
            own.add(words.split()[2])
        return occupancy.by_monitor(MONITOR, self.spaces.wired, self.folder, own - {""})

    def connect(self, facts: Facts, seed: int, plug: Plug = Plug.NETDEV) -> BoardPort:
        monitor = f"{MONITOR} " in netns.run(["ip", "-br", "link"], namespace=self.spaces.wired)
        self._before = self._occupancy(monitor)
        self._begun = occupancy.counted(self._interface(), self.spaces.wired)
        self._monitor: capture.Capture | None = None
        if monitor:
            file = self.folder / "monitor.pcap"
            self._monitor = capture.Capture(MONITOR, self.spaces.wired, file, _OWN)
            self._monitor.wait_ready()
        if self._background:
            self._background.start(seed)
        return BoardPort("", self.spaces.radio)

    def problem(self) -> str:
        if self._monitor:
            self._monitor.check()
        return self._background.problem() if self._background else ""

    def heard(self) -> bool:
        """Return whether any frame of the board has arrived since the trial began."""
        command = ["ip", "neigh", "show", "to", addressing.BOARD_IP]
        return "lladdr" in netns.run(command, namespace=self.spaces.wired)

    def close(self) -> dict[str, Any]:
        now = occupancy.counted(self._interface(), self.spaces.wired)
        share = occupancy.foreign(self._begun, now)
        counters: dict[str, Any] = {"access_point": public(settings(self.spaces.wired))}
        if self._background:
            counters |= self._background.stop()
        if self._monitor:
            counted = self._monitor.stop()
            counters["monitor"] = {"captured": counted.captured, "dropped": counted.dropped}
        if share is not None:
            counters["foreign_share"] = share
        if self._before:
            counters["occupancy_before"] = self._before
        for part, when in ((share, ""), (self._before.get("share"), " before the trial")):
            if part is not None and part > occupancy.LIMIT:
                problem = f"foreign traffic: {part:.0%} of the channel's time{when}"
                counters.setdefault("problem", problem)
        return counters
