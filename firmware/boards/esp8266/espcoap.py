"""A PlatformIO script for the environment espcoap: adds the manifest that ESP-CoAP lacks.

Its server does not compile with release 3 of the Arduino core, so only its client is built. Some
functions of the client lack a return statement, which the core makes an error
(-Werror=return-type); the adapter in firmware/libraries does not use their results.
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
    """Write the manifest beside the client's source, in a folder of `libraries`.

    Raises:
        FileNotFoundError: no folder has that source.
    """
    found = sorted(libraries.glob("*/coap_client.cpp"))
    if not found:
        raise FileNotFoundError(f"{libraries}: no ESP-CoAP in it; see lib_deps in platformio.ini")
    found[0].with_name("library.json").write_text(json.dumps(MANIFEST, indent=2) + "\n")


if "Import" in globals():  # as a script of SCons
    Import("env")  # noqa: F821
    describe(Path(env.subst("$PROJECT_LIBDEPS_DIR"), env.subst("$PIOENV")))  # noqa: F821
