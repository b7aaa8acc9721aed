"""Do the device's connection IDs (RFC 9146) work with pion/dtls, and outlive a change of port?

The same questions as of the laboratory's own server (hil/tests/firmware/test_connection_id.py),
whose library is that of the device. `make test-examples` builds the server with Go.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hil.base.paths import ROOT
from hil.peers import tls
from hil.tests.support.ports import free_port
from hil.tests.support.tls import (
    COAP,
    PSK_IDENTITY,
    PSK_KEY,
    acked,
    air,
    device,
    only,
    server,
)

SOURCE = ROOT / "firmware/tests/interop/foreign/pion"
MESSAGES = 8
WORDS = (*COAP, f"messages={MESSAGES}", "interval_ms=50")
HANDSHAKE = 4  # datagrams of the device: two ClientHello, its part, and the first message behind
CID = 25  # tls12_cid


@pytest.fixture(scope="module")
def pion(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The server, built from its pinned modules."""
    go = shutil.which("go")
    assert go, "go is not installed; install it to build this server"
    out = tmp_path_factory.mktemp("pion") / "pion"
    words = [go, "build", "-trimpath", "-mod=readonly", "-o", str(out), "."]
    built = subprocess.run(words, cwd=SOURCE, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return out


@contextmanager
def terminated(program: Path, security: str, cid_bytes: int) -> Iterator[int]:
    """libcoap's server without DTLS, and pion before it; its port."""
    inside, outside = free_port(socket.SOCK_DGRAM), free_port(socket.SOCK_DGRAM)
    known = ["certificate", tls.certificate("ec", "direct"), tls.key("ec")]
    if security == "psk":
        known = ["psk", PSK_IDENTITY, PSK_KEY]
    before = [program, "127.0.0.1", outside, inside, cid_bytes, *known]
    behind = ["coap-server-notls", "-A", "127.0.0.1", "-p", inside, "-d", "4"]
    with server(behind, inside, udp=True), server(before, outside, udp=True):
        yield outside


@pytest.mark.parametrize("cid_bytes", [1, 8])
@pytest.mark.parametrize("security", ["chain", "psk"])
def test_a_session_goes_on_from_another_port(pion: Path, security: str, cid_bytes: int) -> None:
    kinds = set()

    def note(from_server: bool, number: int, datagram: bytes) -> list[bytes]:
        if not from_server and number >= HANDSHAKE:
            kinds.add(datagram[0])
        return [datagram]

    with (
        terminated(pion, security, cid_bytes) as port,
        air(port, note, moves=HANDSHAKE + 2) as moved,
    ):
        events = device(moved, *WORDS, f"security={security}", "cid=1")
    assert (acked(events), len(only(events, "secured"))) == (MESSAGES, 1)
    assert kinds == {CID}


@pytest.mark.parametrize(("cid", "cid_bytes"), [(0, 4), (1, 0)])
def test_without_one_it_does_not(pion: Path, cid: int, cid_bytes: int) -> None:
    def pass_on(_from_server: bool, _number: int, datagram: bytes) -> list[bytes]:
        return [datagram]

    with (
        terminated(pion, "psk", cid_bytes) as port,
        air(port, pass_on, moves=HANDSHAKE + 2) as moved,
    ):
        events = device(moved, *WORDS, "security=psk", f"cid={cid}", seconds=3)
    assert 0 < acked(events) < MESSAGES
