"""Run the host board against real peers over a lossy link, and count what arrives.

    interop.py [--messages N] [--loss PERCENT ...] [--only NAME ...] [--host PROGRAM] [--pcap DIR]

One CSV row a case: case, loss_pct, sent, acked, failed, delivered, duplicated, lost, verdict. The
verdict holds the guarantee of the mode against the counts: `once` nothing lost, nothing doubled;
`least` nothing lost; `none` no guarantee. Needs root (namespaces). Exit status 1: one was broken.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from lossy_link import SERVER_ADDRESS, LossyLink

_HERE = Path(__file__).resolve().parent
_HOST = _HERE.parents[2] / "build/firmware/host/thinwire-host"
_BROKER_PORT = 1883
_LIMIT_S = 3600
_SETTLE_S = 1.0  # what the board sent last may still be between broker and subscriber
_RABBIT_START_S = 120


@dataclass(frozen=True)
class Case:
    """One protocol mode: the board's configuration, its peers, and what the mode promises."""

    name: str
    config: str
    peers: tuple[str, ...]
    guarantee: str  # once | least | none
    broker: str = ""  # mosquitto | rabbitmq, started beside the peers


def _mqtt(name: str, config: str, guarantee: str) -> Case:
    return Case(
        name, f"proto=mqtt {config}", ("mqtt-subscriber 1883",), guarantee, broker="mosquitto"
    )


def _mqttsn(name: str, config: str, guarantee: str) -> Case:
    peers = ("mqtt-subscriber 1883", "mqttsn-gateway 1883")
    return Case(name, f"proto=mqttsn retry_ms=500 {config}", peers, guarantee, broker="mosquitto")


CASES = (
    _mqtt("mqtt-qos0", "qos=0", "once"),  # TCP alone keeps it while the connection stands
    _mqtt("mqtt-qos1", "qos=1 clean=0", "least"),
    _mqtt("mqtt-qos2", "qos=2 clean=0", "once"),
    _mqttsn("mqttsn-qos-1", "qos=-1 topic_type=predefined topic_id=1", "none"),
    _mqttsn("mqttsn-qos0", "qos=0", "none"),
    _mqttsn("mqttsn-qos1", "qos=1 clean=0", "least"),
    _mqttsn("mqttsn-qos2", "qos=2 clean=0", "once"),
    Case("coap-con", "proto=coap inflight=16", ("coap-server",), "least"),
    Case("coap-non", "proto=coap confirmable=0", ("coap-server",), "none"),
    Case("http-kept", "proto=http port=8080", ("http-server",), "once"),
    Case("http-chunked", "proto=http port=8080 chunked=1", ("http-server",), "once"),
    Case("http-per-request", "proto=http port=8080 keep_alive=0", ("http-server",), "once"),
    Case("websocket", "proto=websocket port=8081", ("websocket-server",), "once"),
    Case(
        "websocket-fragments",
        "proto=websocket port=8081 payload_bytes=200 fragment_bytes=64",
        ("websocket-server",),
        "once",
    ),
    Case("amqp-confirms", "proto=amqp", ("amqp-consumer 5672",), "once", "rabbitmq"),
    Case("tcp", "proto=tcp", ("raw-tcp",), "once"),
    Case("udp", "proto=udp", ("raw-udp",), "none"),
)
FIELDS = (
    *("case", "loss_pct", "sent", "acked", "failed"),
    *("delivered", "duplicated", "lost", "verdict"),
)


class Peer:
    """A child process of peers.py in the server's namespace."""

    def __init__(self, link: LossyLink, words: str) -> None:
        command = [sys.executable, str(_HERE / "peers.py"), *words.split()]
        self.process = subprocess.Popen(
            link.command(link.server, command), stdout=subprocess.PIPE, text=True
        )
        if self.process.stdout.readline().strip() != "ready":
            raise RuntimeError(f"{words}: the peer did not start; see its message above")

    def stop(self) -> dict[str, int]:
        """End the peer and return its counts."""
        self.process.send_signal(signal.SIGTERM)
        output, _ = self.process.communicate(timeout=30)
        return json.loads(output)


def _start_rabbitmq(link: LossyLink, folder: str) -> subprocess.Popen[bytes]:
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


def _start_mosquitto(link: LossyLink, folder: str) -> subprocess.Popen[bytes]:
    config = Path(folder) / "mosquitto.conf"
    config.write_text(
        f"listener {_BROKER_PORT} 0.0.0.0\nallow_anonymous true\nmax_queued_messages 0\n"
    )
    return subprocess.Popen(
        link.command(link.server, ["mosquitto", "-c", str(config)]),
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _run_board(link: LossyLink, host: Path, case: Case, messages: int, interval_ms: int) -> dict:
    words = (
        f"nonce=0 id=board1 {case.config} peer={SERVER_ADDRESS} messages={messages} "
        f"interval_ms={interval_ms} drain_ms=120000 start_ms=200 seed=7"
    )
    done = subprocess.run(
        link.command(link.device, [str(host), *words.split()]),
        capture_output=True, text=True, timeout=_LIMIT_S, check=True,
    )  # fmt: skip
    failures = [line for line in done.stdout.splitlines() if '"ev":"failed"' in line]
    for line in failures[:3]:
        print(f"{case.name}: {line}", file=sys.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def run_case(case: Case, loss: float, args: argparse.Namespace) -> dict[str, object]:
    """Run one case; return its CSV row."""
    pcap = args.pcap / f"{case.name}-{loss:g}.pcap" if args.pcap else None
    lossy = LossyLink(loss / 100, seed=args.seed, pcap=pcap)
    with tempfile.TemporaryDirectory() as folder, lossy as link:
        start = {"mosquitto": _start_mosquitto, "rabbitmq": _start_rabbitmq}.get(case.broker)
        broker = start(link, folder) if start else None
        peers: list[Peer] = []
        try:
            for words in case.peers:
                peers.append(Peer(link, words))
            end = _run_board(link, args.host, case, args.messages, args.interval_ms)
            time.sleep(_SETTLE_S)
            counts = peers[0].stop()
        finally:
            for peer in peers:
                peer.process.kill()
            if broker:
                os.killpg(broker.pid, signal.SIGTERM)  # RabbitMQ is a shell script's child
                broker.wait()
    lost = args.messages - counts["delivered"]
    broken = case.guarantee != "none" and (lost != 0 or counts["foreign"] != 0)
    broken |= case.guarantee == "once" and counts["duplicated"] != 0
    return {
        "case": case.name,
        "loss_pct": loss,
        "sent": end["sent"],
        "acked": end["acked"],
        "failed": end["failed"],
        "delivered": counts["delivered"],
        "duplicated": counts["duplicated"],
        "lost": lost,
        "verdict": "broken" if broken else "kept" if case.guarantee != "none" else "none",
    }


def main() -> int:
    """Parse the command line, run the cases, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=200)
    parser.add_argument("--interval-ms", type=int, default=10)
    parser.add_argument("--loss", type=float, nargs="+", default=[0.0, 1.0, 5.0])
    parser.add_argument("--only", nargs="+", choices=[case.name for case in CASES])
    parser.add_argument("--host", type=Path, default=_HOST)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pcap", type=Path, help="folder for one capture a case")
    args = parser.parse_args()
    if not args.host.exists():
        print(f"thinwire: error: {args.host}: missing; build firmware/boards/host", file=sys.stderr)
        return 2
    writer = csv.DictWriter(sys.stdout, FIELDS)
    writer.writeheader()
    broken = False
    for case in CASES:
        if args.only and case.name not in args.only:
            continue
        for loss in args.loss:
            row = run_case(case, loss, args)
            writer.writerow(row)
            sys.stdout.flush()
            broken |= row["verdict"] == "broken"
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
