"""The services of a trial's router, as far as its device uses them.

dnsmasq is what most home routers run (OpenWrt's default). It leases the board's usual address to
the board, so that addresses in captures are the same with and without DHCP. It does not ping an
address before it offers it: nobody else is there, and the wait would last seconds.
"""

from __future__ import annotations

import functools
import signal
from pathlib import Path

from hil.design import acquisition, addressing
from hil.design.facts import Facts
from hil.peers import base
from hil.peers.services import sntp
from hil.system import processes

_DHCP_PORT, _DNS_PORT = 67, 53
_LEASE_S = 43200  # 12 h: OpenWrt's default
_CONF = f"""\
no-resolv
no-hosts
interface={addressing.WIRED}
except-interface=lo
bind-interfaces
host-record={acquisition.PEER_NAME},{addressing.SERVER_IP}
host-record={acquisition.TIME_NAME},{addressing.SERVER_IP}
local-ttl=60
"""
_DHCP = """\
dhcp-authoritative
no-ping
dhcp-range={address},static,{mask},{lease_s}
dhcp-host={mac},{address}
dhcp-option=option:router,{router}
dhcp-option=option:dns-server,{router}
dhcp-option=option:ntp-server,{router}
dhcp-leasefile={leases}
"""


def configuration(facts: Facts, folder: Path) -> str:
    """Return dnsmasq's configuration for a trial, whose leases are kept in `folder`."""
    if not acquisition.leased(facts):
        return _CONF
    return _CONF + _DHCP.format(
        address=addressing.BOARD_IP,
        mask=addressing.NETMASK,
        mac=addressing.BOARD_MAC,
        router=addressing.SERVER_IP,
        lease_s=_LEASE_S,
        leases=folder / "dnsmasq.leases",
    )


class Router:
    """The services in the namespace of the servers, once the servers' interface is up."""

    def __init__(self, namespace: str, folder: Path) -> None:
        self._namespace, self._folder = namespace, folder
        self._children: list[processes.Child] = []

    def start(self, facts: Facts) -> None:
        """Start what the device uses.

        Raises:
            TrialError: a service does not start; has its last output.
        """
        if acquisition.leased(facts) or acquisition.resolves(facts):
            self._start_dnsmasq(facts)
        if acquisition.asks_time(facts):
            self._start_clock()

    def _start_dnsmasq(self, facts: Facts) -> None:
        conf = self._folder / "dnsmasq.conf"
        conf.write_text(configuration(facts, self._folder), encoding="utf-8")
        child = processes.spawn(
            [
                "dnsmasq",
                "--keep-in-foreground",
                "--log-facility=-",
                "--user=root",
                "--pid-file=",
                f"--conf-file={conf}",
            ],
            self._namespace,
            self._folder / "dnsmasq.out",
        )
        self._children.append(child)
        base.wait_bound(child, "udp", _DHCP_PORT if acquisition.leased(facts) else _DNS_PORT)

    def _start_clock(self) -> None:
        ready = self._folder / "sntp.ready"
        child = processes.fork(
            "the time server",
            functools.partial(sntp.serve, addressing.SERVER_IP, ready),
            self._namespace,
            self._folder / "sntp.out",
        )
        self._children.append(child)
        child.wait_for(ready.exists)

    def problem(self) -> str:
        """Return which service died; an empty text if none did."""
        for child in self._children:
            if not child.alive():
                return f"{child.name} died with status {child.status}: {child.last_words()}"
        return ""

    def stop(self) -> None:
        """Stop the services; they have no logs to write."""
        for child in reversed(self._children):
            child.stop(signal.SIGKILL)
        self._children.clear()
