"""Payloads of the workload in a capture's frames (firmware/core/workload.h): who is in there?

This is a check of records against each other, not a measurement: those are made by tshark and R.
"""

from __future__ import annotations

import re
import struct
from collections import defaultdict

from hil.bundle.pcapng import Frame
from hil.design import plan

_IPV4, _TCP, _UDP = b"\x08\x00", 6, 17
# "ID SEQ T_US" or "ID:SEQ", wherever a protocol puts it.
_PAYLOAD = re.compile(rb"%s(?: (\d+) \d+|:(\d+))" % re.escape(plan.BOARD_ID.encode()))


def _stitch(segments: dict[int, bytes]) -> bytes:
    """The bytes of a TCP flow from its segments by sequence number (distance from the first)."""
    stream = bytearray()
    for at, data in sorted(segments.items()):
        if at <= len(stream):
            stream[at : at + len(data)] = data
        else:  # the capture misses something: do not join what was apart
            stream += b"\0" * (at - len(stream)) + data
    return bytes(stream)


def device_bytes(frames: list[Frame]) -> list[bytes]:
    """What the board sent over IPv4: each UDP payload, each TCP flow reassembled."""
    source = bytes.fromhex(plan.BOARD_MAC.replace(":", ""))
    datagrams: list[bytes] = []
    first: dict[bytes, int] = {}
    flows: dict[bytes, dict[int, bytes]] = defaultdict(dict)
    for frame in frames:
        data = frame.data
        if data[6:12] != source or data[12:14] != _IPV4 or len(data) < 34:
            continue
        at = 14 + 4 * (data[14] & 15)
        end = 14 + struct.unpack_from(">H", data, 16)[0]
        if data[23] == _UDP:
            datagrams.append(data[at + 8 : end])
        elif data[23] == _TCP and len(data) >= at + 20:
            key = data[26:34] + data[at : at + 4]
            (number,) = struct.unpack_from(">I", data, at + 4)
            payload = data[at + 4 * (data[at + 12] >> 4) : end]
            base = first.setdefault(key, number)
            distance = (number - base) % (1 << 32)
            if payload and distance < 1 << 31 and len(payload) > len(flows[key].get(distance, b"")):
                flows[key][distance] = payload
    return datagrams + [_stitch(segments) for segments in flows.values()]


def captured(frames: list[Frame]) -> set[int]:
    """Sequence numbers of all messages of the board in the frames."""
    return {
        int(found[1] or found[2])
        for data in device_bytes(frames)
        for found in _PAYLOAD.finditer(data)
    }
