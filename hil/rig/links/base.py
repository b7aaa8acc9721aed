"""The interface of a link, which creates the servers' interface and a port for the board."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hil.design import acquisition, addressing
from hil.design.facts import Facts
from hil.system import netns, processes

if TYPE_CHECKING:
    from hil.peers.services.router import Router
    from hil.rig.links.wire import Wire


class Plug(Enum):
    """How a board is attached to its link: as a network device of QEMU; by the kernel's interface
    `addressing.LAPTOP`, with the board's addresses; or by the TAP `addressing.BOARD_TAP`, at which
    the board runs its own Ethernet and IP."""

    NETDEV = auto()
    INTERFACE = auto()
    TAP = auto()


@dataclass(frozen=True)
class BoardPort:
    """Where a board is attached: a namespace, and for an emulated board QEMU's `-netdev` option
    without its id. With `joins` a radio is there that the board turns on and off."""

    netdev: str
    namespace: str
    joins: bool = False


class Link(ABC):
    """A network of one trial. Order of calls: prepare, connect, ..., close.

    `prepare` does what needs no parameters and may happen before a snapshot.
    """

    # pcap-filter(7) for the trial's frames at the servers' interface; empty: all.
    own = ""

    def __init__(self, spaces: netns.Namespaces, folder: Path) -> None:
        self.spaces, self.folder = spaces, folder
        # Wall clock stamps in ns; set by `connect`.
        self.outages: list[tuple[int, int]] = []
        # Ports of the trial's devices but the first; set by `connect`.
        self.further_ports: list[BoardPort] = []
        # Injects faults and is the NAT; set by `connect` where the trial has some.
        self.wire: Wire | None = None
        # What else the device's network offers; set by `serve`.
        self._router: Router | None = None

    def plan_outages(self, facts: Facts) -> None:
        """Set the times of the outages, which count from now."""
        now = time.time_ns()
        self.outages = [
            (now + round(outage.begin_s * 1e9), now + round(outage.end_s * 1e9))
            for outage in facts.outages
        ]

    @abstractmethod
    def prepare(self) -> None:
        """Create the interfaces; the servers' is `addressing.WIRED`, up and with its address."""

    @abstractmethod
    def connect(self, facts: Facts, seed: int, plug: Plug = Plug.NETDEV) -> BoardPort:
        """Apply a trial's parameters, start the network and its outages; return the board's port,
        whose namespace contains what `plug` names.

        Raises:
            TrialError: a program of the link fails.
        """

    def serve(self, facts: Facts) -> None:
        """Start the services of the network that the device uses: DHCP, DNS, SNTP.

        Raises:
            TrialError: one does not start.
        """
        if not acquisition.stated(facts):
            return
        from hil.peers.services import router  # noqa: PLC0415 - loaded where it is used alone

        self._router = router.Router(self.spaces.wired, self.folder)
        self._router.start(facts)

    def added_problem(self) -> str:
        """Return why what was added to the link failed, or an empty text."""
        if self.wire is not None and (fault := self.wire.problem()):
            return fault
        return self._router.problem() if self._router is not None else ""

    def stop_added(self) -> None:
        """Stop what was added to the link."""
        if self.wire is not None:
            self.wire.stop()
        if self._router is not None:
            self._router.stop()

    @abstractmethod
    def problem(self) -> str:
        """Return why the link failed (a process died, it was late), or an empty text."""

    @abstractmethod
    def close(self) -> dict[str, Any]:
        """Stop and remove the network; return counters for lab.json."""

    def give_address(self) -> None:
        """Bring the servers' interface up with its address and without offloads."""
        self._bring_up(
            addressing.WIRED, self.spaces.wired, addressing.SERVER_MAC, addressing.SERVER_IP
        )

    def give_laptop_address(self) -> None:
        """Bring a laptop's interface up. Both sides know each other's link-layer address, as they
        would a router's, so that no session begins with ARP."""
        self._bring_up(
            addressing.LAPTOP, self.spaces.radio, addressing.BOARD_MAC, addressing.BOARD_IP
        )
        for interface, namespace, mac, address in (
            (addressing.LAPTOP, self.spaces.radio, addressing.SERVER_MAC, addressing.SERVER_IP),
            (addressing.WIRED, self.spaces.wired, addressing.BOARD_MAC, addressing.BOARD_IP),
        ):
            word = f"neighbour replace {address} lladdr {mac} dev {interface} nud permanent"
            netns.batch("ip", namespace, [word])

    def make_board_bridge(self, bridge: str, other: str) -> None:
        """Create a board's TAP, and a bridge from it to the interface `other` of its namespace."""
        netns.batch(
            "ip",
            self.spaces.radio,
            [
                f"link add {bridge} type bridge forward_delay 0 stp_state 0 mcast_snooping 0",
                f"tuntap add {addressing.BOARD_TAP} mode tap",
                *(f"link set {port} master {bridge} up" for port in (other, addressing.BOARD_TAP)),
                f"link set {bridge} up",
            ],
        )

    @staticmethod
    def _bring_up(interface: str, namespace: str, mac: str, address: str) -> None:
        netns.batch(
            "ip",
            namespace,
            [
                f"link set {interface} address {mac}",
                f"address add {address}/{addressing.NETWORK_BITS} dev {interface}",
                f"link set {interface} up",
            ],
        )
        processes.call(lambda: netns.no_offload(interface), namespace)
