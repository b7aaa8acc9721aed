"""For PlatformIO, before it builds the environment espcoap: gives ESP-CoAP the manifest it lacks.

Its server does not compile with release 3 of the Arduino core; only its client is built. Functions
of the client end without their value, which the core makes an error (-Werror=return-type); the
adapter in firmware/libraries does not use what they return.
"""

from __future__ import annotations

import json
from pathlib import Path

MANIFEST = {
    "name": "ESP-CoAP simple library",
    "version": "0.0.1",
    "build": {"srcFilter": ["+<coap_client.cpp>"], "unflags": ["-Werror=return-type"]},
}


def describe(libraries: Path) -> None:
    """Writes the manifest beside the client's source, which lies in a folder of `libraries`.

    Raises:
        FileNotFoundError: it lies in none.
    """
    found = sorted(libraries.glob("*/coap_client.cpp"))
    if not found:
        raise FileNotFoundError(f"{libraries}: no ESP-CoAP in it; see lib_deps in platformio.ini")
    found[0].with_name("library.json").write_text(json.dumps(MANIFEST, indent=2) + "\n")


if "Import" in globals():  # as a script of SCons
    Import("env")  # noqa: F821
    describe(Path(env.subst("$PROJECT_LIBDEPS_DIR"), env.subst("$PIOENV")))  # noqa: F821
