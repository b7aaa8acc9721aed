"""The contents of a small bundle that holds: its document, what was recorded, the lab's report."""

from __future__ import annotations

import json
from typing import Any

from hil.design.parameters import effective
from hil.design.trials import nonce
from hil.tests.support.frames import frame, pcap, udp

DOCUMENT: dict[str, Any] = {
    "schema": 1,
    "study": "quickstart",
    "trial": "coap_r1",
    "point": {"protocol": "coap"},
    "repetition": 1,
    "seed": 7,
    "testbed": "virtual",
    "versions": {},
    "parameters": effective(
        {
            "protocol": "coap",
            "payload_bytes": 30,
            "interval_ms": 100,
            "link": "netem",
            "duration_s": 1,
        },
        "test",
    ),
    "firmware": {"board": "lx106", "sha256": "0" * 64},
}
NONCE = nonce(DOCUMENT)
FRAMES = [frame(udp(b"\x40\x02..\xffb1 %d 1000 ............" % n)) for n in (1, 2, 3)]


def lines(*entries: dict[str, Any]) -> bytes:
    """Lines of a log that carry the bundle's nonce."""
    return "".join(json.dumps({"t": 1, "nonce": NONCE} | e) + "\n" for e in entries).encode()


BOARD = [{"ev": "boot"}, *({"ev": "sent", "seq": n} for n in (1, 2, 3)), {"ev": "acked", "seq": 3}]
RAW = {
    "wire.pcap": pcap(FRAMES),
    "board.jsonl": lines(*BOARD),
    "server.jsonl": lines({"ev": "received", "seq": 2, "bytes": 30}),
}
LAB = {"outcome": "ok", "reason": "", "nonce": NONCE, "capture": {"frames": 3, "dropped": 0}}
