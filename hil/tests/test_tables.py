"""Do the tables of the documentation and of the laboratory say what the code says?"""

from __future__ import annotations

import subprocess

from hil.schema import ROOT
from hil.tests.peers import DEVICE


def test_the_documented_keys_are_those_of_the_firmware() -> None:
    table = subprocess.run([DEVICE, "--keys"], capture_output=True, text=True, check=True).stdout
    assert table in (ROOT / "docs" / "firmware.md").read_text(encoding="utf-8")
