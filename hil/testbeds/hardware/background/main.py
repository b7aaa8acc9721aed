"""main REQUEST: the background of one trial, as a process.

It stops the background when its standard input ends, that is, when the trial has ended or died. It
runs in a session of its own, so that a signal that ends the trial does not end it.

REQUEST is a JSON object: the cell, the stations and the work of each. Servers run in the cell, and
so does the ssh that labgrid's SSHDriver starts. The process prints the line `ready` when all
stations work, and a JSON object at the end or after a fault (`load.py`).
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

SITE_PORT, IPERF_PORT = 5200, 5201  # of the first station; the next stations count up
CONNECT_S, REPORT_S, CHECK_S = 10.0, 10.0, 0.25
PROGRAM = Path(__file__).with_name("station.py").read_bytes()


def _listens(port: int) -> bool:
    lines = Path("/proc/self/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    return any(
        entry[1].endswith(f":{port:04X}") and entry[3] == "0A" for entry in map(str.split, lines)
    )


class Station:
    """One station: its connection, its remote program, its server on this host."""

    def __init__(self, request: dict[str, Any], number: int) -> None:
        self.name, self.source = request["name"], request["source"]
        self._service, self._number = request["service"], number
        self._server: processes.Child | None = None
        self._driver: SSHDriver | None = None
        self._started: subprocess.Popen[bytes] | None = None
        self._json = Path(f"iperf3-{number}.json")

    def _start_server(self) -> int:
        """Start its server; return the port."""
        if self.source["profile"] not in ("bulk", "voice"):
            return SITE_PORT
        port = IPERF_PORT + self._number
        words = f"iperf3 -s -1 -J -B {addressing.SERVER_IP} -p {port}".split()
        output = self._json.with_suffix(".out")
        self._server = processes.spawn(words, "", output, self._json)
        self._server.wait_for(lambda: _listens(port))
        return port

    def start(self, key: str, seed: str) -> None:
        """Start its program.

        Raises:
            Fault: the station does not answer, or its program does not start.
            TrialError: its server does not start.
        """
        port = self._start_server()
        target = Target(self.name)
        NetworkService(target, name=None, **self._service)
        driver = SSHDriver(target, name=None, keyfile=key, connection_timeout=CONNECT_S)
        try:
            target.activate(driver)
        except Exception as error:  # labgrid raises nothing more specific
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
        assert self._started is not None, "the station was not started"
        return self._started

    def fault(self, before: bytes = b"") -> Fault:
        """Return why it ended by itself; `before` is what it has printed so far."""
        return self._named(self._report(before).get("error", "it ended"))

    def _named(self, detail: str) -> Fault:
        # 255 is ssh's own status, of a lost connection
        gone = self._child.returncode == 255 or self._child.returncode < 0
        return Fault("station gone" if gone else "background failed", f"{self.name}: {detail}")

    def let_go(self) -> None:
        """End its work by closing its standard input."""
        if self._child.stdin is not None:
            self._child.stdin.close()
            self._child.stdin = None

    def _report(self, before: bytes = b"") -> dict[str, Any]:
        """Return the object that it printed last, or an `error`."""
        self.let_go()
        try:
            output, errors = self._child.communicate(timeout=REPORT_S)
        except subprocess.TimeoutExpired:
            self._child.kill()
            output, errors = self._child.communicate()
        for line in reversed((before + output).splitlines()):
            if line.startswith(b"{"):
                return dict(json.loads(line))
        lines = errors.decode(errors="replace").strip().splitlines()
        return {"error": lines[-1] if lines else "no answer"}

    @property
    def ended(self) -> bool:
        return self._child.poll() is not None

    def stop(self) -> dict[str, Any]:
        """End its work; return what it and its server have counted.

        Raises:
            Fault: it does not report its counts.
        """
        report = self._report()
        if "error" in report:
            raise self._named(report["error"])
        if self._server is not None and "up" in report["asked_bytes"]:
            report.setdefault("reached_bytes", {})["up"] = self._served()
        return {"station": self.name, **self.source, **report}

    def _served(self) -> int:
        """Return the bytes that its server has received."""
        assert self._server is not None
        deadline = time.monotonic() + REPORT_S
        while self._server.alive() and time.monotonic() < deadline:
            time.sleep(0.02)
        try:
            return int(json.loads(self._json.read_bytes())["end"]["sum_received"]["bytes"])
        except (OSError, ValueError, KeyError) as error:
            detail = f"{self.name}: its server did not report its counts: {error!r}"
            raise Fault("background failed", detail) from error

    def close(self) -> None:
        """Stop what still runs on the station and on this host."""
        if self._started is not None and self._started.poll() is None:
            self._report()
        if self._driver is not None:
            self._driver.target.deactivate(self._driver)
        if self._server is not None and self._server.alive():
            self._server.stop(signal.SIGKILL)


def _work(request: dict[str, Any], stations: list[Station]) -> list[dict[str, Any]]:
    """Run the background until standard input ends; return the counts of each station.

    Raises:
        Fault: a station is lost, or ends by itself.
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
    while not select.select([0], [], [], CHECK_S)[0]:
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
            result: dict[str, Any] = {"stations": _work(request, stations)}
        except Fault as fault:
            result = {"fault": fault.name, "detail": fault.detail}
        except TrialError as error:  # a server on this host
            result = {"fault": "background failed", "detail": str(error)}
        print(json.dumps(result), flush=True)
        for station in stations:
            station.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
