"""The larger of QEMU's FPGA boards with the ESP8266's processor, which runs the same firmware."""

from __future__ import annotations

from hil.rig.boards.lx106 import Lx106


class Lx200(Lx106):
    machine = "lx200-nommu"
