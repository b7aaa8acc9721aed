"""Terminate TLS and DTLS for servers without them, whose own ports and logs stay the same.

For TCP this is stunnel, which also supports pre-shared keys. For UDP no packaged terminator does
(docs/security.md), so OpenSSL's s_server is used, with a UDP socket as input and output: a record
is a datagram. It serves one association after the other over that socket. So an answer that comes
after an association has closed goes to the next one. OpenSSL has no connection IDs: for a device
that uses them, the laboratory has its own server on mbedTLS (dtls/terminator.c).
"""

from __future__ import annotations

import functools
import os
import socket
from collections.abc import Sequence
from pathlib import Path

from hil.base.errors import ToolMissing
from hil.design import addressing
from hil.design.facts import Facts
from hil.peers import base, tls
from hil.system import preloads, processes, tools

_STUNNEL = """\
foreground = yes
syslog = no
debug = err
pid =
socket = l:TCP_NODELAY=1
socket = r:TCP_NODELAY=1
[server]
accept = {address}:{port}
connect = {address}:{inside}
"""
_STUNNEL_PSK = """\
PSKsecrets = {file}
ciphers = PSK
"""
_STUNNEL_CERTIFICATE = """\
cert = {certificate}
key = {key}
"""
# Cipher suites of CoAP's DTLS (RFC 7252, section 9); OpenSSL allows short tags at level 0 only.
_SUITES = "ECDHE-ECDSA-AES128-CCM8:PSK-AES128-CCM8:@SECLEVEL=0"

CID_BYTES = 1
PROGRAM = "dtls/dtls-terminator"


def program() -> str:
    """Return the path of the laboratory's DTLS server.

    Raises:
        ToolMissing: it was not built.
    """
    if found := tools.built(PROGRAM):
        return found
    remedy = f"run 'snakemake --cores all -- build/{PROGRAM}'"
    raise ToolMissing(Path(PROGRAM).name, "DTLS with connection IDs", remedy)


def _stunnel(server: base.Server, facts: Facts) -> list[str]:
    """Return the command for TCP."""
    text = _STUNNEL.format(
        address=addressing.SERVER_IP,
        port=facts.port,
        inside=facts.server.port,
    )
    if facts.security == "psk":
        text += _STUNNEL_PSK.format(file=tls.PSK_FILE)
    else:
        text += _STUNNEL_CERTIFICATE.format(certificate=tls.certificate("ec"), key=tls.key("ec"))
    conf = server.folder / f"{server.name}.stunnel.conf"
    conf.write_text(text, encoding="utf-8")
    return [str(tools.program("stunnel")), str(conf)]


def _openssl(facts: Facts) -> list[str]:
    """Return the command for UDP. With `-timeout` it retransmits lost flights."""
    where = f"{addressing.SERVER_IP}:{facts.port}"
    words = [str(tools.program("openssl")), "s_server", "-dtls1_2", "-timeout", "-quiet"]
    words += ["-cipher", _SUITES, "-accept", where]
    if facts.security == "psk":
        identity, key = tls.shared_secret()
        return [*words, "-nocert", "-psk_identity", identity, "-psk", key.hex()]
    leaf = str(tls.certificate("ec", "direct"))
    return [*words, "-cert", leaf, "-cert_chain", leaf, "-key", str(tls.key("ec"))]


def _with_ids(facts: Facts) -> list[str]:
    """Return the command for UDP with connection IDs."""
    ports = [str(facts.port), str(facts.server.port)]
    words = [program(), addressing.SERVER_IP, *ports, str(CID_BYTES)]
    if facts.security == "psk":
        identity, key = tls.shared_secret()
        return [*words, "psk", identity, key.hex()]
    return [*words, "certificate", str(tls.certificate("ec", "direct")), str(tls.key("ec"))]


def _pass_datagrams(words: Sequence[str], port: int, preload: Path) -> None:
    """Execute a program whose input and output are a UDP socket to the server at this port."""
    inside = socket.socket(type=socket.SOCK_DGRAM)
    inside.connect((addressing.SERVER_IP, port))
    for number in (0, 1):
        os.dup2(inside.fileno(), number)
    os.execve(words[0], list(words), {**os.environ, "LD_PRELOAD": str(preload)})


def start(server: base.Server, facts: Facts | None) -> None:
    """Start the terminator of a server as its last child, if the trial uses TLS or DTLS.

    Raises:
        TrialError: it does not start.
        ToolMissing: stunnel or OpenSSL is missing.
    """
    if facts is None or not facts.secured:
        return
    output = server.folder / f"{server.name}.terminator.out"
    preload = preloads.library(processes.RANDOMNESS)
    kind = facts.row.transport
    if kind == "tcp":
        words = _stunnel(server, facts)
        child = processes.spawn(words, server.namespace, output, preload=preload)
    elif facts.cid:
        child = processes.spawn(_with_ids(facts), server.namespace, output)
    else:
        inside = facts.server.port
        words = _openssl(facts)
        become = functools.partial(_pass_datagrams, words, inside, preload)
        child = processes.fork("openssl", become, server.namespace, output)
    server.children.append(child)
    base.wait_bound(child, kind, facts.port)
