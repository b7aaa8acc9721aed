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

from hil.design import plan
from hil.peers import base
from hil.peers.log import Log
from hil.system import processes, tools

PROGRAM = "coap-server-notls"
OPTIONS = ["-d", "10", "-v", "7"]  # resources that may be made; print every packet
LISTENS = b"created UDP"
# A line about an arrived message: kind, method, message ID, payload.
ARRIVED = re.compile(rb"^v:1 t:(CON|NON) c:(POST|PUT) i:([0-9a-f]+) .* :: '(.*)'$")


def serve(program: Path, file: Path, ready: Path) -> None:
    """Run the server until SIGTERM, then write the log."""
    log = Log("libcoap", file)
    words = [str(program), "-A", plan.SERVER_IP, "-p", str(plan.port("libcoap")), *OPTIONS]
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

    def start(self) -> None:
        ready = self.folder / "libcoap.ready"
        ready.unlink(missing_ok=True)
        child = processes.fork(
            "libcoap's server",
            functools.partial(serve, tools.program(PROGRAM), self.log, ready),
            self.namespace,
            self.folder / "libcoap.out",
        )
        self.children.append(child)
        child.wait_for(ready.exists)
