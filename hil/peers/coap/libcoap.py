"""libcoap's example server as a second CoAP peer, with its output converted to a log.

It prints every packet on arrival, so a retransmitted request appears in the log again. It creates
the resource that a client posts to. A block-wise payload has one line for each block.
"""

from __future__ import annotations

import functools
import re
import signal
import subprocess
import time
from pathlib import Path

from hil.design import addressing
from hil.design.facts import Facts
from hil.peers import base, tls
from hil.peers.log import Log
from hil.system import processes, tools

PROGRAM = "coap-server-notls"
OPTIONS = ["-d", "10", "-v", "7"]  # number of resources that clients may create; print every packet
LISTENS = b"created UDP"
# A line about an arrived message: kind, method, message ID, payload.
ARRIVED = re.compile(rb"^v:1 t:(CON|NON) c:(POST|PUT) i:([0-9a-f]+) .* :: '(.*)'$")


def serve(name: str, program: Path, more: list[str], file: Path, ready: Path) -> None:
    """Run the server with additional options until SIGTERM, then write the log."""
    log = Log(name, file)
    words = [
        str(program),
        "-A",
        addressing.SERVER_IP,
        "-p",
        str(addressing.port(name)),
        *OPTIONS,
        *more,
    ]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as server:
        # SIGTERM ends the server; its output is still read to the end.
        signal.signal(signal.SIGTERM, lambda *_: server.terminate())
        for line in server.stdout or ():
            stamp = time.time_ns()
            if found := ARRIVED.match(line.rstrip()):
                kind, code, mid, payload = found.groups()
                log.received(
                    payload, stamp, type=kind.decode(), mid=int(mid, 16), code=code.decode()
                )
            elif LISTENS in line:
                ready.touch()
    log.write()


class LibcoapServer(base.Server):
    """See the module."""

    name = "libcoap"
    program = PROGRAM

    def options(self) -> list[str]:
        """Return the options of this server beyond the common ones."""
        return []

    def start(self) -> None:
        ready = self.folder / f"{self.name}.ready"
        ready.unlink(missing_ok=True)
        child = processes.fork(
            "libcoap's server",
            functools.partial(
                serve, self.name, tools.program(self.program), self.options(), self.log, ready
            ),
            self.namespace,
            self.folder / f"{self.name}.out",
        )
        self.children.append(child)
        child.wait_for(ready.exists)


class LibcoapDtlsServer(LibcoapServer):
    """The same server built with OpenSSL, for devices with and without DTLS."""

    name = "libcoaps"
    program = "coap-server-openssl"
    secured: Facts | None = None

    def use(self, facts: Facts) -> None:
        if not facts.secured:
            return
        self.stop()
        self.children.clear()
        self.secured = facts
        self.start()

    def options(self) -> list[str]:
        if not self.secured:
            return []
        if self.secured.security == "psk":
            return ["-h", "lab", "-k", tls.shared_secret()[1].decode("ascii")]
        return ["-n", "-c", str(tls.certificate("ec", "direct")), "-j", str(tls.key("ec"))]
