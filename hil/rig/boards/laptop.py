"""A laptop: Locust with a locustfile, as a process of the host with an interface of its own."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path
from typing import Any

from hil.design import addressing
from hil.design.facts import Facts
from hil.peers.cloud import names
from hil.rig.boards.base import Board
from hil.rig.links.base import BoardPort, Plug
from hil.system import openssl, preloads, processes, tools

_SCHEMES = {"mqtt": "mqtts", "http": "https"}
# Parameter of a trial -> option of the locustfile.
_OPTIONS = {
    "protocol": "--protocol",
    "token": "--token",
    "session_messages": "--session-messages",
    "messages": "--messages",
    "fields": "--fields",
    "payload_bytes": "--field-bytes",
    "tls": "--tls",
}
_RUN = "from locust.main import main; main()"
_SWITCHES = {"tls_resume": "--resume", "await_connack": "--await-connack"}
# Key exchanges that OpenSSL 1.1.1, of the study's year, offers by itself. From 3.5 on it offers
# X25519MLKEM768 beside them, which makes each ClientHello 1.2 kB larger.
KEY_EXCHANGES = "Groups = X25519:P-256:X448:P-521:P-384"


def words(document: dict[str, Any], nonce: str) -> str:
    """What the locustfile is told of the trial `document` (trial.json): options, as JSON."""
    facts = Facts.of(document["parameters"])
    told = ["--host", f"{_SCHEMES[facts.protocol]}://{names.HOST}:{facts.server.port}"]
    told += ["--device", addressing.BOARD_ID, "--nonce", nonce]
    told += ["--pause", str(facts.interval_ms / 1000)]
    for name, option in _OPTIONS.items():
        told += [option, str(getattr(facts, name))]
    told += [option for name, option in _SWITCHES.items() if getattr(facts, name)]
    return json.dumps(told)


class Laptop(Board):
    """See the module. Its firmware is the locustfile."""

    image = "laptop"
    program = "hil/peers/cloud/locustfile.py"
    plug = Plug.INTERFACE

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.log = folder / "board.jsonl"
        self._child: processes.Child | None = None

    def power_on(self, firmware: Path, append: str, port: BoardPort) -> None:
        """Start Locust with one user. Its log says first that the network is up, as a board's."""
        file = self._folder / "locustfile.py"
        shutil.copyfile(firmware, file)
        argv = [*tools.python(), "-c", _RUN, "-f", str(file), "--headless", "--only-summary"]
        argv += ["-u", "1", "--cafile", str(self._folder / "ca.pem"), "--log", str(self.log)]
        self._child = processes.spawn(
            [*argv, "--address", addressing.BOARD_IP, *json.loads(append)],
            port.namespace,
            self._folder / "locust.out",
            preload=preloads.library(processes.RANDOMNESS),
            variables=openssl.variables(self._folder / "openssl.cnf", KEY_EXCHANGES),
        )

    def problem(self) -> str:
        """Why it ended though its log has no end, or an empty text."""
        child = self._child
        if child is None or child.alive() or self.log.exists():
            return ""
        return f"locust ended with status {child.status}: {child.last_words()}"

    def power_off(self) -> None:
        if self._child is not None:
            self._child.stop(signal.SIGTERM)
