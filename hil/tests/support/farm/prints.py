"""What a chip prints: its ROM, its boot loader, the core at a crash, and lines by its own clock."""

from __future__ import annotations

# As a chip that wakes prints it: the ROM, then the core's boot loader.
WAKE_GREETING = (
    b"\r\n ets Jan  8 2013,rst cause:5, boot mode:(3,6)\r\n\r\n"
    b"load 0x4010f000, len 3424, room 16 \r\ntail 0\r\nchksum 0x2e\r\n"
    b"load 0x3fff20b8, len 40, room 8 \r\ntail 0\r\nchksum 0x2b\r\n"
    b"csum 0x2b\r\nv00059660\r\n~ld\r\n"
)
ROM_GREETING = b"\r\n ets Jan  8 2013,rst cause:%d, boot mode:(3,6)\r\n\r\n"
# As the Arduino core prints it (cores/esp8266/core_esp8266_postmortem.cpp).
_CUT = b"-" * 15 + b" CUT HERE FOR EXCEPTION DECODER " + b"-" * 15
_STACK = range(0x3FFFFF60, 0x3FFFFFD0, 16)
POSTMORTEM = b"\r\n".join(
    [
        b"",
        _CUT,
        b"",
        b"Exception (28):",
        b"epc1=0x40204d2e epc2=0x00000000 epc3=0x00000000 excvaddr=0x00000000 depc=0x00000000",
        b"",
        b">>>stack>>>",
        b"",
        b"ctx: cont",
        b"sp: 3ffffdd0 end: 3fffffd0 offset: 0190",
        *(b"%08x:  3ffe8500 00000000 3ffee5d8 40204f54  " % at for at in _STACK),
        b"<<<stack<<<",
        b"",
        _CUT,
        b"",
    ]
)


def drifted(entry: bytes, ppm: float) -> bytes:
    """A line with the time of a clock that is too fast."""
    head, comma, rest = entry.partition(b",")
    name, colon, stamp = head.partition(b":")
    if name != b'{"t"' or not stamp.isdigit():
        return entry
    return name + colon + b"%d" % round(int(stamp) * (1 + ppm / 1e6)) + comma + rest
