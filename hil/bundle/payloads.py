"""Messages of boards in a capture, as tshark with workflow/wireshark/thinwire.lua reads them.

They serve to check records against each other. Measurements are computed by R.
"""

from __future__ import annotations

import subprocess
from collections import defaultdict
from pathlib import Path

from hil.base.errors import InputError, ToolMissing
from hil.base.paths import ROOT
from hil.system import tools

DISSECT = ROOT / "workflow" / "wireshark" / "dissect"
# Reorder segments that overtook others; a message may extend over several frames.
_OPTIONS = ["-o", "tcp.reassemble_out_of_order:TRUE", "-Y", "tw"]


def captured(capture: Path) -> dict[str, set[int]]:
    """Return the sequence numbers of all messages in a capture, by the link-layer address that sent
    them.

    Raises:
        ToolMissing: tshark is missing.
        InputError: tshark cannot read the capture.
    """
    if tools.find("tshark") is None:
        raise ToolMissing("tshark", "dissecting captures", "apt-get install tshark")
    fields = ["-T", "fields", "-e", "eth.src", "-e", "tw.seq"]
    done = subprocess.run(
        [DISSECT, capture, *_OPTIONS, *fields], capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["tshark failed without a message"]
        raise InputError(capture, "", f"cannot be read: {said[-1]}", "run the trial again")
    found: dict[str, set[int]] = defaultdict(set)
    for line in done.stdout.splitlines():
        source, numbers = line.split("\t")
        found[source.split(",")[0]] |= {int(number) for number in numbers.split(",")}
    return dict(found)
