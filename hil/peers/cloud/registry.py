"""The registry: the devices, their public keys, and the check of their tokens.

MQTT's plugin (auth.c) asks over a Unix socket; the HTTP application (app.py) calls it.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from pathlib import Path

import jwt
from cryptography.hazmat.primitives import serialization

from hil.peers.cloud import names

# The longest lifetime of a token, and how far the device's clock may be ahead.
_LONGEST_S, _SKEW_S = 24 * 3600, 600
_YES, _NO = b"1", b"0"


class Refused(Exception):
    """The token is not accepted; the text gives the reason."""


class Registry:
    """Devices and their public keys, one for each algorithm. Each device stands for a fleet, too
    (names.key_owner)."""

    def __init__(self, devices: tuple[str, ...] = names.DEVICES) -> None:
        self._keys = {
            (device, algorithm): serialization.load_pem_private_key(
                names.key_file(device, algorithm).read_bytes(),
                None,
                unsafe_skip_rsa_key_validation=True,
            ).public_key()
            for device in devices
            for algorithm in names.ALGORITHMS
        }

    def check(self, device: str, token: str) -> None:
        """Check a device's token.

        Raises:
            Refused: the token is malformed, expired, for another audience, valid for too long, or
                not signed with a key of this device.
        """
        try:
            algorithm = jwt.get_unverified_header(token).get("alg")
            key = self._keys.get((names.key_owner(device), str(algorithm)))
            if key is None:
                raise Refused(f"device '{device}' has no key for {algorithm}")
            claims = jwt.decode(
                token,
                key,  # type: ignore[arg-type]
                algorithms=[str(algorithm)],  # the key's own: none and HS256 have none
                audience=names.PROJECT,
                options={"require": ["iat", "exp", "aud"], "verify_iat": False},
            )
            made, expires = float(claims["iat"]), float(claims["exp"])
        except jwt.InvalidTokenError as error:
            raise Refused(str(error)) from error
        except (TypeError, ValueError) as error:
            raise Refused(f"malformed token ({error})") from error
        if made > time.time() + _SKEW_S:
            raise Refused("the token is not valid yet")
        if expires - made > _LONGEST_S:
            raise Refused("the token is valid for more than a day")

    def lets_in(self, device: str, token: str) -> bool:
        """Return whether `check` accepts a token."""
        with contextlib.suppress(Refused):
            self.check(device, token)
            return True
        return False


async def serve(registry: Registry, socket: Path) -> asyncio.Server:
    """Answer the broker's plugin: it sends client identifier and password in two lines and receives
    "1" or "0"."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            client = (await reader.readuntil(b"\n"))[:-1].decode()
            token = (await reader.readuntil(b"\n"))[:-1].decode()
            known = registry.lets_in(names.device_of(client), token)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, UnicodeDecodeError):
            known = False
        writer.write(_YES if known else _NO)
        writer.close()

    return await asyncio.start_unix_server(answer, socket)
