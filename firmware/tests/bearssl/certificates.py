"""Compile what both ends of a handshake have: PEM files to certificates.c (see peers.h).

certificates.py FOLDER > certificates.c

FOLDER is as data/tls. The server's key and certificates are of RSA, the client's of P-256.
"""

from __future__ import annotations

import sys
from pathlib import Path

from credentials import CredentialError, der_list, ders


def compose(folder: Path) -> str:
    """The C file."""
    lists = {
        "roots": ders(folder / "rsa" / "root.pem"),
        "server_chain": ders(folder / "rsa" / "server.pem"),
        "server_key": ders(folder / "rsa" / "server.key"),
        "client_chain": ders(folder / "ec" / "client.pem"),
        "client_key": ders(folder / "ec" / "client.key"),
    }
    return '#include "peers.h"\n\n' + "".join(der_list(*one) for one in lists.items())


def main() -> int:
    try:
        sys.stdout.write(compose(Path(sys.argv[1])))
    except CredentialError as error:
        print(f"thinwire: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
