"""Record servers for fuzz_secure, and sessions for fuzz_kept: make_corpus.py FOLDER [FOLDER]. Needs
build/firmware/host/thinwire-host, openssl, mosquitto, libcoap's coap-server-openssl and its server
without DTLS, and the laboratory's terminator (build/dtls).

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
    "proto=mqtt qos=1 security=chain record_bytes=512 key_log=1",
    "proto=mqtt qos=1 tls_version=13 security=chain key_log=1",
    "proto=coap security=psk cid=1",
    "proto=coap security=chain cid=1 key_log=1",
)


# As in fuzz_kept.c.
KEPT = (
    "proto=mqtt security=chain",
    "proto=mqtt security=pinned",
    "proto=mqtt security=psk",
    "proto=coap security=psk cid=1",
    "proto=mqtt security=chain tls_version=13",
    "proto=mqtt security=psk tls_version=13 psk_dhe=0",
)
MEMORY_AT, HEAD_BYTES = 128, 36  # in the device's file; in front of its session


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


@contextmanager
def peer(configuration: str, folder: Path) -> Iterator[int]:
    """A server for a device so configured; its port."""
    shared = "psk" in configuration
    with tempfile.TemporaryDirectory(dir=folder) as name:
        known = "psk" if shared else "chain"
        place: object = mosquitto(Path(name), shared)
        if "cid=1" in configuration:
            place = tls.terminated(known)
        elif "coap" in configuration:
            place = tls.libcoap("openssl", known)
        with place as port:  # type: ignore[attr-defined]
            yield port


def keep(configuration: str, folder: Path) -> bytes:
    """What a device so configured keeps of its session."""
    words = [*configuration.replace(" psk_dhe=0", "").split(), "qos=1", *COMMON, "resume=1"]
    with peer(configuration, folder) as port, tempfile.NamedTemporaryFile(dir=folder) as memory:
        tls.device(port, *words, f"memory={memory.name}")
        return memory.read()[MEMORY_AT:]


def record(configuration: str, folder: Path) -> bytes:
    """The pieces that a server sent to a device so configured."""
    pieces: list[bytes] = []

    def pass_on(from_server: bool, _number: int, piece: bytes) -> list[bytes]:
        if from_server:
            pieces.append(piece)
        return [piece]

    over: Callable[..., object] = tls.air if "coap" in configuration else tls.wire
    with peer(configuration, folder) as port, over(port, pass_on) as wired:  # type: ignore[attr-defined]
        tls.device(wired, *configuration.split(), *COMMON)
    return b"".join(struct.pack(">H", len(piece)) + piece for piece in pieces)


def write(folder: Path, number: int, configuration: str, text: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    name = configuration.replace("proto=", "").replace(" ", "_").replace("=", "-")
    (folder / name).write_bytes(bytes([number]) + text)
    print(f"{name}: {1 + len(text)} bytes")


def main() -> None:
    servers, *sessions = map(Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as place:
        for number, configuration in enumerate(CONFIGURATIONS):
            write(servers, number, configuration, record(configuration, Path(place)))
        for folder in sessions:
            for number, configuration in enumerate(KEPT):
                memory = keep(configuration, Path(place))
                write(folder, number, configuration, b"\1" + memory[HEAD_BYTES:].rstrip(b"\0"))
                write(folder, number, configuration + "_whole", b"\0" + memory)


if __name__ == "__main__":
    main()
