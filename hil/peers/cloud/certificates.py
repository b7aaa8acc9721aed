"""The certificates of the cloud: a chain like those of public clouds, of a given size.

Root (trusted by clients, not sent), intermediate, server. Keys are test data, and RSA signatures
(PKCS #1 v1.5) are deterministic: the same size gives the same bytes. Alternative names of the
server fill the size, as in the certificates of large services.
"""

from __future__ import annotations

import datetime
import ipaddress
import itertools
from functools import cache
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from hil.base.errors import InputError
from hil.peers.cloud import names

_BEGIN = datetime.datetime(2019, 1, 1)
_END = datetime.datetime(2049, 1, 1)
_ADDRESSES = ("127.0.0.1", "::1", "10.77.0.1")
# Length field of a certificate in a Certificate message (RFC 5246, section 7.4.2). TLS 1.3 adds two
# bytes of extensions.
_LENGTH_BYTES = 3
# Tag and length of an alternative name, and the longest label (RFC 1035, section 2.3.4).
_NAME_BYTES, _LABEL = 2, 63
_STEM = f".{names.HOST}"


@cache
def _key(name: str) -> rsa.RSAPrivateKey:
    found = serialization.load_pem_private_key(
        (names.KEYS / f"{name}-rsa.pem").read_bytes(), None, unsafe_skip_rsa_key_validation=True
    )
    assert isinstance(found, rsa.RSAPrivateKey)
    return found


def _name(common: str) -> x509.Name:
    return x509.Name(
        [
            x509.NameAttribute(NameOID.COUNTRY_NAME, "EU"),
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Thinwire Test Trust"),
            x509.NameAttribute(NameOID.COMMON_NAME, common),
        ]
    )


_ROOT, _INTERMEDIATE = _name("Thinwire Test Root"), _name("Thinwire Test CA 1")


# Key usage of an authority (RFC 5280, section 4.2.1.3; Python 3.13 requires it).
_SIGNS = x509.KeyUsage(
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=True,
    crl_sign=True,
    encipher_only=False,
    decipher_only=False,
)


def _authority(subject: x509.Name, key: str, issuer: x509.Name, by: str) -> x509.Certificate:
    public, signer = _key(key).public_key(), _key(by).public_key()
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public)
        .serial_number(1)
        .not_valid_before(_BEGIN)
        .not_valid_after(_END)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(_SIGNS, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer), critical=False)
    )
    return builder.sign(_key(by), hashes.SHA256())


def _server(more: list[str], longer: int = 0) -> x509.Certificate:
    """Make a certificate with additional names, and a serial number `longer` bytes longer."""
    names_of_it: list[x509.GeneralName] = [x509.DNSName(one) for one in (names.HOST, "localhost")]
    names_of_it += [x509.IPAddress(ipaddress.ip_address(one)) for one in _ADDRESSES]
    names_of_it += [x509.DNSName(one) for one in more]
    issuer = _key("intermediate").public_key()
    return (
        x509.CertificateBuilder()
        .subject_name(_name(names.HOST))
        .issuer_name(_INTERMEDIATE)
        .public_key(_key("server").public_key())
        .serial_number(2 << 8 * longer)
        .not_valid_before(_BEGIN)
        .not_valid_after(_END)
        .add_extension(x509.SubjectAlternativeName(names_of_it), critical=False)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer),
            critical=False,
        )
        .sign(_key("intermediate"), hashes.SHA256())
    )


def _der(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.DER)


def chain_bytes(chain: list[x509.Certificate]) -> int:
    """Return the size of a chain in a Certificate message of TLS 1.2, bytes."""
    return sum(_LENGTH_BYTES + len(_der(one)) for one in chain)


def _padding(room: int) -> list[str]:
    """Return alternative names that fill at most `room` bytes."""
    found = []
    least, most = 1 + len(_STEM) + _NAME_BYTES, _LABEL + len(_STEM) + _NAME_BYTES
    while room >= least:
        size = room if room <= most else min(most, room - least)  # so that the rest fits a name
        label = f"{len(found):03}".rjust(size - least + 1, "n")[-(size - least + 1) :]
        found.append(label + _STEM)
        room -= size
    return found


def chain(size: int) -> list[x509.Certificate]:
    """Return server and intermediate certificate, `size` bytes together (`chain_bytes`).

    Raises:
        InputError: no chain has exactly this size.
    """
    intermediate = _authority(_INTERMEDIATE, "intermediate", _ROOT, "root")
    least = chain_bytes([_server([]), intermediate])
    room = size - least
    # Longer names need longer length fields around them: shorten the names by that, and fill the
    # remainder with the serial number.
    for longer, less in itertools.product(range(4), range(12)):
        made = [_server(_padding(room - longer - less), longer), intermediate]
        if room >= 0 and chain_bytes(made) == size:
            return made
    raise InputError(
        "chain_bytes", str(size), "no chain has this size", f"give {least} or {least + 100} or more"
    )


def _pem(certificates: list[x509.Certificate]) -> bytes:
    return b"".join(one.public_bytes(serialization.Encoding.PEM) for one in certificates)


def write(folder: Path, size: int) -> None:
    """Write `chain.pem`, the key `server.pem`, and the root `ca.pem`, which clients trust."""
    (folder / "chain.pem").write_bytes(_pem(chain(size)))
    (folder / "ca.pem").write_bytes(_pem([_authority(_ROOT, "root", _ROOT, "root")]))
    (folder / "server.pem").write_bytes((names.KEYS / "server-rsa.pem").read_bytes())
