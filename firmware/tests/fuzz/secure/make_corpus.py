"""Record servers for fuzz_secure, and sessions for fuzz_resumption: make_corpus.py FOLDER [FOLDER].

Needs build/firmware/host/thinwire-host and record_secure (cmake --target recorder), openssl,
mosquitto, libcoap's coap-server-openssl and its server without DTLS, and the laboratory's
terminator (build/dtls).

The device's random numbers come from its seed, so that what a server once said to it fits again, as
long as data/tls is the same.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT))

from hil.tests.support import tls  # noqa: E402

COMMON = ("messages=3", "interval_ms=20")
RECORDER = ROOT / "build/firmware/host/record_secure"


# As in fuzz_resumption.c.
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
def mosquitto(folder: Path, configuration: str) -> Iterator[int]:
    port = tls.free_port()
    lines = tls.certified()
    if "psk" in configuration:
        (folder / "keys").write_text(f"{tls.PSK_IDENTITY}:{tls.PSK_KEY}\n")
        lines = [f"psk_file {folder}/keys", "psk_hint lab"]
    elif "own_certificate" in configuration:
        lines.append("require_certificate true")
    with tls.server(tls.mosquitto(folder, port, *lines), port):
        yield port


@contextmanager
def peer(configuration: str, folder: Path) -> Iterator[int]:
    """A server for a device so configured; its port."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        known = "psk" if "psk" in configuration else "chain"
        server: object = mosquitto(Path(name), configuration)
        if "cid=1" in configuration:
            server = tls.terminated(known)
        elif "coap" in configuration:
            server = tls.libcoap("openssl", known)
        with server as port:  # type: ignore[attr-defined]
            yield port


# OpenSSL's servers that say something else to a device so configured: certificate and options.
OTHERS = {
    "cookie": ("tls_version=13 security=chain key_log=1", "ec/server", ("-stateless",)),
    "alert": ("security=psk", "ec/server", ()),
    "alert_of_13": ("tls_version=13 security=psk resume=1", "ec/server", ()),
    "psk_only": (
        "tls_version=13 security=psk psk_dhe=0 resume=1 connection_messages=1",
        "",
        ("-psk", tls.PSK_KEY, "-psk_identity", tls.PSK_IDENTITY, "-allow_no_dhe_kex"),
    ),
    "rsa": ("security=pinned", "rsa/server", ()),
    "untrusted": ("security=chain", "ec/untrusted", ()),
}


def keep(configuration: str, folder: Path) -> bytes:
    """What a device so configured keeps of its session."""
    words = [*configuration.replace(" psk_dhe=0", "").split(), "qos=1", *COMMON, "resume=1"]
    with peer(configuration, folder) as port, tempfile.NamedTemporaryFile(dir=folder) as memory:
        tls.device(port, *words, f"memory={memory.name}")
        return memory.read()[MEMORY_AT:]


def record(number: int, server: AbstractContextManager[int]) -> bytes:
    """What a server said to a device, as fuzz_secure reads it."""
    with server as port:
        argv = [RECORDER, str(number), str(port)]
        return subprocess.run(argv, check=True, capture_output=True).stdout


def write(folder: Path, configuration: str, text: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    name = configuration.replace("proto=", "").replace(" ", "_").replace("=", "-")
    (folder / name).write_bytes(text)
    print(f"{name}: {len(text)} bytes")


def main() -> None:
    servers, *sessions = map(Path, sys.argv[1:])
    known = subprocess.run([RECORDER], check=True, capture_output=True, text=True)
    configurations = known.stdout.splitlines()
    with tempfile.TemporaryDirectory() as name:
        workdir = Path(name)
        for number, configuration in enumerate(configurations):
            write(servers, configuration, record(number, peer(configuration, workdir)))
        for what, (words, leaf, options) in OTHERS.items():
            number = configurations.index(f"proto=mqtt qos=1 {words}")
            write(servers, what, record(number, tls.openssl(*options, leaf=leaf)))
        for folder in sessions:
            for number, configuration in enumerate(KEPT):
                memory, head = keep(configuration, workdir), bytes([number])
                session = memory[HEAD_BYTES:].rstrip(b"\0")
                write(folder, configuration, head + b"\1" + session)
                write(folder, configuration + "_whole", head + b"\0" + memory)


if __name__ == "__main__":
    main()
