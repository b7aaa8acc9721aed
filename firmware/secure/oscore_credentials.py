"""Compile a device's part of an OSCORE context (RFC 8613, section 3.2) to C.

oscore_credentials.py SETTINGS > oscore_credentials.c

SETTINGS is the server's side, in the form that aiocoap reads (data/oscore/settings.json): what is
its recipient is the device here. Exit status 2 when the file cannot be used.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

# Of an ID: the nonce of AES-CCM-16-64-128 less 6 bytes (section 3.3).
_ID_MAX = 7


class SettingsError(Exception):
    """Settings that cannot be used; the message names file, key, problem and remedy."""


def value(path: Path, settings: dict[str, object], key: str) -> bytes:
    """Return the bytes of KEY_hex or KEY_ascii; none if both are absent and may be."""
    text = settings.get(f"{key}_hex"), settings.get(f"{key}_ascii")
    try:
        if isinstance(text[0], str):
            return bytes.fromhex(text[0])
        if isinstance(text[1], str):
            return text[1].encode("ascii")
    except ValueError as error:
        raise SettingsError(f"{path}: {key}: {error}; write it as {key}_hex") from error
    raise SettingsError(f"{path}: {key}: missing; add {key}_hex")


def read(path: Path) -> dict[str, bytes]:
    """Return secret, salt, sender_id and recipient_id of the device.

    Raises:
        SettingsError: the file cannot be read, or asks for what the firmware has not.
    """
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path}: cannot be read ({error}); see data/oscore") from error
    for key, only in (("algorithm", "AES-CCM-16-64-128"), ("kdf-hashfun", "sha256")):
        if settings.get(key, only) != only:
            raise SettingsError(f"{path}: {key}: the firmware has {only} only; write that")
    if "id-context_hex" in settings:
        raise SettingsError(f"{path}: id-context_hex: the firmware has none; remove it")
    found = {
        "secret": value(path, settings, "secret"),
        "salt": value(path, settings, "salt"),
        "sender_id": value(path, settings, "recipient-id"),
        "recipient_id": value(path, settings, "sender-id"),
    }
    for key, of in (("sender_id", "recipient-id"), ("recipient_id", "sender-id")):
        if len(found[key]) > _ID_MAX:
            raise SettingsError(f"{path}: {of}: more than {_ID_MAX} bytes; shorten it")
    if found["sender_id"] == found["recipient_id"]:
        raise SettingsError(f"{path}: sender-id: the same as recipient-id; change one")
    return found


def code(found: dict[str, bytes]) -> str:
    """Return the C source of `tw_oscore_credentials`."""
    lines = ['#include "core/protocols/oscore/oscore_context.h"', ""]
    members = []
    for key, data in found.items():
        values = ", ".join(f"0x{byte:02x}" for byte in data) or "0"
        lines.append(f"static const uint8_t {key}[] = {{{values}}};")
        members.append(f"    .{key} = {{{key}, {len(data)}}},")
    lines += ["", "const struct tw_oscore_input tw_oscore_credentials = {", *members, "};", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    try:
        print(code(read(Path(sys.argv[1]))), end="")
    except SettingsError as error:
        print(f"thinwire: error: {error}", file=sys.stderr)
        sys.exit(2)
