"""The tokens of devices: JSON Web Tokens (RFC 7519), signed with the device's key."""

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
    """Deterministic ECDSA (RFC 6979), which makes captures repeatable."""

    def sign(self, msg: bytes, key: ec.EllipticCurvePrivateKey) -> bytes:
        der = key.sign(msg, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))
        r, s = utils.decode_dss_signature(der)
        size = (key.curve.key_size + 7) // 8
        return r.to_bytes(size, "big") + s.to_bytes(size, "big")  # RFC 7518, section 3.4


@cache
def _key(device: str, algorithm: str) -> PrivateKeyTypes:
    """Load the device's private key without validating it, which takes longer than signing."""
    text = names.key_file(device, algorithm).read_bytes()
    return serialization.load_pem_private_key(text, None, unsafe_skip_rsa_key_validation=True)


def make(device: str, algorithm: str, now_s: float, *, audience: str = names.PROJECT) -> str:
    """Make a token of the device, valid for LIFETIME_S from now.

    Args:
        algorithm: one of names.ALGORITHMS.
        now_s: the time, seconds since 1970.
        audience: the project that accepts it.
    """
    jws = jwt.PyJWS()
    if algorithm == "ES256":
        jws.unregister_algorithm(algorithm)
        jws.register_algorithm(algorithm, RepeatableEc(RepeatableEc.SHA256))
    claims = {"iat": int(now_s), "exp": int(now_s) + LIFETIME_S, "aud": audience}
    text = jwt.api_jwt.json.dumps(claims, separators=(",", ":")).encode()
    return jws.encode(text, _key(names.key_owner(device), algorithm), algorithm=algorithm)
