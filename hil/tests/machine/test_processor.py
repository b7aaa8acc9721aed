"""Is the processor that foreign programs see masked only where kernel and host can do it?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hil.machine.uml import processor
from hil.machine.uml.kernel import Kernel

_HOST = "vendor_id\t: V\ncpu family\t: 6\nmodel\t\t: 1\nstepping\t: {}\nflags\t\t: fpu{}\n"


def seen(folder: Path, answers: bool, refuses: bool, stepping: int = 1) -> str:
    host = folder / "cpuinfo"
    host.write_text(_HOST.format(stepping, " cpuid_fault" if refuses else ""))
    symbols = {"lab_masks_cpu": 1} if answers else {}
    return processor.seen(Kernel(folder, "6.18", "0" * 64, symbols), host)


def test_it_is_masked_where_both_can(tmp_path: Path) -> None:
    assert seen(tmp_path, answers=True, refuses=True) == "masked"


@pytest.mark.parametrize(("answers", "refuses"), [(True, False), (False, True)])
def test_else_it_is_the_hosts(tmp_path: Path, answers: bool, refuses: bool) -> None:
    one, again, other = (seen(tmp_path, answers, refuses, stepping) for stepping in (1, 1, 2))
    assert one == again != other and len(one) == 16
