"""The services of a host with boards: what they may do, by systemd, and what a cell leaves."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from hil.base.paths import ROOT
from hil.rig.links.wifi import Cell, WifiLink
from hil.system import netns
from hil.tests.support.farm.farm import HOST, UNSHARE, Farm, as_user, farm
from hil.tests.support.farm.harness import bundle, result_of, start

DAEMON, NOBODY = 1, 65534
# The exposure that `systemd-analyze security` may find, of 10.
LIMITS = {
    "labgrid-coordinator.service": 1.5,
    "labgrid-exporter.service": 1.5,
    "thinwire-cell@.service": 2.5,
    "thinwire-firewall.service": 2.0,
    "thinwire-runner-ticket.service": 1.5,
    "thinwire-runner.service": 2.5,
    "thinwire-serial@.service": 1.5,
}


def analyze(*words: str) -> subprocess.CompletedProcess[str]:
    assert shutil.which("systemd-analyze"), "systemd-analyze is missing: install systemd"
    command = ["systemd-analyze", *words]
    return subprocess.run(command, cwd=HOST, capture_output=True, text=True, check=False)


def test_every_service_has_a_limit() -> None:
    assert {path.name for path in HOST.glob("*.service")} == set(LIMITS)


@pytest.mark.parametrize("unit", LIMITS)
def test_a_service_may_do_little(unit: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = analyze("security", "--offline=yes", f"./{unit}").stdout
    found = re.search(r"exposure level for \S+: ([\d.]+)", said)
    assert found, said
    with capsys.disabled():
        print(f"\n{unit}: {found[1]} of 10, at most {LIMITS[unit]}", end="")
    assert float(found[1]) <= LIMITS[unit]


@pytest.mark.parametrize("unit", LIMITS)
def test_a_service_is_well_formed(unit: str) -> None:
    """Nothing is wrong with it but that its program is not at /opt/thinwire here."""
    lines = [
        line for line in analyze("verify", f"./{unit}").stderr.splitlines() if unit[:8] in line
    ]
    assert [line for line in lines if "is not executable: No such file" not in line] == []


def test_what_trials_left_goes_after_two_days(tmp_path: Path) -> None:
    """... on plain Debian as on NixOS."""
    (rule,) = [
        line for line in (HOST / "thinwire.tmpfiles").read_text().splitlines() if line[0] != "#"
    ]
    assert f'"{rule}"' in (ROOT / "nix" / "boards.nix").read_text()
    for name, days in ((".thinwire-old", 3), (".thinwire-new", 1), ("other", 3)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()
        then = time.time() - days * 86400
        os.utime(tmp_path / name / "file", (then, then))
    there = tmp_path / "rule.conf"  # by the time of writing alone: the others cannot be set
    there.write_text(rule.replace("/tmp/", f"{tmp_path}/").replace(" 2d", " m:2d") + "\n")
    subprocess.run(["systemd-tmpfiles", "--clean", there], check=True)
    left = {path.parent.name for path in tmp_path.glob("*/file")}
    assert left == {".thinwire-new", "other"}


def test_nothing_but_ssh_comes_in(tmp_path: Path) -> None:
    """From a neighbour; twice, as a second start of the service must change nothing."""
    host, neighbour = (f"tw{os.getpid()}{end}" for end in "hn")
    listen = (
        "import socket, sys, time\n"
        "all = [socket.create_server(('0.0.0.0', port)) for port in (22, 7801)]\n"
        "print(flush=True); time.sleep(60)"
    )
    try:
        for space in (host, neighbour):
            netns.run(["ip", "netns", "add", space])
        netns.batch("ip", host, [f"link add e0 type veth peer name e0 netns {neighbour}"])
        for number, space in enumerate((host, neighbour), 1):
            up = [f"address add 192.0.2.{number}/24 dev e0", "link set e0 up", "link set lo up"]
            netns.batch("ip", space, up)
        for _ in range(2):
            netns.run(["nft", "-f", str(HOST / "thinwire.nft")], namespace=host)
        server = subprocess.Popen(
            ["ip", "netns", "exec", host, sys.executable, "-c", listen], stdout=subprocess.PIPE
        )
        assert server.stdout is not None
        server.stdout.readline()
        reached = {port: _reaches(neighbour, "192.0.2.1", port) for port in (22, 7801)} | {
            "loopback": _reaches(host, "127.0.0.1", 7801)
        }
        server.kill()
        server.communicate()
    finally:
        for space in (host, neighbour):
            subprocess.run(["ip", "netns", "delete", space], check=False)
    assert reached == {22: True, 7801: False, "loopback": True}


def _reaches(space: str, address: str, port: int) -> bool:
    words = f"import socket; socket.create_connection(('{address}', {port}), 5)"
    command = ["ip", "netns", "exec", space, sys.executable, "-c", words]
    return subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode == 0


def test_a_cell_is_what_a_trial_needs_and_goes_with_its_service(tmp_path: Path) -> None:
    name = f"cell{os.getpid()}"
    (tmp_path / name).mkdir()
    (tmp_path / name / "hostapd.conf").write_text("ssid=x\nwpa_passphrase=secret-enough\n")
    variables = {**os.environ, "THINWIRE_CELLS": str(tmp_path)}
    service = subprocess.Popen([*UNSHARE, HOST / "cell", name], env=variables)
    try:
        show = ["ip", "-j", "address", "show", "up", "wired0"]
        there = ["nsenter", f"--net=/proc/{service.pid}/ns/net", *show]
        Farm.wait(lambda: "wired0" in netns.run(there), "no cell", 20)
        subprocess.run([HOST / "attach", name, str(service.pid)], env=variables, check=True)
        WifiLink(Cell(name), tmp_path).prepare()
        (bridge,) = [each for each in json.loads(netns.run(show, namespace=name)) if each]
        assert bridge["address"] == "02:54:57:00:00:fe"
        assert [each["local"] for each in bridge["addr_info"]] == ["10.77.0.1"]
    finally:
        service.terminate()
        service.wait(10)
        netns.run(["ip", "netns", "delete", name])


@pytest.mark.parametrize(
    ("program", "line", "problem"),
    [
        ("cell", "country_code=DE", "country_code: a cell has no right to set it"),
        ("attach", "channel=1", "interface: wlan77 is no Wi-Fi adapter of this host"),
    ],
)
def test_a_file_that_no_cell_can_use_is_refused_by_name(
    program: str, line: str, problem: str, tmp_path: Path
) -> None:
    (tmp_path / "cell1").mkdir()
    (tmp_path / "cell1" / "hostapd.conf").write_text(f"interface=wlan77\n{line}\n")
    done = subprocess.run(
        [*UNSHARE, HOST / program, "cell1", "1"],
        env={**os.environ, "THINWIRE_CELLS": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"hostapd.conf: {problem}" in done.stderr


def test_a_trial_needs_no_right_but_its_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who owns the cell runs a trial without a capability on the host; nobody else enters it."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o777)
        with farm(folder, 1, owner=NOBODY) as boards:
            assert result_of(start(boards, "board1"))["outcome"] == "ok"
            assert bundle(boards, "board1").stat().st_uid == NOBODY
            monkeypatch.setattr(boards, "as_owner", as_user(DAEMON))
            process = start(boards, "board1", XDG_STATE_HOME=f"{place}/elsewhere")
            assert "may not enter the network namespace" in process.communicate(timeout=60)[1]
            assert process.returncode != 0


class GitHub(BaseHTTPRequestHandler):
    """Answers with `statuses`, one a request; notes what was asked."""

    statuses: ClassVar[list[int]] = []
    asked: ClassVar[list[tuple[str, str, dict[str, object]]]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((self.path, self.headers["Authorization"], body))
        self.send_response(self.statuses.pop(0))
        self.end_headers()
        self.wfile.write(b'{"runner": {}, "encoded_jit_config": "once"}')


@pytest.mark.parametrize(("statuses", "status"), [([503, 201], 0), ([401], 1)])
def test_a_registration_is_for_one_job(
    statuses: list[int], status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked again while GitHub is down, and not where it refuses."""
    monkeypatch.setattr(GitHub, "statuses", [*statuses])
    monkeypatch.setattr(GitHub, "asked", [])
    spec = importlib.util.spec_from_file_location("ticket", HOST / "ticket.py")
    assert spec is not None and spec.loader is not None
    ticket = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(ticket)
    server = HTTPServer(("127.0.0.1", 0), GitHub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    (tmp_path / "token").write_text("secret\n")
    for key, value in {
        "GITHUB_API_URL": f"http://127.0.0.1:{server.server_port}",
        "CREDENTIALS_DIRECTORY": str(tmp_path),
        "INVOCATION_ID": "0123456789abcdef",
        "REPOSITORY": "owner/name",
    }.items():
        monkeypatch.setenv(key, value)
    monkeypatch.setattr(ticket, "PAUSE_S", 0)
    monkeypatch.setattr("sys.argv", ["ticket.py", str(tmp_path / "jitconfig")])
    try:
        assert ticket.main() == status
    finally:
        server.shutdown()
        server.server_close()
    assert (tmp_path / "jitconfig").exists() == (status == 0)
    assert len(GitHub.asked) == len(statuses)
    path, bearer, body = GitHub.asked[-1]
    assert path == "/repos/owner/name/actions/runners/generate-jitconfig"
    assert bearer == "Bearer secret"
    assert body["labels"] == ["self-hosted", "thinwire-boards"]
    assert str(body["name"]).endswith("-01234567")


def test_a_runner_finds_nothing_of_the_job_before() -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o755)
        (folder / "cache").mkdir()
        (folder / "program").mkdir()
        run = folder / "program" / "run.sh"
        run.write_text('#!/bin/sh\necho "$ACTIONS_RUNNER_INPUT_JITCONFIG" $(ls -A)\n')
        run.chmod(0o755)
        (folder / "jitconfig").write_text("once")
        os.chown(folder / "cache", NOBODY, NOBODY)
        variables = {
            **os.environ,
            "CACHE_DIRECTORY": f"{place}/cache",
            "CREDENTIALS_DIRECTORY": place,
            "ACTIONS_RUNNER": f"{place}/program",
        }
        job = f"cd {place}/cache; mkdir -p .left/behind; touch .left/behind/file; chmod 500 .left/*"
        for command in (["sh", "-c", job], [str(HOST / "runner")]):
            done = subprocess.run(
                [*as_user(NOBODY), *command],
                env=variables, check=True, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
        assert done.stdout == "once runner\n"
