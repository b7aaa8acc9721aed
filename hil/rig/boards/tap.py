"""A foreign program that is Ethernet and IP itself, at a TAP of the link, in a container.

Such are Zephyr's native_sim, RIOT's native and NuttX's sim. The program opens `{interface}` and
uses the addresses `{mac}` and `{ip}`, which the rig and the analysis know as the device's.
"""

from __future__ import annotations

from hil.design import addressing
from hil.rig.boards.program import Program
from hil.rig.links.base import Plug


class Tap(Program):
    """See the module."""

    image = "tap"
    plug = Plug.TAP
    interface = addressing.BOARD_TAP
    network_admin = True
