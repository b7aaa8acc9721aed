"""The brokers that stand beside the peers, each in the server's namespace with a folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import foreign
from lossy_link import LossyLink

BROKER_PORT = 1883
_START_S = 300  # RabbitMQ takes this long on a busy machine
_MOSQUITTO = """\
user root
listener {port} 0.0.0.0
allow_anonymous true
max_queued_messages 0
persistence true
persistence_location {folder}/
"""


class Broker:
    """A broker's process. `restart` ends it as its owner would, and starts it on the same data."""

    port = BROKER_PORT

    def __init__(self, link: LossyLink, folder: str, *options: str) -> None:
        self.folder, self.options = Path(folder), options
        self._link = link
        self._command = self.prepare()
        self._process = self._run()

    def prepare(self) -> list[str]:
        """Write the configuration; return the command."""
        raise NotImplementedError

    def _run(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            self._link.command(self._link.server, self._command),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        probe = f"import socket; socket.create_connection(('127.0.0.1', {self.port}), 1)"
        check = self._link.command(self._link.server, [sys.executable, "-c", probe])
        end = time.monotonic() + _START_S
        while subprocess.run(check, check=False, capture_output=True).returncode:
            if time.monotonic() > end or process.poll() is not None:
                raise RuntimeError(f"{self._command[-1]} did not start; try it by hand")
            time.sleep(0.2)
        return process

    def stop(self) -> None:
        """End the broker; RabbitMQ is the child of a shell script, so its whole group."""
        os.killpg(self._process.pid, signal.SIGTERM)
        self._process.wait()

    def restart(self) -> None:
        """End the broker and start it again."""
        self.stop()
        self._process = self._run()


class Mosquitto(Broker):
    """mosquitto, which keeps its sessions and messages over a restart. Option: how many messages
    of a client may be in flight at once."""

    def prepare(self) -> list[str]:
        config = self.folder / "mosquitto.conf"
        window = [f"max_inflight_messages {number}\n" for number in self.options]
        config.write_text(_MOSQUITTO.format(port=self.port, folder=self.folder) + "".join(window))
        return ["mosquitto", "-c", str(config)]


class RabbitMq(Broker):
    """RabbitMQ, with a node of its own."""

    port = 5672

    def prepare(self) -> list[str]:
        self.folder.chmod(0o777)
        config = self.folder / "rabbitmq.conf"
        config.write_text(f"listeners.tcp.default = {self.port}\nloopback_users = none\n")
        settings = [
            f"RABBITMQ_CONFIG_FILE={config}",
            f"RABBITMQ_MNESIA_BASE={self.folder / 'mnesia'}",
            f"RABBITMQ_LOG_BASE={self.folder / 'log'}",
            "RABBITMQ_NODENAME=interop@localhost",
        ]
        return ["env", *settings, "rabbitmq-server"]


class Foreign(Broker):
    """A broker of foreign.py, the first option; the second is its port."""

    def prepare(self) -> list[str]:
        name, *port = self.options
        self.port = int(port[0]) if port else BROKER_PORT
        return foreign.BROKERS[name](str(self.port), str(self.folder))


START = {"mosquitto": Mosquitto, "rabbitmq": RabbitMq, "foreign": Foreign}
