"""A path with delay, jitter and loss: a veth pair and a bridge under Linux's netem.

    servers - wired0 ===veth=== uplink0 -+- bridge -+- board0 (TAP) - board
              capture           netem up            netem down

Both netem queues are on the board's side of the capture, which so records what a server's card
would: frames lost on the way from the board are missing, frames lost on the way to it are present.

Each of several devices has a TAP of its own behind the bridge, with a queue towards it; they share
the queue towards the servers.

With faults or a NAT the program `wire` stands in front of the board:

    bridge - wire0 (TAP) - wire - wire1 (TAP) - bridge - board0
             netem down
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from hil.base.errors import LabError
from hil.design import addressing
from hil.design.facts import Facts
from hil.rig.links.base import BoardPort, Link, Plug
from hil.system import netns, processes

_UPLINK, _BRIDGE = "uplink0", "bridge0"
# With `wire` the bridge ends at the first of these TAPs; behind the other is the board's bridge.
_WIRE, _BEHIND, _BOARD_BRIDGE = "wire0", "wire1", "bridge1"
_TAP = addressing.BOARD_TAP.rstrip("0")
_QUEUE_FRAMES = 1000
_DEAD = "loss 100%"


def discipline(facts: Facts) -> str:
    """Return the netem options for a trial's parameters (delay and jitter in ms, loss in %)."""
    words = [f"limit {_QUEUE_FRAMES}"]
    delay, jitter = facts.delay_ms, facts.jitter_ms
    if delay or jitter:
        words.append(f"delay {delay * 1000:g}us")
        if jitter:
            words.append(f"{jitter * 1000:g}us distribution normal")
    if loss := facts.loss_pct:
        words.append(f"loss {loss:g}%")
    return " ".join(words)


class NetemLink(Link):
    """See the module. Chance is the kernel's: inside the machine it follows the trial's seed."""

    def __init__(self, spaces: netns.Namespaces, folder: Path) -> None:
        super().__init__(spaces, folder)
        self._cutter: processes.Child | None = None
        self._device_end = addressing.BOARD_TAP  # of the bridge
        self._further: list[str] = []  # the TAPs of the devices but the first
        self._interfaces = [addressing.BOARD_TAP, _BRIDGE]

    def prepare(self) -> None:
        wired, radio = self.spaces.wired, self.spaces.radio
        pair = f"link add {addressing.WIRED} type veth peer name {_UPLINK} netns {radio}"
        netns.batch("ip", wired, [pair])
        self.make_board_bridge(_BRIDGE, _UPLINK)
        self.give_address()

    def _use(self, words: str) -> None:
        netns.batch(
            "tc",
            self.spaces.radio,
            [
                f"qdisc replace dev {port} root netem {words}"
                for port in (_UPLINK, self._device_end, *self._further)
            ],
        )

    def _interrupt(self, words: str) -> None:
        """Drop every frame during each outage; runs as a process of its own."""
        for outage in self.outages:
            for stamp, state in zip(outage, (_DEAD, words), strict=True):
                time.sleep(max(0.0, stamp / 1e9 - time.time()))
                self._use(state)

    def _plug_in_laptop(self) -> None:
        """Replace the board's TAP by a veth pair whose other end is the laptop's interface."""
        netns.batch(
            "ip",
            self.spaces.radio,
            [
                f"link delete {addressing.BOARD_TAP}",
                f"link add {addressing.BOARD_TAP} type veth peer name {addressing.LAPTOP}",
                f"link set {addressing.BOARD_TAP} master {_BRIDGE} up",
            ],
        )
        self.give_laptop_address()

    def _add_devices(self, facts: Facts) -> None:
        """Create the TAPs of the devices but the first."""
        self._further = [f"{_TAP}{number}" for number in range(1, facts.devices)]
        self._interfaces = [*self._further, *self._interfaces]
        words = []
        for tap in self._further:
            words += [f"tuntap add {tap} mode tap", f"link set {tap} master {_BRIDGE} up"]
        netns.batch("ip", self.spaces.radio, words)

    def _insert_wire(self, facts: Facts, seed: int, plug: Plug) -> None:
        """Put the program `wire` between the bridge and the board."""
        from hil.rig.links import wire  # noqa: PLC0415 - loaded where it is needed: it takes time

        self._device_end = _WIRE
        words = [f"tuntap add {_WIRE} mode tap", f"link set {_WIRE} master {_BRIDGE} up"]
        if plug is Plug.INTERFACE:
            device = addressing.LAPTOP
            words += [f"link delete {addressing.BOARD_TAP}", f"tuntap add {device} mode tap"]
            self._interfaces = [_WIRE, device, _BRIDGE]
        else:
            device = _BEHIND
            kind = "bridge forward_delay 0 stp_state 0 mcast_snooping 0"
            words += [f"link add {_BOARD_BRIDGE} type {kind}", f"tuntap add {device} mode tap"]
            words += [
                f"link set {port} master {_BOARD_BRIDGE} up"
                for port in (device, addressing.BOARD_TAP)
            ]
            words.append(f"link set {_BOARD_BRIDGE} up")
            self._interfaces += [_WIRE, device, _BOARD_BRIDGE]
        netns.batch("ip", self.spaces.radio, words)
        ends = {"tap": device}, {"tap": _WIRE}
        document = wire.configuration(facts, seed, *ends, self.folder)
        self.wire = wire.Wire(self.spaces.radio, self.folder, document)
        if plug is Plug.INTERFACE:
            self.give_laptop_address()

    def connect(self, facts: Facts, seed: int, plug: Plug = Plug.NETDEV) -> BoardPort:
        words = discipline(facts)
        if facts.needs_wire:
            self._insert_wire(facts, seed, plug)
        elif plug is Plug.INTERFACE:
            self._plug_in_laptop()
        elif facts.devices > 1:
            self._add_devices(facts)
        try:
            self._use(words)
        except LabError as error:
            if "kind is unknown" not in str(error):
                raise
            raise LabError(
                "this kernel has no netem; modprobe sch_netem, or use the testbed 'virtual'"
            ) from error
        self.plan_outages(facts)
        if self.outages:
            self._cutter = processes.fork(
                "the outages",
                lambda: self._interrupt(words),
                self.spaces.radio,
                self.folder / "outages.out",
            )
        first, *self.further_ports = (
            BoardPort(f"tap,ifname={tap},script=no,downscript=no", self.spaces.radio)
            for tap in (addressing.BOARD_TAP, *self._further)
        )
        return first

    def problem(self) -> str:
        if fault := self.added_problem():
            return fault
        if self._cutter is None or self._cutter.alive() or self._cutter.status == 0:
            return ""
        return f"the outages fail: {self._cutter.last_words()}"

    def close(self) -> dict[str, Any]:
        if self._cutter is not None:
            self._cutter.stop()
        self.stop_added()
        netns.run(["ip", "-n", self.spaces.wired, "link", "delete", addressing.WIRED])
        netns.batch("ip", self.spaces.radio, [f"link delete {d}" for d in self._interfaces])
        return {}
