"""The boards that a trial may use, by name."""

from __future__ import annotations

from hil.rig.boards.base import Board
from hil.rig.boards.esp8266 import Esp8266
from hil.rig.boards.laptop import Laptop
from hil.rig.boards.lx106 import Lx106
from hil.rig.boards.zephyr import Zephyr

BOARDS: dict[str, type[Board]] = {
    "esp8266": Esp8266,
    "laptop": Laptop,
    "lx106": Lx106,
    "zephyr": Zephyr,
}
