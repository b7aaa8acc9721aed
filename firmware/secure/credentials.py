"""Compile a device's credentials: PEM files to credentials.c (see credentials.h).

credentials.py FOLDER KIND > credentials.c

FOLDER has the layout of data/tls: every */root.pem is trusted, the key of every */server.pem is
pinned, KIND/client is the device's own certificate, psk.txt holds identity:key. Exit status 2 when
a file cannot be read.
"""

from __future__ import annotations

import base64
import hashlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

PEM = re.compile(r"-----BEGIN ([A-Z ]+)-----\n([A-Za-z0-9+/=\n]+)-----END \1-----")


class CredentialError(Exception):
    """A file that cannot be used; the message names it and the remedy."""


def ders(path: Path) -> list[bytes]:
    """Return the DER contents of the blocks of a PEM file."""
    try:
        text = path.read_text(encoding="ascii")
    except (OSError, UnicodeError) as error:
        raise CredentialError(f"{path}: cannot be read ({error}); see data/tls/make.sh") from error
    blocks = [base64.b64decode(body) for _, body in PEM.findall(text)]
    if not blocks:
        raise CredentialError(f"{path}: no PEM block; see data/tls/make.sh")
    return blocks


def elements(der: bytes) -> Iterator[bytes]:
    """Return the elements of a DER sequence, each with its header (X.690, section 8.1)."""

    def header(at: int) -> tuple[int, int]:
        length, start = der[at + 1], at + 2
        if length & 0x80:
            start += length & 0x7F
            length = int.from_bytes(der[at + 2 : start], "big")
        return start, start + length

    at, end = header(0)
    while at < end:
        _, after = header(at)
        yield der[at:after]
        at = after


def pin(certificate: bytes) -> bytes:
    """Return the SHA-256 of a certificate's SubjectPublicKeyInfo (RFC 5280, section 4.1)."""
    fields = list(elements(next(elements(certificate))))
    versioned = fields[0][0] == 0xA0
    return hashlib.sha256(fields[5 + versioned]).digest()


def array(data: bytes) -> str:
    return ", ".join(str(byte) for byte in data)


def der_list(name: str, blocks: list[bytes]) -> str:
    arrays = "".join(
        f"static const uint8_t {name}_{i}[] = {{{array(der)}}};\n" for i, der in enumerate(blocks)
    )
    rows = "".join(f"    {{{name}_{i}, sizeof {name}_{i}}},\n" for i in range(len(blocks)))
    return f"{arrays}const struct tw_der tw_{name}[] = {{\n{rows}    {{0, 0}}}};\n"


def compose(folder: Path, kind: str) -> str:
    """Return the text of credentials.c."""
    roots = [der for path in sorted(folder.glob("*/root.pem")) for der in ders(path)]
    pins = [pin(ders(path)[0]) for path in sorted(folder.glob("*/server.pem"))]
    if not roots or not pins:
        raise CredentialError(f"{folder}: no */root.pem and */server.pem; see data/tls/make.sh")
    key = ders(folder / kind / "client.key")[0]
    psk = folder / "psk.txt"
    try:
        identity, _, digits = psk.read_text(encoding="ascii").strip().partition(":")
        shared = bytes.fromhex(digits)
    except (OSError, ValueError) as error:
        raise CredentialError(f"{psk}: not identity:hexadecimal key ({error})") from error
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", identity) or not 16 <= len(shared) <= 32:
        raise CredentialError(f"{psk}: give a plain identity and a key of 16 to 32 bytes")
    rows = "".join(f"    {{{array(one)}}},\n" for one in pins)
    chain = ders(folder / kind / "client.pem")
    known = [*roots, b"", *chain, b"", *pins, identity.encode("ascii"), shared]
    digest = hashlib.sha256(b"".join(len(one).to_bytes(4, "big") + one for one in known)).digest()
    return (
        '#include "secure/credentials.h"\n\n'
        + der_list("roots", roots)
        + der_list("own_chain", chain)
        + f"static const uint8_t own_key[] = {{{array(key)}}};\n"
        + "const struct tw_der tw_own_key = {own_key, sizeof own_key};\n"
        + f"const uint8_t tw_pins[][TW_PIN_BYTES] = {{\n{rows}}};\n"
        + "const size_t tw_pin_count = sizeof tw_pins / sizeof *tw_pins;\n"
        + f'const char tw_psk_identity[] = "{identity}";\n'
        + f"const uint8_t tw_psk[] = {{{array(shared)}}};\n"
        + "const size_t tw_psk_size = sizeof tw_psk;\n"
        + "const uint8_t tw_credentials_digest[TW_CREDENTIALS_DIGEST_BYTES] ="
        + f" {{{array(digest[:16])}}};\n"
    )


def main() -> int:
    try:
        sys.stdout.write(compose(Path(sys.argv[1]), sys.argv[2]))
    except CredentialError as error:
        print(f"thinwire: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
