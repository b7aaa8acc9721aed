"""Do libraries of other authors on the LX106 survive what our engines do: malformed messages?"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from hil import foreign
from hil.base.paths import ROOT
from hil.system import tools
from hil.tests.support import lx106_images

pytestmark = pytest.mark.slow

SCRIPTS = ROOT / "firmware" / "boards" / "lx106" / "tests"


@pytest.mark.parametrize(
    ("library", "words"),
    [
        ("lwipmqtt", ["test_malformed.py", "Malformed.test_mqtt_publish"]),
        ("libcoap", ["test_malformed.py", "Malformed.test_coap_publish"]),
        ("libcoap", ["test_libcoap.py"]),
        ("rtos-mqtt-3.2", ["test_malformed.py", "Malformed.test_mqtt_publish"]),
    ],
)
def test_a_library_under_malformed_messages(library: str, words: list[str]) -> None:
    if library == "libcoap" and not (ROOT / "build/src/libcoap3/src/coap_net.c").exists():
        pytest.skip("libcoap's source is not at hand")
    if (source := foreign.load().get(library)) and not source.here:
        pytest.skip(f"the source of {library} is not at hand")
    emulator = tools.built("sim/lx106/lx106")
    assert emulator, "build/sim/lx106/lx106 is missing: make lab"
    (image,) = lx106_images.build(f"thinwire-{library}")
    done = subprocess.run(
        [sys.executable, "-B", *words],
        cwd=SCRIPTS,
        env=os.environ | {"THINWIRE_ELF": str(image), "THINWIRE_LX106": emulator},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
