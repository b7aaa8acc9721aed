"""The simulated 802.11 cell: the program `air`, a TAP for the servers, a port for the board.

servers - wired0 (TAP) - air ))) board's station - unix datagrams - board
          capture        access point, background stations

The servers' TAP is the access point's wired side, or a second station's (`server_link`). Each of
several devices has a station and a port of its own. With faults or a NAT the program `wire` stands
between the board's station and the board.
"""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

from hil.base.errors import TrialError
from hil.design import addressing, background, samples
from hil.design.facts import Facts
from hil.rig.links.base import BoardPort, Link, Plug
from hil.system import netns, processes, tools

PROGRAM = "sim/air/air"
_BOARD, _SERVER = "board", "server"
# Between the cell's TAP and the TAP of a board.
_STATION_TAP, _BRIDGE = "station0", "bridge0"
_TAPS = {Plug.INTERFACE: addressing.LAPTOP, Plug.TAP: _STATION_TAP}
# A cell that runs later than this is no real-time model.
_LATE_LIMIT_S = 0.01
# A backlog of beacons is quickly processed, so the cell need not wake often for them.
_LONGEST_SLEEP_ALONE_MS = 1000

# Parameter of a trial -> key of the board's station.
STATION = {
    "wifi_rate_mbps": "rate_mbps",
    "snr_db": "snr_db",
    "frame_error_rate": "frame_error_rate",
}
# Groups of stations that do not hear each other; the servers' station hears all.
_NEAR, _FAR = 1, 2
CELL = {
    "wifi_standard": "standard",
    "beacon_interval_tu": "beacon_interval_tu",
    "dtim_period": "dtim_period",
    "ap_queue": "queue",
    "ap_queue_frames": "queue_frames",
}


def _renamed(facts: Facts, names: dict[str, str]) -> dict[str, Any]:
    given = {key: getattr(facts, name) for name, key in names.items()}
    return {key: value for key, value in given.items() if value is not None}


def _modem_sleep(facts: Facts) -> dict[str, Any]:
    if not facts.modem_sleep:
        return {"enabled": False}
    return {
        "enabled": True,
        "fetch_delay_ms": facts.sleep_fetch_ms,
        "idle_ms": facts.sleep_idle_ms,
        "idle_wake_share": facts.sleep_wake_pct / 100,
    }


def _numbers(facts: Facts) -> range:
    """Return the numbers of the devices but the first."""
    return range(2, facts.devices + 1)


def _sockets(folder: Path, number: int) -> dict[str, str]:
    """Return the ends of the datagrams between the cell and the device of this number."""
    return {
        "bind": str(folder / f"air{number}.sock"),
        "peer": str(folder / f"board{number}.sock"),
    }


def _netdev(peer: str, bind: str) -> str:
    """Return QEMU's option for a board at these datagrams of the cell."""
    return f"dgram,local.type=unix,local.path={peer},remote.type=unix,remote.path={bind}"


def _join(facts: Facts) -> dict[str, Any]:
    """Return how the board's station joins, which its host begins by turning the radio on."""
    return {
        "scan": "cached" if facts.join == "cached" else facts.scan_type,
        "begins": "port",
    }


def _station(facts: Facts) -> dict[str, Any]:
    """Return the station of a device with these facts, without its name, address and port."""
    station: dict[str, Any] = {
        "modem_sleep": _modem_sleep(facts),
        "absences": [
            {"from_ms": outage.begin_s * 1000, "to_ms": outage.end_s * 1000}
            for outage in facts.outages
        ],
    }
    if late := samples.sample_ms(samples.ARRIVAL_DELAYS, facts.arrival_delay):
        station["arrival_delay_ms"] = list(late)
    if facts.background_hidden:
        station["hidden_group"] = _NEAR
    station |= _renamed(facts, STATION)
    if facts.joins:
        station["join"] = _join(facts)
    return station


def _further(facts: Facts, number: int, folder: Path) -> dict[str, Any]:
    """Return the station of another device than the first, whose own facts these are."""
    return {
        "name": addressing.device_id(number),
        "mac": addressing.device_mac(number),
        "port": {"unix": _sockets(folder, number)},
    } | _station(facts)


def configuration(
    facts: Facts, seed: int, folder: Path, plug: Plug = Plug.NETDEV
) -> dict[str, Any]:
    """Return the cell's configuration (sim/air/air.schema.json) for a trial's parameters.

    With background stations only the frames of board and servers are captured. The frames of the
    background would make the bundle a hundred times larger; counters record their sums.
    """
    board: dict[str, Any] = {
        "name": _BOARD,
        "mac": addressing.BOARD_MAC,
        "port": {"unix": {"bind": str(folder / "air.sock"), "peer": str(folder / "board.sock")}},
    } | _station(facts.by_group[0])
    further: list[dict[str, Any]] = []
    if facts.devices > 1:
        from hil.design import fleet  # noqa: PLC0415 - loaded with several devices alone

        each = zip(_numbers(facts), fleet.each_device(facts)[1:], strict=True)
        further = [_further(own, number, folder) for number, own in each]
    if facts.needs_wire:
        peer = str(folder / "wire-air.sock")
        board["port"] = {"unix": {"bind": str(folder / "air.sock"), "peer": peer}}
    elif plug in _TAPS:
        board["port"] = {"tap": _TAPS[plug]}
    document: dict[str, Any] = {
        "seed": seed,
        "cell": _renamed(facts, CELL),
        "stations": [board, *further],
        "capture": {
            "path": str(folder / "air.pcapng"),
            "beacons": facts.capture_beacons,
        },
        "counters": str(folder / "air.json"),
    }
    if facts.states("wifi_security"):
        document["cell"]["security"] = facts.wifi_security
    servers = {"tap": addressing.WIRED}
    if facts.server_link == "station":
        server = {"name": _SERVER, "mac": addressing.SERVER_MAC, "port": servers}
        document["stations"].append(server)
    else:
        document["wired"] = servers
    groups = background.groups(facts)
    far = {}
    if facts.background_hidden:
        far = {"hidden_group": _FAR}
    if not groups:
        document["clock"] = {"longest_sleep_ms": _LONGEST_SLEEP_ALONE_MS}
    for group in groups:
        document["capture"]["frames"] = "outside"
        document.setdefault("background", []).append(
            {
                "profile": group.profile,
                "direction": facts.background_direction,
                "stations": group.stations,
                "load_mbps": group.load_mbps,
            }
            | far
        )
    return document


class AirLink(Link):
    """See the module. All random numbers of the cell follow from the trial's seed."""

    def __init__(self, spaces: netns.Namespaces, folder: Path) -> None:
        super().__init__(spaces, folder)
        self._child: processes.Child | None = None

    def prepare(self) -> None:
        netns.batch("ip", self.spaces.wired, [f"tuntap add {addressing.WIRED} mode tap"])
        self.give_address()

    def connect(self, facts: Facts, seed: int, plug: Plug = Plug.NETDEV) -> BoardPort:
        document = configuration(facts, seed, self.folder, plug)
        if plug in _TAPS:
            space = self.spaces.radio if facts.needs_wire else self.spaces.wired
            netns.batch("ip", space, [f"tuntap add {_TAPS[plug]} mode tap"])
        file = self.folder / "air-config.json"
        file.write_text(json.dumps(document, indent=1), encoding="utf-8")
        program = tools.built(PROGRAM) or "air"
        child = processes.spawn([program, str(file)], self.spaces.wired, self.folder / "air.out")
        self._child = child
        child.wait_for(lambda: "air: ready" in child.said())
        self.plan_outages(facts)
        unix = document["stations"][0]["port"].get("unix", {})
        if facts.needs_wire:
            unix = self._insert_wire(facts, seed, plug, unix)
        if plug in _TAPS:
            if not facts.needs_wire:  # the cell keeps it open in any namespace
                netns.batch(
                    "ip", self.spaces.wired, [f"link set {_TAPS[plug]} netns {self.spaces.radio}"]
                )
            if plug is Plug.TAP:
                self.make_board_bridge(_BRIDGE, _STATION_TAP)
            else:
                self.give_laptop_address()
            return BoardPort("", self.spaces.radio)
        self.further_ports = [
            BoardPort(_netdev(**_sockets(self.folder, number)), self.spaces.radio)
            for number in _numbers(facts)
        ]
        return BoardPort(_netdev(**unix), self.spaces.radio, facts.joins)

    def _insert_wire(
        self, facts: Facts, seed: int, plug: Plug, cell: dict[str, str]
    ) -> dict[str, str]:
        """Start the program `wire` at the cell's port; return its own port for a board that has no
        interface."""
        from hil.rig.links import wire  # noqa: PLC0415 - loaded where it is needed: it takes time

        own = {
            "bind": str(self.folder / "wire-board.sock"),
            "peer": str(self.folder / "board.sock"),
        }
        device = {"tap": _TAPS[plug]} if plug in _TAPS else {"unix": own}
        server = {"unix": {"bind": cell["peer"], "peer": cell["bind"]}}
        made = wire.configuration(facts, seed, device, server, self.folder)
        self.wire = wire.Wire(self.spaces.radio, self.folder, made)
        return own

    def problem(self) -> str:
        if fault := self.added_problem():
            return fault
        if self._child is None or self._child.alive():
            return ""
        return f"air died with status {self._child.status}: {self._child.last_words()}"

    def close(self) -> dict[str, Any]:
        """Stop the cell and remove its interface; return its counters.

        Raises:
            TrialError: it left no counters.
        """
        counters: dict[str, Any] = {}
        self.stop_added()
        if self._child is not None:
            self._child.stop(signal.SIGTERM)
            try:
                counters = json.loads((self.folder / "air.json").read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                raise TrialError(f"air left no counters: {self._child.last_words()}") from error
            late = counters.get("clock", {}).get("worst_lateness_s", 0)
            if late > _LATE_LIMIT_S:
                counters["problem"] = f"the cell ran {late:g} s late"
        netns.run(["ip", "-n", self.spaces.wired, "link", "delete", addressing.WIRED])
        return counters
