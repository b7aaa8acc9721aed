"""main REQUEST: the background of one trial, as a process.

It ends the background when its standard input ends, that is, when the trial is over or dead. It
has a session of its own, so that what ends the trial spares it.

REQUEST is a JSON object: the cell, the stations and what each does. Servers run in the cell, and so
does the ssh that labgrid's SSHDriver starts. A line `ready` once all work; at last, or as soon as
something went wrong, a JSON object (`load.py`).
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from labgrid import Target
from labgrid.driver import SSHDriver
from labgrid.resource import NetworkService

from hil.base.errors import TrialError
from hil.design import addressing
from hil.rig.faults import Fault
from hil.system import processes
from hil.testbeds.hardware.background import site

SITE_PORT, IPERF_PORT = 5200, 5201  # of the first station; the next ones count up
CONNECT_S, TOLD_S, LOOK_S = 10.0, 10.0, 0.25
PROGRAM = Path(__file__).with_name("station.py").read_bytes()


def _listens(port: int) -> bool:
    lines = Path("/proc/self/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    return any(
        entry[1].endswith(f":{port:04X}") and entry[3] == "0A" for entry in map(str.split, lines)
    )


class Station:
    """One station: its connection, its program there, its server here."""

    def __init__(self, request: dict[str, Any], number: int) -> None:
        self.name, self.source = request["name"], request["source"]
        self._service, self._number = request["service"], number
        self._server: processes.Child | None = None
        self._driver: SSHDriver | None = None
        self._started: subprocess.Popen[bytes] | None = None
        self._json = Path(f"iperf3-{number}.json")

    def _start_server(self) -> int:
        """Its port."""
        if self.source["profile"] not in ("bulk", "voice"):
            return SITE_PORT
        port = IPERF_PORT + self._number
        words = f"iperf3 -s -1 -J -B {addressing.SERVER_IP} -p {port}".split()
        output = self._json.with_suffix(".out")
        self._server = processes.spawn(words, "", output, self._json)
        self._server.wait_for(lambda: _listens(port))
        return port

    def start(self, key: str, seed: str) -> None:
        """Begin its work.

        Raises:
            Fault: it is not there, or its program does not start.
            TrialError: its server does not start.
        """
        port = self._start_server()
        target = Target(self.name)
        NetworkService(target, name=None, **self._service)
        driver = SSHDriver(target, name=None, keyfile=key, connection_timeout=CONNECT_S)
        try:
            target.activate(driver)
        except Exception as error:  # labgrid raises nothing more exact
            raise Fault("station gone", f"{self.name}: {error}") from error
        self._driver = driver
        load = f"import sys; exec(sys.stdin.buffer.read({len(PROGRAM)}))"
        words = [json.dumps(self.source), addressing.SERVER_IP, str(port), seed]
        remote = shlex.join(["python3", "-uc", load, *words])
        self._started = child = subprocess.Popen(
            ["ssh", "-x", *driver.ssh_prefix, self._service["address"], "--", remote],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
        )  # fmt: skip
        assert child.stdin is not None and child.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            child.stdin.write(PROGRAM)
        if (line := child.stdout.readline()) != b"started\n":
            raise self.fault(line)

    @property
    def _child(self) -> subprocess.Popen[bytes]:
        assert self._started is not None, "it was not started"
        return self._started

    def fault(self, before: bytes = b"") -> Fault:
        """Why it ended by itself, of which it said `before`: ssh has a status of its own."""
        return self._named(self._told(before).get("error", "it ended"))

    def _named(self, detail: str) -> Fault:
        gone = self._child.returncode == 255 or self._child.returncode < 0
        return Fault("station gone" if gone else "background failed", f"{self.name}: {detail}")

    def let_go(self) -> None:
        """Tell it that its work is over."""
        if self._child.stdin is not None:
            self._child.stdin.close()
            self._child.stdin = None

    def _told(self, before: bytes = b"") -> dict[str, Any]:
        """The object that it printed last, or an `error`."""
        self.let_go()
        try:
            output, errors = self._child.communicate(timeout=TOLD_S)
        except subprocess.TimeoutExpired:
            self._child.kill()
            output, errors = self._child.communicate()
        for line in reversed((before + output).splitlines()):
            if line.startswith(b"{"):
                return dict(json.loads(line))
        said = errors.decode(errors="replace").strip().splitlines()
        return {"error": said[-1] if said else "no answer"}

    @property
    def ended(self) -> bool:
        return self._child.poll() is not None

    def stop(self) -> dict[str, Any]:
        """End its work; what it and its server have counted.

        Raises:
            Fault: it does not tell.
        """
        told = self._told()
        if "error" in told:
            raise self._named(told["error"])
        if self._server is not None and "up" in told["asked_bytes"]:
            told.setdefault("reached_bytes", {})["up"] = self._served()
        return {"station": self.name, **self.source, **told}

    def _served(self) -> int:
        """Bytes that came to its server."""
        assert self._server is not None
        deadline = time.monotonic() + TOLD_S
        while self._server.alive() and time.monotonic() < deadline:
            time.sleep(0.02)
        try:
            return int(json.loads(self._json.read_bytes())["end"]["sum_received"]["bytes"])
        except (OSError, ValueError, KeyError) as error:
            told = f"{self.name}: its server did not tell what it has counted: {error!r}"
            raise Fault("background failed", told) from error

    def close(self) -> None:
        """Leave nothing: not there, not here."""
        if self._started is not None and self._started.poll() is None:
            self._told()
        if self._driver is not None:
            self._driver.target.deactivate(self._driver)
        if self._server is not None and self._server.alive():
            self._server.stop(signal.SIGKILL)


def _work(request: dict[str, Any], stations: list[Station]) -> list[dict[str, Any]]:
    """All of it, to its end; the counts.

    Raises:
        Fault: a station goes, or ends by itself.
    """
    if any(each["source"]["profile"] in ("web", "video") for each in request["stations"]):
        server = processes.fork(
            "site", lambda: site.serve(addressing.SERVER_IP, SITE_PORT), "", Path("site.out")
        )
        server.wait_for(lambda: _listens(SITE_PORT))
    for number, each in enumerate(request["stations"]):
        station = Station(each, number)
        stations.append(station)
        station.start(request["key"], f"{request['seed']}-{number + 1}")
    print("ready", flush=True)
    while not select.select([0], [], [], LOOK_S)[0]:
        for station in stations:
            if station.ended:
                raise station.fault()
    for station in stations:
        station.let_go()
    return [station.stop() for station in stations]


def main() -> int:
    request, stations = json.loads(sys.argv[1]), []
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    processes.enter_namespace(request["cell"])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            told: dict[str, Any] = {"stations": _work(request, stations)}
        except Fault as fault:
            told = {"fault": fault.name, "detail": fault.detail}
        except TrialError as error:  # a server of ours
            told = {"fault": "background failed", "detail": str(error)}
        print(json.dumps(told), flush=True)
        for station in stations:
            station.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
