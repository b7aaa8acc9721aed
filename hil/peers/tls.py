"""Keys and certificates of the servers for TLS and DTLS, in data/tls."""

from __future__ import annotations

from pathlib import Path

from hil.base.paths import ROOT

FOLDER = ROOT / "data/tls"
PSK_FILE = FOLDER / "psk.txt"


def root(kind: str) -> Path:
    """Return the root certificate of a kind (ec, rsa)."""
    return FOLDER / kind / "root.pem"


def certificate(kind: str, name: str = "server") -> Path:
    """Return a server's certificate chain, without the root."""
    return FOLDER / kind / f"{name}.pem"


def key(kind: str) -> Path:
    """Return the server's private key."""
    return FOLDER / kind / "server.key"


def shared_secret() -> tuple[str, bytes]:
    """Return the identity and the value of the pre-shared key."""
    identity, key = PSK_FILE.read_text(encoding="ascii").strip().split(":")
    return identity, bytes.fromhex(key)


def files() -> list[Path]:
    """Return all files that a server may need."""
    pems = [
        file
        for kind in ("ec", "rsa")
        for file in (root(kind), certificate(kind), certificate(kind, "direct"), key(kind))
    ]
    return [*pems, PSK_FILE]
