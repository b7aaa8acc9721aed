"""Record servers for fuzz_secure: make_corpus.py FOLDER. Needs build/firmware/host/thinwire-host,
openssl, mosquitto and libcoap's coap-server-openssl.

The device's random numbers come from its seed, so that what a server once said to it fits again, as
long as data/tls is the same.
"""

from __future__ import annotations

import struct
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT))

from hil.tests import tls  # noqa: E402

COMMON = ("messages=3", "interval_ms=20")
# As in fuzz_secure.c.
CONFIGURATIONS = (
    "proto=mqtt qos=1 security=chain",
    "proto=mqtt qos=1 security=pinned",
    "proto=mqtt qos=1 security=psk",
    "proto=coap security=chain",
    "proto=coap security=pinned",
    "proto=coap security=psk",
    "proto=mqtt qos=1 security=chain resume=1 own_certificate=1",
    "proto=mqtt qos=1 tls_version=13 security=chain resume=1",
    "proto=mqtt qos=1 tls_version=13 security=pinned own_certificate=1",
    "proto=mqtt qos=1 tls_version=13 security=psk resume=1",
)


@contextmanager
def mosquitto(folder: Path, shared_key: bool) -> Iterator[int]:
    port, ec = tls.free_port(), tls.DATA / "ec"
    lines = ["user root", f"listener {port} 127.0.0.1", "allow_anonymous true"]
    if shared_key:
        (folder / "keys").write_text(f"{tls.PSK_IDENTITY}:{tls.PSK_KEY}\n")
        lines += [f"psk_file {folder}/keys", "psk_hint lab"]
    else:
        lines += [f"cafile {ec}/root.pem", f"certfile {ec}/server.pem", f"keyfile {ec}/server.key"]
    (folder / "conf").write_text("\n".join(lines) + "\n")
    with tls.server(["mosquitto", "-c", folder / "conf"], port):
        yield port


def record(configuration: str, folder: Path) -> bytes:
    """The pieces that a server sent to a device so configured."""
    pieces: list[bytes] = []

    def keep(from_server: bool, _number: int, piece: bytes) -> list[bytes]:
        if from_server:
            pieces.append(piece)
        return [piece]

    shared = "psk" in configuration
    words = configuration.split()
    over: Callable[..., object] = tls.wire
    with tempfile.TemporaryDirectory(dir=folder) as name:
        place: object = mosquitto(Path(name), shared)
        if "coap" in configuration:
            over, place = tls.air, tls.libcoap("openssl", "psk" if shared else "chain")
        with place as port, over(port, keep) as wired:  # type: ignore[attr-defined]
            tls.device(wired, *words, *COMMON)
    return b"".join(struct.pack(">H", len(piece)) + piece for piece in pieces)


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for number, configuration in enumerate(CONFIGURATIONS):
        text = bytes([number]) + record(configuration, folder)
        name = configuration.replace("proto=", "").replace(" ", "_").replace("=", "-")
        (folder / name).write_bytes(text)
        print(f"{name}: {len(text)} bytes")


if __name__ == "__main__":
    main()
