"""The brokers that stand beside the peers, each in the server's namespace."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from lossy_link import LossyLink

BROKER_PORT = 1883
_RABBIT_START_S = 120


def start_rabbitmq(link: LossyLink, folder: str) -> subprocess.Popen[bytes]:
    """Start RabbitMQ with its data in `folder` and wait until it listens."""
    home = Path(folder)
    home.chmod(0o777)
    (home / "rabbitmq.conf").write_text("listeners.tcp.default = 5672\nloopback_users = none\n")
    settings = [
        f"RABBITMQ_CONFIG_FILE={home / 'rabbitmq.conf'}",
        f"RABBITMQ_MNESIA_BASE={home / 'mnesia'}",
        f"RABBITMQ_LOG_BASE={home / 'log'}",
        "RABBITMQ_NODENAME=interop@localhost",
    ]
    process = subprocess.Popen(
        link.command(link.server, ["env", *settings, "rabbitmq-server"]),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    probe = "import socket; socket.create_connection(('127.0.0.1', 5672), 1)"
    end = time.monotonic() + _RABBIT_START_S
    while subprocess.run(
        link.command(link.server, [sys.executable, "-c", probe]), check=False, capture_output=True
    ).returncode:
        if time.monotonic() > end or process.poll() is not None:
            raise RuntimeError("rabbitmq-server did not start; try it by hand")
        time.sleep(1)
    return process


def start_mosquitto(link: LossyLink, folder: str) -> subprocess.Popen[bytes]:
    config = Path(folder) / "mosquitto.conf"
    config.write_text(
        f"listener {BROKER_PORT} 0.0.0.0\nallow_anonymous true\nmax_queued_messages 0\n"
    )
    return subprocess.Popen(
        link.command(link.server, ["mosquitto", "-c", str(config)]),
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


START = {"mosquitto": start_mosquitto, "rabbitmq": start_rabbitmq}


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a broker; RabbitMQ is the child of a shell script, so its whole group."""
    os.killpg(process.pid, signal.SIGTERM)
    process.wait()
