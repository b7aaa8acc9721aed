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


def test_what_was_executed_is_read_as_far_as_it_goes():
    assert list(emulators.executed(b"\x00\x00\x20\x40\x02\x00\x20\x40\x05")) == [
        0x40200000,
        0x40200002,
    ]
    assert list(emulators.executed(b"")) == []
