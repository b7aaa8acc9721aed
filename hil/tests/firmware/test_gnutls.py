"""TLS on the device before GnuTLS's server, which listens on all addresses of its host: so each
test has a network of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from hil.tests.support.tls import DATA, PSK_IDENTITY, PSK_KEY, Event, device, only, server

pytestmark = [
    pytest.mark.root,
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root and network namespaces"),
]
PORT = 4433
# The server reads a request whole, says goodbye, and closes: each message has a connection.
EACH = ("proto=http", "messages=2", "interval_ms=20", "resume=1")
VERSIONS = {"12": "TLS1.2", "13": "TLS1.3"}
# 3.7.9 says the first, RFC 8446 (section 4.2.1) asks for the second.
NO_VERSION = {"peer_handshake_failure", "peer_wrong_version"}
SHARED = "NORMAL:-KX-ALL:+PSK:+DHE-PSK:+ECDHE-PSK"


@contextmanager
def gnutls(namespace: str, *options: object, leaf: str = "ec/server") -> Iterator[Sequence[str]]:
    """GnuTLS's server with this certificate (none for an empty name); what runs a command where
    it can be reached at 127.0.0.1."""
    inside = ("ip", "netns", "exec", namespace)
    argv = [*inside, "gnutls-serv", "--port", PORT, "--http", *options]
    if leaf:
        pem = DATA / f"{leaf}.pem"
        argv += ["--x509certfile", pem, "--x509keyfile", pem.with_suffix(".key")]
    with server(argv, PORT):
        yield inside


def ways(events: list[Event]) -> tuple[list[object], list[object]]:
    """Of each connection whether it resumed the one before, and why it ended."""
    resumed = [event["resumed"] for event in only(events, "secured")]
    return resumed, [event["reason"] for event in only(events, "disconnected")]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", ["ec", "rsa"])
def test_a_chain_is_verified_and_a_session_resumed(namespace, kind, version):
    with gnutls(namespace, leaf=f"{kind}/server") as inside:
        words = (*EACH, "security=chain", f"tls_version={version}")
        events = device(PORT, *words, inside=inside)
    assert {event["version"] for event in only(events, "secured")} == {VERSIONS[version]}
    assert ways(events) == ([0, 1], ["closed", "closed"])


@pytest.mark.parametrize("version", VERSIONS)
def test_a_shared_key_is_known(namespace, tmp_path: Path, version):
    (tmp_path / "keys").write_text(f"{PSK_IDENTITY}:{PSK_KEY}\n")
    options = ("--pskpasswd", tmp_path / "keys", "--priority", SHARED)
    with gnutls(namespace, *options, leaf="") as inside:
        events = device(PORT, *EACH, "security=psk", f"tls_version={version}", inside=inside)
    assert {event["version"] for event in only(events, "secured")} == {VERSIONS[version]}
    assert ways(events) == ([0, 1], ["closed", "closed"])


@pytest.mark.parametrize(
    ("version", "leaf", "options", "reasons"),
    [
        ("12", "ec/wrong_name", (), {"certificate_wrong_name"}),
        ("13", "ec/wrong_name", (), {"certificate_wrong_name"}),
        ("12", "ec/server", ("--priority", "NORMAL:-VERS-TLS1.2"), NO_VERSION),
        ("13", "ec/server", ("--priority", "NORMAL:-VERS-TLS1.3"), NO_VERSION),
    ],
)
def test_what_is_refused(namespace, version, leaf, options, reasons):
    with gnutls(namespace, *options, leaf=leaf) as inside:
        words = (*EACH, "security=chain", f"tls_version={version}")
        events = device(PORT, *words, until="disconnected", inside=inside)
    resumed, ends = ways(events)
    assert resumed == []
    assert len(ends) == 1
    assert set(ends) <= reasons
