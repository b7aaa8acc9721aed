"""The seeds of the simulators' fuzzers (sim/*/tests/fuzz_*.cc), which are no scripts."""

from __future__ import annotations

import struct


def frame(port: int, to: bytes, sender: bytes, pause: int, payload: bytes) -> bytes:
    """A step of air-fuzz_frames: so many times 100 us of pause, then a frame on a port."""
    content = to + sender + b"\x08\x00" + payload
    return bytes([port, len(content) // 8, len(content) % 8, pause]) + content


def station(number: int) -> bytes:
    """The address of a station of the fuzzed cell; 0: what is wired."""
    return bytes([2, 0, 0, 0, 0, number])


def mac(value: int, place: int, flags: int = 0) -> bytes:
    """A step of lx106-fuzz_inputs: a word into a descriptor, or into a register if `flags` is
    odd; 2 in it: the steps to come are a frame that is received, too."""
    return struct.pack("<IHBB", value, place, 2, flags)


# (xtensa-lx106-elf-as:) loads, stores, shifts and a loop on data memory; a register of the MAC
# written and read; a timer set, its interrupt enabled; a call, a bit tested, a pause.
_PROGRAM = bytes.fromhex(
    "060200000000f43f0000037d21feff0c73390248025202015252015a646073347086"
    "820017400098a19092210b3356f3fde1f5ff990ef81ea0ea03a2ca64a0f0134c0cc0"
    "e413450000005000d0fc40276d02a00000b060000070000df0"
)
_FLASH = 0x40200000
# For Xtensa, version 1, executable; one segment, loaded at its place.
_ELF = (
    struct.pack(
        "<16sHHIIIIIHHHHHH", b"\x7fELF\1\1\1", 2, 94, 1, _FLASH, 52, 0, 0, 52, 32, 1, 0, 0, 0
    )
    + struct.pack("<8I", 1, 84, _FLASH, _FLASH, len(_PROGRAM), len(_PROGRAM) + 16, 5, 4)
    + _PROGRAM
)
_BROADCAST = b"\xff" * 6

CORPUS = {
    "air-fuzz_config": {
        "sleep": b'{"cell":{"standard":"n","dtim_period":2},"stations":[{"name":"s1",'
        b'"mac":"02:00:00:00:00:01","port":{"tap":"t1"},"standard":"n",'
        b'"modem_sleep":{"idle_ms":5}}],'
        b'"background":[{"profile":"bulk","direction":"both","stations":2}]}',
    },
    "air-fuzz_frames": {
        "talk": b"".join(
            frame(port, to, station(port), 20, bytes(range(size)))
            for port, to, size in (
                (1, station(0), 46),
                (0, station(1), 100),
                (2, station(1), 8),
                (0, _BROADCAST, 28),
                (1, _BROADCAST, 28),
                (3, station(2), 200),
            )
        ),
    },
    "lx106-fuzz_inputs": {
        "elf": b"\0" + _ELF,
        "damaged": b"\1" + _PROGRAM,
        "program": b"\2" + _PROGRAM,
        "tap": b"\3tap,ifname=tap0,script=no,downscript=no",
        "dgram": b"\3dgram,local.type=unix,local.path=/a,,b,remote.type=unix,remote.path=/c",
        # Receiver and transmitter on, one descriptor to send, one to fill; a frame for it.
        "mac": b"\4"
        + mac(0x23, 0, 1)
        + mac(1, 0x20, 1)
        + mac(0x9D800000, 4)
        + mac(60 << 16 | 0xC000, 0)
        + mac(0x9D801000, 12)
        + mac(0xE000, 8, 2)
        + b"\xff" * 6
        + bytes(58),
    },
    "nbiot-fuzz_config": {
        "least": b'{"schema": 1, "experiment": {"stacks": ["mqtt"], "payload_bytes": [25],'
        b' "loads": [1]}}',
    },
}
