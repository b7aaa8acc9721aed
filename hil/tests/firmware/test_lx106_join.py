"""Does the emulated board wait for its radio, and switch it off before it sleeps?"""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hil.base.paths import ROOT

EMULATOR = ROOT / "build/sim/lx106/lx106"
FIRMWARE = ROOT / "build/firmware/lx106/thinwire-secure.elf"
RADIO = bytes.fromhex("025457ff0002 025457ff0002 88b6")
ON, OFF, JOINED = (RADIO + bytes([word]) for word in (1, 2, 3))
ARP = b"\x08\x06"
WORDS = "nonce=n ip=10.0.0.2 peer=10.0.0.1 port=1883 proto=mqtt mac=02:54:57:00:00:01"


class Radio:
    """The far end of the board's port."""

    def __init__(self, folder: Path, *options: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(folder / "radio"))
        self._board = folder / "board"
        network = f"dgram,local.type=unix,local.path={self._board}"
        network += f",remote.type=unix,remote.path={folder / 'radio'}"
        self.child = subprocess.Popen(
            [EMULATOR, *options, "--netdev", network, FIRMWARE, WORDS], stdout=subprocess.PIPE
        )

    def next(self, within_s: float) -> bytes:
        """Return the board's next frame; nothing if none comes."""
        self._socket.settimeout(within_s)
        try:
            return self._socket.recv(2000)
        except TimeoutError:
            return b""

    def say(self, frame: bytes) -> None:
        """Send a frame to the board."""
        self._socket.sendto(frame, str(self._board))

    def close(self) -> None:
        """End the board."""
        self.child.terminate()
        self.child.communicate(timeout=20)
        self._socket.close()


@pytest.fixture
def radio(tmp_path: Path) -> Iterator[Radio]:
    for file in (EMULATOR, FIRMWARE):
        if not file.exists():
            pytest.fail(f"{file} is not built")
    made = Radio(tmp_path, "--join")
    yield made
    made.close()


def test_the_program_stands_still_until_the_radio_has_joined(radio: Radio) -> None:
    assert radio.next(20) == ON
    assert radio.next(0.5) == b"", "the firmware announces itself by ARP at once"
    radio.say(JOINED)
    assert radio.next(20)[12:14] == ARP


def test_another_word_does_not_wake_the_program(radio: Radio) -> None:
    assert radio.next(20) == ON
    radio.say(OFF)
    radio.say(bytes(60))
    assert radio.next(0.5) == b""
