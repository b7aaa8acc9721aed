"""Let tshark judge captures of interop.py: dissect.py FILE.pcap...

Prints for each file its packets, how many messages of its protocol tshark found, how many packets
are malformed and how many carry an expert error. Exit status 1 if any is, or a protocol is not
found at all.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_DECODE = ["-d", "udp.port==1884,mqttsn", "-d", "tcp.port==8081,http"]
# The protocol that a case of this name speaks; raw messages have no dissector.
_FILTERS = {
    "amqp": "amqp",
    "coap": "coap",
    "http": "http",
    "mqtt": "mqtt",
    "mqttsn": "mqttsn",
    "tcp": "tcp",
    "udp": "udp",
    "websocket": "websocket",
}
_ERROR = 0x00800000  # PI_ERROR of tshark's expert information


def count(file: Path, display_filter: str) -> int:
    """Return how many packets of the file match."""
    done = subprocess.run(
        ["tshark", "-r", str(file), *_DECODE, "-Y", display_filter, "-T", "fields",
         "-e", "frame.number"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return len(done.stdout.split())


def main() -> int:
    """Judge each file."""
    bad = False
    print("file,packets,messages,malformed,errors")
    for name in sys.argv[1:]:
        file = Path(name)
        row = [
            count(file, "frame"),
            count(file, _FILTERS[file.stem.split("-")[0]]),
            count(file, "_ws.malformed"),
            count(file, f"_ws.expert.severity == {_ERROR}"),
        ]
        print(file.name, *row, sep=",")
        bad |= not row[1] or bool(row[2] or row[3])
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
