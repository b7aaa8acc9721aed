"""Options of the commands that run trials in the virtual laboratory."""

from __future__ import annotations

import argparse

from hil.machine import machines
from hil.rig.boards import emulators


def add_machine(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose the machine and the emulator of the board lx106."""
    parser.add_argument(
        "--machine",
        default="auto",
        choices=machines.NAMES,
        help="machine of the testbed 'virtual' (default: auto, uml where it runs, else qemu)",
    )
    parser.add_argument(
        "--emulator",
        default=emulators.DEFAULT,
        choices=emulators.EMULATORS,
        help="emulator of the board lx106: qemu, or the project's own (sim/lx106)",
    )
