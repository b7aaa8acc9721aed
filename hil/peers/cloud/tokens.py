"""The tokens of devices: JSON Web Tokens (RFC 7519) that a device signs with its own key."""

from __future__ import annotations

from functools import cache

import jwt
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from jwt.algorithms import ECAlgorithm

from hil.peers.cloud import names

LIFETIME_S = 3600


class RepeatableEc(ECAlgorithm):
    """ECDSA whose signature follows from key and message alone (RFC 6979): captures repeat."""

    def sign(self, msg: bytes, key: ec.EllipticCurvePrivateKey) -> bytes:
        der = key.sign(msg, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))
        r, s = utils.decode_dss_signature(der)
        size = (key.curve.key_size + 7) // 8
        return r.to_bytes(size, "big") + s.to_bytes(size, "big")  # RFC 7518, section 3.4


@cache
def _key(device: str, algorithm: str) -> PrivateKeyTypes:
    """The device's private key. It is ours: to prove that it is one takes longer than to sign."""
    text = names.key_file(device, algorithm).read_bytes()
    return serialization.load_pem_private_key(text, None, unsafe_skip_rsa_key_validation=True)


def make(device: str, algorithm: str, now_s: float, *, audience: str = names.PROJECT) -> str:
    """A token of the device, valid from now on for LIFETIME_S.

    Args:
        algorithm: one of names.ALGORITHMS.
        now_s: the time, seconds since 1970.
        audience: whom it is for: the project.
    """
    jws = jwt.PyJWS()
    if algorithm == "ES256":
        jws.unregister_algorithm(algorithm)
        jws.register_algorithm(algorithm, RepeatableEc(RepeatableEc.SHA256))
    claims = {"iat": int(now_s), "exp": int(now_s) + LIFETIME_S, "aud": audience}
    text = jwt.api_jwt.json.dumps(claims, separators=(",", ":")).encode()
    return jws.encode(text, _key(names.keeper(device), algorithm), algorithm=algorithm)
