"""The boards that a trial may use, by name."""

from __future__ import annotations

from hil.base.registry import Registry
from hil.rig.boards.base import Board

BOARDS: Registry[str, Board] = Registry(
    "hil.rig.boards",
    {
        "esp8266": "esp8266:Esp8266",
        "laptop": "laptop:Laptop",
        "lx106": "lx106:Lx106",
        "program": "program:Program",
        "tap": "tap:Tap",
        "zephyr": "zephyr:Zephyr",
    },
)
