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
# Its handlers go on behind what raised: of a debug exception, of the kernel's (as those of double
# ones) and the user's. Then VECBASE, a line of log by semihosting, a software interrupt, LITBASE, a
# store and a load that are watched for, a region without access, the FPGA's registers, BREAK, and a
# reset.
_GO_ON, _RFE = bytes.fromhex("f2cf03f0b113"), bytes.fromhex("003000")
_SYSTEM = (
    bytes.fromhex("061e00").ljust(16, b"\0")
    + bytes.fromhex("f2a000f0a013f0b203f2cf03f0b213103200").ljust(32, b"\0")
    + (bytes.fromhex("f0b103") + _GO_ON + _RFE).ljust(32, b"\0")
    + (bytes.fromhex("f0b103") + _GO_ON + bytes.fromhex("f2a080f0e313") + _RFE).ljust(32, b"\0")
    + (bytes.fromhex("f0c003") + _GO_ON + _RFE)
    + bytes.fromhex(
        "82a402c0880180e71392a02090e61322a00432a00180482052a00300510062a08060e413"
        "60e213f02000f0200072a001807720700513a1d3ffa2a3ffc0aa01b2a03fc2a00110cc01"
        "c0bb20a09013b0a013626a00c0c141c0bb20b0a013622a0062a00fd2a00130dd0160ed50"
        "622d00626d01e2a7d0c0ee01c2a20080cc11c0ee20622e00622e02626e0210410062a06f"
        "706611c2a0adc0662072a600b07711706620626e04800000"
    )
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


def segment(device: bool, flags: int, sequence: int, payload: bytes = b"") -> bytes:
    """A step of wire-fuzz_frames: 9 ms of pause, then a TCP segment between the device and the
    broker."""
    ports = (50000, 1883) if device else (1883, 50000)
    addresses = b"\x0a\x4d\x01\x01\x0a\x4d\x00\x01"
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 40 + len(payload), 7, 0x4000, 64, 6, 0)
    ip += addresses if device else addresses[4:] + addresses[:4]
    tcp = struct.pack(">HHIIBBHHH", *ports, sequence, 1, 0x50, flags, 8192, 0, 0)
    content = bytes(12) + b"\x08\x00" + ip + tcp + payload
    return bytes([0 if device else 1, len(content) // 8, len(content) % 8, 9]) + content


_SYN, _ACK, _RST = 2, 16, 4
_CONNECT = b"\x10\x0e\x00\x04MQTT\x04\x02\x00\x3c\x00\x02b1"
_PUBLISH = b"\x34\x08\x00\x01t\x00\x07abc"

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
        "system": b"\2" + _SYSTEM,
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
    "wire-fuzz_config": {
        "faults": b'{"device":{"tap":"a"},"server":{"unix":{"bind":"/b","peer":"/c"}},'
        b'"application":"mqtt","faults":[{"number":1,"kind":"loss","at_ms":1,"for_ms":2,'
        b'"share":0.5},{"number":2,"kind":"half_open","from":"server","packet":'
        b'{"name":"PUBLISH","qos":2,"number":3,"from":"device","after_ms":0}}]}',
    },
    "wire-fuzz_frames": {
        "mqtt": segment(True, _SYN, 9)
        + segment(False, _SYN | _ACK, 99)
        + segment(True, _ACK, 10, _CONNECT)
        + segment(False, _ACK, 100, b"\x20\x02\x00\x00")
        + segment(True, _ACK, 26, _PUBLISH)
        + segment(True, _ACK, 26, _PUBLISH)
        + segment(False, _ACK, 104, b"\x50\x02\x00\x07")
        + segment(False, _RST, 108),
    },
}
