"""What goes wrong with physical boards, by name, and whose it is: the table of docs/hardware.md.

A fault before the board has answered its configuration is no result (`Fault`, a LabError: no
bundle). Later it is a failed trial's reason, and stands in its lab.json.
"""

from __future__ import annotations

from hil.base.errors import LabError

BOARD, HOST, NETWORK, TEST = "board", "host", "network", "test"

# Name -> (whose it is, what it means). The order is that of a trial.
FAULTS = {
    "coordinator gone": (HOST, "the coordinator of the boards does not answer"),
    "exporter gone": (HOST, "the host that the board hangs at exports it no more"),
    "lease lost": (HOST, "somebody else was given the board"),
    "unplugged": (BOARD, "its serial port is not there, or was gone in between"),
    "another board": (HOST, "the chip at this port has another MAC address than the place says"),
    "plug gone": (HOST, "the plug or hub that switches its power does not do so"),
    "silent": (BOARD, "it prints nothing after a reset"),
    "boot loop": (BOARD, "it resets before its firmware is up, time and again"),
    "garbled line": (BOARD, "its log arrives damaged: bytes are lost or wrong"),
    "flash failed": (BOARD, "its flash does not take the firmware"),
    "wrong firmware": (BOARD, "it runs another image than the one that was written"),
    "configuration refused": (TEST, "the firmware does not take the trial's configuration"),
    "no Wi-Fi": (NETWORK, "it finds no access point, or is not let in"),
    "wrong network": (NETWORK, "it is in a network, and no frame of it reaches the server"),
    "brown-out": (BOARD, "its power failed in the middle of a trial"),
    "crash": (TEST, "its firmware failed in the middle of a trial"),
    "capture dropped": (HOST, "the host did not keep up with its own capture"),
    "disk full": (HOST, "there was no room for the results"),
    "power cut": (HOST, "the host ended in the middle of a trial"),
    "foreign traffic": (NETWORK, "others used more of the channel than the rule allows"),
    "station gone": (HOST, "a background station does not answer, or was gone in between"),
    "background failed": (HOST, "a background station's program, or its server, did not run"),
    "background weak": (NETWORK, "the background reached too little of what was asked"),
    "server failed": (TEST, "a server of the trial died or did not start"),
}


def owner(name: str) -> str:
    """Whose a fault is: board, host, network or test."""
    return FAULTS[name][0]


class Fault(LabError):
    """A fault before a trial began. `name` is a key of FAULTS."""

    def __init__(self, name: str, detail: str) -> None:
        self.name, self.detail = name, detail
        super().__init__(f"{owner(name)}: {name}: {detail}")


# How reasons begin that do not name their fault themselves.
_REASONS = {
    "the capture lost": "capture dropped",
    "the capture ended early": "capture dropped",
    "the laboratory was": "capture dropped",
    "the board logged crash": "crash",
    "the board logged config_error": "configuration refused",
    "the board did not finish": "silent",
}


def name_of(reason: str) -> str:
    """The name of the fault that a trial's reason tells of. What no board and no host did is the
    test's: a server that died, a trial that took too long."""
    name = reason.partition(":")[0]
    if name in FAULTS:
        return name
    found = [name for start, name in _REASONS.items() if reason.startswith(start)]
    return found[0] if found else "server failed"
