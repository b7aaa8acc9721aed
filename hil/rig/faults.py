"""Faults of physical boards, by name, with their owners: the table of docs/hardware.md.

Before the board has answered its configuration, a fault is an error without a bundle (`Fault`, a
LabError). Later it is the reason of a failed trial, in its lab.json.
"""

from __future__ import annotations

from hil.base.errors import LabError

BOARD, HOST, NETWORK, TEST = "board", "host", "network", "test"

# Name -> (owner, meaning), in the order of a trial.
FAULTS = {
    "coordinator gone": (HOST, "the coordinator of the boards does not answer"),
    "exporter gone": (HOST, "the board's host no longer exports it"),
    "lease lost": (HOST, "another user acquired the board"),
    "unplugged": (BOARD, "its serial port is missing, or was lost in between"),
    "another board": (HOST, "the chip at this port has another MAC address than the place's tag"),
    "plug gone": (HOST, "the plug or hub does not switch its power"),
    "silent": (BOARD, "it prints nothing after a reset"),
    "boot loop": (BOARD, "it resets again and again before its firmware is up"),
    "garbled line": (BOARD, "its log arrives damaged: bytes are lost or wrong"),
    "flash failed": (BOARD, "the firmware cannot be written to its flash"),
    "wrong firmware": (BOARD, "it runs another image than the one that was written"),
    "configuration refused": (TEST, "the firmware rejects the trial's configuration"),
    "no Wi-Fi": (NETWORK, "it finds no access point, or is refused"),
    "wrong network": (NETWORK, "it is in a network, but none of its frames reaches the server"),
    "brown-out": (BOARD, "its power failed in the middle of a trial"),
    "no wake-up": (BOARD, "it does not wake from deep sleep"),
    "run lost": (BOARD, "it woke from deep sleep without the record of its trial"),
    "crash": (TEST, "its firmware failed in the middle of a trial"),
    "capture dropped": (HOST, "the host was too slow for its capture"),
    "disk full": (HOST, "the disk has no room for the results"),
    "power cut": (HOST, "the host stopped in the middle of a trial"),
    "foreign traffic": (NETWORK, "other senders used more of the channel than the limit"),
    "station gone": (HOST, "a background station does not answer, or was lost in between"),
    "background failed": (HOST, "a background station's program or its server failed"),
    "background weak": (NETWORK, "the background carried too little of its load"),
    "server failed": (TEST, "a server of the trial died or did not start"),
}


def owner(name: str) -> str:
    """Return the owner of a fault: board, host, network or test."""
    return FAULTS[name][0]


class Fault(LabError):
    """A fault before a trial began. `name` is a key of FAULTS."""

    def __init__(self, name: str, detail: str) -> None:
        self.name, self.detail = name, detail
        super().__init__(f"{owner(name)}: {name}: {detail}")


# The beginnings of reasons that do not name their fault.
_REASONS = {
    "the capture lost": "capture dropped",
    "the capture ended early": "capture dropped",
    "the laboratory was": "capture dropped",
    "the board logged crash": "crash",
    "the board logged config_error": "configuration refused",
    "the board did not finish": "silent",
}


def name_of(reason: str) -> str:
    """Return the name of the fault in a trial's reason. Any other reason, such as a server that
    failed or a trial that took too long, counts as `server failed`."""
    name = reason.partition(":")[0]
    if name in FAULTS:
        return name
    found = [name for start, name in _REASONS.items() if reason.startswith(start)]
    return found[0] if found else "server failed"
