"""The registry: which devices there are, with their public keys, and whether a token is a device's.

One check for both doors: MQTT's (auth.c) asks over a Unix socket, HTTP's (app.py) calls it.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from pathlib import Path

import jwt
from cryptography.hazmat.primitives import serialization

from hil.peers.cloud import names

# The longest life of a token, and by how much the device's clock may be ahead.
_LONGEST_S, _SKEW_S = 24 * 3600, 600
_YES, _NO = b"1", b"0"


class Refused(Exception):
    """The token does not let its bearer in; says why."""


class Registry:
    """Devices and their public keys, one for each algorithm; each stands for a fleet, too
    (names.keeper)."""

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
        """Let the device in.

        Raises:
            Refused: the token is malformed, expired, for another audience, valid for too long, or
                not signed with a key of this device.
        """
        try:
            algorithm = jwt.get_unverified_header(token).get("alg")
            key = self._keys.get((names.keeper(device), str(algorithm)))
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
        """`check` as yes or no."""
        with contextlib.suppress(Refused):
            self.check(device, token)
            return True
        return False


async def serve(registry: Registry, socket: Path) -> asyncio.Server:
    """Answer the broker's plugin: two lines, client identifier and password, are answered by "1" or
    "0"."""

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
