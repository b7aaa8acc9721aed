"""Does the device make a new context of OSCORE (RFC 8613, appendix B.2) with libcoap's server?

libcoap 4.3.5, from the source that set-up fetches, is the second implementation of the appendix;
the laboratory's server has steps of its own. `make test-examples` builds it with CMake and
OpenSSL's headers, which set-up does not install.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hil.base.paths import ROOT
from hil.peers.coap import oscore
from hil.tests.support.ports import free_port
from hil.tests.support.tls import acked, air, device, only, server

SOURCE = ROOT / "build/src/libcoap3"
SETTINGS = json.loads(oscore.SETTINGS.read_text(encoding="utf-8"))
WORDS = ("proto=oscore", "sender_id=dev", "topic=data", "interval_ms=50", "entropy=board")
EMPTY = 4  # bytes of an empty message
OPTIONS = (
    "-DENABLE_DTLS=ON",
    "-DDTLS_BACKEND=openssl",
    "-DENABLE_OSCORE=ON",
    "-DENABLE_DOCS=OFF",
    "-DENABLE_TESTS=OFF",
    "-DBUILD_SHARED_LIBS=OFF",
)


@pytest.fixture(scope="module")
def libcoap(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of server and client, built from the pinned source."""
    assert (SOURCE / "src/coap_oscore.c").exists(), "no source of libcoap; run setup/fetch"
    assert shutil.which("cmake"), "cmake is not installed; install it to build this server"
    out = tmp_path_factory.mktemp("libcoap")
    for words in (
        ["cmake", "-S", SOURCE, "-B", out, *OPTIONS],
        ["cmake", "--build", out, "--target", "coap-server", "--target", "coap-client"],
    ):
        done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return out


@contextmanager
def serving(build: Path, folder: Path, echo: bool) -> Iterator[int]:
    """libcoap's server with the device's context; its port. `echo`: appendix B.1.2, too."""
    settings = folder / "oscore.conf"
    settings.write_text(
        f'master_secret,hex,"{SETTINGS["secret_hex"]}"\n'
        f'master_salt,hex,"{SETTINGS["salt_hex"]}"\n'
        f'sender_id,ascii,"{SETTINGS["sender-id_ascii"]}"\n'
        'recipient_id,ascii,"dev"\n'
        "rfc8613_b_2,bool,true\n"
        f"rfc8613_b_1_2,bool,{'true' if echo else 'false'}\n"
    )
    port = free_port(socket.SOCK_DGRAM)
    words = [build / "coap-server", "-A", "127.0.0.1", "-p", port, "-d", "4", "-E", settings]
    with server(words, port, udp=True):
        yield port


@pytest.mark.parametrize("confirmable", [1, 0])
@pytest.mark.parametrize(("echo", "again"), [(False, 1), (True, 2)])
def test_a_new_context(
    libcoap: Path, tmp_path: Path, echo: bool, again: int, confirmable: int
) -> None:
    """With B.1.2 the server also asks for an Echo, in the new context."""
    with serving(libcoap, tmp_path, echo) as port:
        words = [*WORDS, "rederive=1", "messages=3", f"confirmable={confirmable}"]
        events = device(port, *words)
    assert acked(events) == 3
    assert max(event["retransmitted"] for event in only(events, "stat")) == again


def test_the_context_survives_a_restart(libcoap: Path, tmp_path: Path) -> None:
    kept = f"memory={tmp_path / 'memory'}"
    seen: list[bytes] = []

    def note(from_server: bool, number: int, datagram: bytes) -> list[bytes]:
        if len(datagram) > EMPTY:
            seen.append(datagram)
        return [datagram]

    with serving(libcoap, tmp_path, echo=False) as port, air(port, note) as near:
        first = device(near, *WORDS, "rederive=1", "messages=1", kept)
        before = len(seen)
        second = device(near, *WORDS, "rederive=1", "messages=2", kept)
    assert acked(first) == 1
    assert acked(second) == 2
    assert before == 4
    assert len(seen) == 8  # no further exchange


@pytest.mark.parametrize(
    ("shows", "last"),
    [
        ("replay", "the first request of 'old' again: stored: old"),
        ("restart", "a client stores 'third': 4.01 Security context not found; stored: second"),
    ],
)
def test_the_defect_of_its_page(libcoap: Path, shows: str, last: str) -> None:
    words = [sys.executable, ROOT / "docs/found/libcoap/rederive.py", libcoap, shows]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == last
