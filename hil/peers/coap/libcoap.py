"""libcoap's example server as a second CoAP peer, and what it says of each message as a log.

At this verbosity it prints every packet as it arrives: a repeated request is in the log again. It
makes the resource that is posted to. A payload that comes in blocks is a line for each block.
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
OPTIONS = ["-d", "10", "-v", "7"]  # resources that may be made; print every packet
LISTENS = b"created UDP"
# A line about an arrived message: kind, method, message ID, payload.
ARRIVED = re.compile(rb"^v:1 t:(CON|NON) c:(POST|PUT) i:([0-9a-f]+) .* :: '(.*)'$")


def serve(name: str, program: Path, more: list[str], file: Path, ready: Path) -> None:
    """Run the server with `more` options until SIGTERM, then write the log."""
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
        # What it has printed is read to the end.
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
        """What this server has beyond the common options."""
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
    """The same, built with OpenSSL, for devices that use DTLS; one that does not may come, too."""

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
