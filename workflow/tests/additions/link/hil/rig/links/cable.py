"""A path that delays and loses nothing: a veth pair and a bridge.

servers - wired0 ===veth=== uplink0 -+- bridge -+- board0 (TAP) - board
"""

from __future__ import annotations

from typing import Any

from hil.design import addressing
from hil.rig.links.base import BoardPort, Link, Plug
from hil.system import netns

_UPLINK, _BRIDGE, _TAP = "uplink0", "bridge0", "board0"


class CableLink(Link):
    def prepare(self) -> None:
        wired, radio = self.spaces.wired, self.spaces.radio
        pair = f"{addressing.WIRED} type veth peer name {_UPLINK} netns {radio}"
        netns.run(["ip", "-n", wired, "link", "add", *pair.split()])
        ports = [f"link set {port} master {_BRIDGE} up" for port in (_UPLINK, _TAP)]
        bridge = f"link add {_BRIDGE} type bridge forward_delay 0 stp_state 0 mcast_snooping 0"
        tap = f"tuntap add {_TAP} mode tap"
        netns.batch("ip", radio, [bridge, tap, *ports, f"link set {_BRIDGE} up"])
        self.give_address()

    def connect(self, parameters: dict[str, Any], seed: int, plug: Plug = Plug.NETDEV) -> BoardPort:
        return BoardPort(f"tap,ifname={_TAP},script=no,downscript=no", self.spaces.radio)

    def problem(self) -> str:
        return ""

    def close(self) -> dict[str, Any]:
        netns.run(["ip", "-n", self.spaces.wired, "link", "delete", addressing.WIRED])
        netns.batch("ip", self.spaces.radio, [f"link delete {d}" for d in (_TAP, _BRIDGE)])
        return {"kind": "cable"}
