"""Messages of a board in a capture, as tshark with workflow/wireshark/thinwire.lua reads them.

They serve to check records against each other. Measurements are computed by R.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from hil.base.errors import InputError, ToolMissing
from hil.base.paths import ROOT
from hil.design import addressing
from hil.system import tools

DISSECT = ROOT / "workflow" / "wireshark" / "dissect"
# Reorder segments that overtook others; a message may extend over several frames.
_OPTIONS = ["-o", "tcp.reassemble_out_of_order:TRUE"]


def captured(capture: Path, mac: str = addressing.BOARD_MAC) -> set[int]:
    """Return the sequence numbers of all messages of a board in a capture.

    Args:
        mac: the board's link-layer address; by default that of a trial's first device.

    Raises:
        ToolMissing: tshark is missing.
        InputError: tshark cannot read the capture.
    """
    if tools.find("tshark") is None:
        raise ToolMissing("tshark", "dissecting captures", "run 'thinwire doctor'")
    chosen = ["-Y", f"tw && eth.src == {mac}"]
    done = subprocess.run(
        [DISSECT, capture, *_OPTIONS, *chosen, "-T", "fields", "-e", "tw.seq"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["tshark failed without a message"]
        raise InputError(capture, "", f"cannot be read: {said[-1]}", "run the trial again")
    return {int(number) for line in done.stdout.split() for number in line.split(",")}
