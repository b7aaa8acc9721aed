"""Which program executes the LX106's firmware."""

from __future__ import annotations

import pytest

from hil.base.errors import ToolMissing
from hil.rig.boards import emulators
from hil.system import tools


def test_an_emulator_that_is_not_built_is_named_with_a_remedy(monkeypatch):
    monkeypatch.setattr(tools, "built", lambda place: None)
    with pytest.raises(ToolMissing, match=r"build/sim/lx106/lx106: not found.*--emulator qemu"):
        emulators.need("lx106")
    emulators.need("qemu")
