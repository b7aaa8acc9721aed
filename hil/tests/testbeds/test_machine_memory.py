"""Has the machine memory for the boards of a trial?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hil.design import addressing
from hil.machine import flavours
from hil.machine.image import Image
from hil.machine.job import Job
from hil.machine.uml import run
from hil.testbeds import virtual

USUAL_MIB = flavours.COMMON.memory_mib
# Of the machine without boards, and of each further board (docs/measured/fleet-speed.md).
LAB_MIB, BOARD_MIB = 31, 0.47


@pytest.mark.parametrize(("boards", "memory_mib"), [(1, USUAL_MIB), (450, USUAL_MIB), (1000, 1062)])
def test_the_machine_grows_with_boards_beyond_its_usual_memory(
    boards: int, memory_mib: int, tmp_path: Path
) -> None:
    image = Image(tmp_path, flavours.COMMON)
    job = Job({}, tmp_path, 1, least_mib=virtual.memory_mib(boards))
    assert run._memory_mib(image, job) == memory_mib


def test_the_boards_of_the_largest_trial_leave_room() -> None:
    used_mib = LAB_MIB + BOARD_MIB * addressing.DEVICES_MAX
    assert virtual.memory_mib(addressing.DEVICES_MAX) > 1.1 * used_mib
