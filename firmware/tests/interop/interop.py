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
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import brokers
from cases import CASES, Case
from counting import Count
from lossy_link import SERVER_ADDRESS, LossyLink

_HERE = Path(__file__).resolve().parent
_HOST = _HERE.parents[2] / "build/firmware/host/thinwire-host"
_LIMIT_S = 3600
_SETTLE_S = 1.0  # what the board sent last may still be between broker and subscriber
_RECEIVE_SETTLE_S = 5.0  # longer than the retransmission timers in use


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


def _start_board(
    link: LossyLink, case: Case, args: argparse.Namespace, more: str
) -> subprocess.Popen[str]:
    words = f"nonce=0 id=board1 {case.config} peer={SERVER_ADDRESS} seed=7 {more}"
    return subprocess.Popen(
        link.command(link.device, [str(args.host), *words.split()]),
        stdout=subprocess.PIPE,
        text=True,
    )


def _send(
    link: LossyLink, case: Case, args: argparse.Namespace, peers: list[Peer]
) -> tuple[dict[str, int], dict[str, int]]:
    """The board publishes, the first peer counts."""
    schedule = f"messages={args.messages} interval_ms={args.interval_ms} start_ms=200"
    board = _start_board(link, case, args, f"{schedule} drain_ms=120000")
    output, _ = board.communicate(timeout=_LIMIT_S)
    lines = output.splitlines()
    for line in [line for line in lines if '"ev":"failed"' in line][:3]:
        print(f"{case.name}: {line}", file=sys.stderr)
    time.sleep(_SETTLE_S)
    return json.loads(lines[-1]), peers[0].stop()


def _receive(
    link: LossyLink, case: Case, args: argparse.Namespace, peers: list[Peer]
) -> tuple[dict[str, int], dict[str, int]]:
    """A sender sends once the board is connected; the board's log counts."""
    del peers
    command = [sys.executable, str(_HERE / "senders.py"), case.sender, str(args.messages)]
    sender = None
    if case.sender == "websocket":  # the server comes first
        sender = subprocess.Popen(link.command(link.server, command))
        time.sleep(_SETTLE_S)
    board = _start_board(link, case, args, "duration_ms=3600000 interval_ms=3600000")
    ready = "up" if "role=serve" in case.config else "connected"
    while f'"ev":"{ready}"' not in board.stdout.readline():
        pass
    time.sleep(_SETTLE_S)
    sender = sender or subprocess.Popen(link.command(link.server, command))
    count = Count()
    finder = threading.Thread(target=_count_log, args=(board, count), daemon=True)
    finder.start()
    sender.wait(timeout=_LIMIT_S)
    settled = -1
    while settled != sum(count.seen.values()):  # until nothing more has come for a while
        settled = sum(count.seen.values())
        time.sleep(_RECEIVE_SETTLE_S)
    board.kill()
    finder.join()
    return {"sent": args.messages, "acked": 0, "failed": 0}, count.summary()


def _count_log(board: subprocess.Popen[str], count: Count) -> None:
    for line in board.stdout:
        event = json.loads(line)
        if event["ev"] == "received":
            count.add_sequence(event.get("seq"))


def run_case(case: Case, loss: float, args: argparse.Namespace) -> dict[str, object]:
    """Run one case; return its CSV row."""
    pcap = args.pcap / f"{case.name}-{loss:g}.pcap" if args.pcap else None
    lossy = LossyLink(loss / 100, seed=args.seed, pcap=pcap)
    with tempfile.TemporaryDirectory() as folder, lossy as link:
        broker = brokers.START[case.broker](link, folder) if case.broker else None
        peers: list[Peer] = []
        try:
            for words in case.peers:
                peers.append(Peer(link, words))
            run = _receive if case.sender else _send
            end, counts = run(link, case, args, peers)
        finally:
            for peer in peers:
                peer.process.kill()
            if broker:
                brokers.stop(broker)
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
