"""A server of the time (SNTP, RFC 4330), for machines whose time is virtual.

Packaged servers (chrony, ntpsec) serve the clock that they discipline, and replace the host's own
service when they are installed. This one serves the laboratory's time, which is the same in each
run of a trial: the firmware's default `utc_s` when the service starts, and then the time elapsed.
"""

from __future__ import annotations

import socket
import struct
import time
from pathlib import Path

PORT = 123
# When a trial begins, in seconds since 1970: `utc_s` of firmware/core/config_keys.h.
UTC_S = 1577836800
# RFC 4330, section 3: seconds from 1900 to 1970.
_SINCE_1900_S = 2208988800
_HEAD = struct.Struct(">BBbbII4s")  # to the reference identifier
_STAMP = struct.Struct(">Q")
MESSAGE_BYTES = _HEAD.size + 4 * _STAMP.size
_TRANSMIT = MESSAGE_BYTES - _STAMP.size
_CLIENT, _SERVER = 3, 4
_VERSIONS = range(1, 5)
_PRECISION = -20  # 2^-20 s, about a microsecond


def stamp(utc_us: int) -> int:
    """Return a time stamp of NTP: 32 bits of seconds since 1900, which begin again in 2036, and 32
    bits of their fraction."""
    seconds, rest_us = divmod(utc_us, 1_000_000)
    return (seconds + _SINCE_1900_S & 0xFFFFFFFF) << 32 | (rest_us << 32) // 1_000_000


def answer(request: bytes, utc_us: int) -> bytes | None:
    """Return the answer to a client's message at this time, in us since 1970; None if it is none.

    Fields: RFC 4330, section 5, table "SNTP unicast server".
    """
    if len(request) < MESSAGE_BYTES:
        return None
    first, _, poll, *_ = _HEAD.unpack_from(request)
    version, mode = first >> 3 & 7, first & 7
    if mode != _CLIENT or version not in _VERSIONS:
        return None
    head = _HEAD.pack(version << 3 | _SERVER, 1, poll, _PRECISION, 0, 0, b"LOCL")
    now = _STAMP.pack(stamp(utc_us))
    asked = request[_TRANSMIT:MESSAGE_BYTES]
    return head + now + asked + now + now


def serve(address: str, ready: Path) -> None:
    """Answer at this address until killed; `ready` appears once the port is bound."""
    began_ns = time.monotonic_ns()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as endpoint:
        endpoint.bind((address, PORT))
        ready.touch()
        while True:
            request, client = endpoint.recvfrom(2048)
            elapsed_us = (time.monotonic_ns() - began_ns) // 1000
            if said := answer(request, UTC_S * 1_000_000 + elapsed_us):
                endpoint.sendto(said, client)
