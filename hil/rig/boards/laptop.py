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
# Key exchanges that OpenSSL 1.1.1, of the study's year, offers by default. Since 3.5 OpenSSL also
# offers X25519MLKEM768, which makes each ClientHello 1.2 kB larger.
KEY_EXCHANGES = "Groups = X25519:P-256:X448:P-521:P-384"


class Laptop(Board):
    """See the module. Its firmware is the locustfile."""

    image = "laptop"
    program = "hil/peers/cloud/locustfile.py"
    plug = Plug.INTERFACE

    _child: processes.Child | None = None

    @classmethod
    def config(cls, document: dict[str, Any], nonce: str) -> str:
        """Return the locustfile's options for the trial `document` (trial.json), as JSON."""
        facts = Facts.of(document["parameters"])
        options = ["--host", f"{_SCHEMES[facts.protocol]}://{names.HOST}:{facts.server.port}"]
        options += ["--device", addressing.BOARD_ID, "--nonce", nonce]
        options += ["--pause", str(facts.interval_ms / 1000)]
        for name, option in _OPTIONS.items():
            options += [option, str(getattr(facts, name))]
        if facts.session_mix:
            options += ["--session-mix", ",".join(map(str, facts.session_mix))]
        options += [option for name, option in _SWITCHES.items() if getattr(facts, name)]
        return json.dumps(options)

    def power_on(self, firmware: Path, config_line: str, port: BoardPort) -> None:
        """Start Locust with one user. Its log begins with "network up", as a board's does."""
        file = self.folder / "locustfile.py"
        shutil.copyfile(firmware, file)
        argv = [*tools.python(), "-c", _RUN, "-f", str(file), "--headless", "--only-summary"]
        argv += ["-u", "1", "--cafile", str(self.folder / "ca.pem"), "--log", str(self.log)]
        self._child = processes.spawn(
            [*argv, "--address", addressing.BOARD_IP, *json.loads(config_line)],
            port.namespace,
            self.folder / "locust.out",
            preload=preloads.library(processes.RANDOMNESS),
            variables=openssl.variables(self.folder / "openssl.cnf", KEY_EXCHANGES),
        )

    def problem(self) -> str:
        """Return why Locust ended without a log, or an empty text."""
        child = self._child
        if child is None or child.alive() or self.log.exists():
            return ""
        return f"locust ended with status {child.status}: {child.last_words()}"

    def power_off(self) -> None:
        if self._child is not None:
            self._child.stop(signal.SIGTERM)
