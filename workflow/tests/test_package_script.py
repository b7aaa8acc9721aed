"""Does the script build and pack what the folder of a client states, and refuse what it cannot?"""

import subprocess
import sys
import tarfile

import pytest

from hil.base.paths import ROOT

SCRIPT = ROOT / "workflow" / "scripts" / "package.py"


def pack(*words):
    return subprocess.run(
        [sys.executable, SCRIPT, *words], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_a_client_is_built_and_packed_with_what_it_runs(tmp_path):
    out = tmp_path / "below" / "client.tar"
    assert pack("clients", "coap-client", out).returncode == 0
    with tarfile.open(out) as archive:
        names = archive.getnames()
    assert {"device/client.sh", "device/coap-client-notls", "device/sleep"} <= set(names)
    assert any("libcoap" in name for name in names)


@pytest.mark.parametrize(
    ("kind", "name", "problem"),
    [
        ("clients", "lx106-mqtt", "device: is firmware of this project"),
        ("servers", "no-such-server", "no-such-server/server.yaml"),
    ],
)
def test_what_cannot_be_packed_is_an_error_in_one_line(tmp_path, kind, name, problem):
    done = pack(kind, name, tmp_path / "out.tar")
    assert done.returncode == 2
    assert problem in done.stderr.splitlines()[-1]
    assert not (tmp_path / "out.tar").exists()
