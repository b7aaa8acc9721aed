"""Let tshark judge captures of interop.py: dissect.py FILE.pcap...

Prints for each file its packets, those with messages of its protocol, and how many packets are
malformed, carry an expert error, a warning, or a note of the group "Sequence". The last are apart:
there tshark notes the retransmissions, gaps and duplicates (of TCP, of CoAP) that the link's losses
lead to, at a severity below error, and says nothing about how a message is made. Exit status 1 if a
packet is malformed, carries an error, or the protocol is not found at all.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

from hil.bundle.payloads import DISSECT

# Without the option a segment that overtakes another is dissected where it does not belong.
_OPTIONS = ["-o", "tcp.reassemble_out_of_order:TRUE"]
_OPTIONS += ["-d", "tcp.port==8081,http"]
_OPTIONS += ["-d", "tcp.port==7000,tw_raw", "-d", "udp.port==7001,tw_raw"]  # others own these ports
# The layer of the protocol that a case of this name speaks.
_LAYERS = {name: name for name in ("amqp", "coap", "http", "mqtt", "mqttsn", "websocket")}
_LAYERS |= {"mqtt5": "mqtt", "tcp": "tw_raw", "udp": "tw_raw"}
# tshark's expert information (epan/proto.h)
_SEQUENCE, _MALFORMED = 0x02000000, 0x07000000
_WARNING, _ERROR = 0x00600000, 0x00800000
COLUMNS = ("packets", "messages", "malformed", "errors", "warnings", "sequence")


def judge(file: Path) -> Counter[str]:
    """Count the packets of a file by what tshark says of them."""
    layer = _LAYERS[file.stem.split("-")[0]]
    fields = ("frame.protocols", "_ws.expert.group", "_ws.expert.severity")
    columns = [word for field in fields for word in ("-e", field)]
    command = [DISSECT, file, *_OPTIONS, "-T", "fields", *columns]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: Counter[str] = Counter()
    for line in done.stdout.splitlines():
        layers, groups, severities = (
            part.split(sep) for part, sep in zip(line.split("\t"), ":,,", strict=True)
        )
        notes = [(int(g, 0), int(s, 0)) for g, s in zip(groups, severities, strict=True) if g]
        found["packets"] += 1
        found["messages"] += layer in layers
        found["malformed"] += "_ws.malformed" in layers or any(g == _MALFORMED for g, _ in notes)
        found["errors"] += any(s >= _ERROR for _, s in notes)
        found["warnings"] += any(s == _WARNING and g != _SEQUENCE for g, s in notes)
        found["sequence"] += any(g == _SEQUENCE for g, _ in notes)
    return found


def main() -> int:
    """Judge each file."""
    files = [Path(name) for name in sys.argv[1:]]
    for file in files:
        if not file.is_file() or file.stem.split("-")[0] not in _LAYERS:
            print(f"thinwire: error: {file}: no capture of interop.py", file=sys.stderr)
            return 2
    bad = False
    print("file", *COLUMNS, sep=",")
    for file in files:
        try:
            found = judge(file)
        except subprocess.CalledProcessError as error:
            print(f"thinwire: error: {file}: tshark: {error.stderr.strip()}", file=sys.stderr)
            bad = True
            continue
        print(file.name, *(found[column] for column in COLUMNS), sep=",", flush=True)
        bad |= not found["messages"] or bool(found["malformed"] or found["errors"])
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
