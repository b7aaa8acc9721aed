"""Keys and certificates of the servers, for devices that use TLS or DTLS: those of data/tls."""

from __future__ import annotations

from pathlib import Path

from hil.base.paths import ROOT

FOLDER = ROOT / "data/tls"
PSK_FILE = FOLDER / "psk.txt"


def root(kind: str) -> Path:
    """What the certificates of a kind (ec, rsa) lead to."""
    return FOLDER / kind / "root.pem"


def certificate(kind: str, name: str = "server") -> Path:
    """A server's certificate, with what leads to the root behind it."""
    return FOLDER / kind / f"{name}.pem"


def key(kind: str) -> Path:
    """The server's private key."""
    return FOLDER / kind / "server.key"


def shared_secret() -> tuple[str, bytes]:
    """The key that servers and device share, and the name by which the device tells it."""
    identity, key = PSK_FILE.read_text(encoding="ascii").strip().split(":")
    return identity, bytes.fromhex(key)


def files() -> list[Path]:
    """All files that a server may need."""
    pems = [
        file
        for kind in ("ec", "rsa")
        for file in (root(kind), certificate(kind), certificate(kind, "direct"), key(kind))
    ]
    return [*pems, PSK_FILE]
