"""One interoperability trial: the host board, its peers, a link between them, and the counts."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import brokers
from cases import Case
from counting import Count
from lossy_link import SERVER_ADDRESS, LossyLink

_HERE = Path(__file__).resolve().parent
_LIMIT_S = 3600
_SETTLE_S = 1.0  # what the board sent last may still be between broker and subscriber
_RECEIVE_SETTLE_S = 5.0  # longer than the least retransmission timers in use
# What a device's TCP sends is repeated after 1 to 3 s, then after 6, 12, ... (lwIP's tcp_backoff):
# while it waits, nothing comes to a receiver at QoS 2.
_RECEIVE_PAUSE_S = 30.0

KEY = ("case", "messages", "loss_pct", "duplication_pct", "reordering_pct")
FIELDS = (*KEY, "sent", "acked", "failed", "delivered", "duplicated", "lost", "verdict")


@dataclass(frozen=True)
class Settings:
    """What all cases of a run share."""

    messages: int
    interval_ms: int
    host: Path
    seed: int
    pcap: Path | None

    def of(self, case: Case) -> tuple[int, int]:
        """Return how many messages a case has, and the time between two of them, ms."""
        messages = min(self.messages, case.messages or self.messages)
        return messages, max(self.interval_ms, case.interval_ms)


@dataclass(frozen=True)
class Link:
    """What the link does to a packet, each way, in percent."""

    loss: float
    duplication: float
    reordering: float

    def key(self, case: Case, settings: Settings) -> tuple[str, ...]:
        """Return the values of KEY."""
        percents = (self.loss, self.duplication, self.reordering)
        return case.name, str(settings.of(case)[0]), *(f"{percent:g}" for percent in percents)

    def open(self, case: Case, settings: Settings) -> LossyLink:
        """Return the link; it exists while it is entered."""
        name = "-".join((case.name, *self.key(case, settings)[2:]))
        return LossyLink(
            self.loss / 100,
            self.duplication / 100,
            self.reordering / 100,
            seed=settings.seed,
            pcap=settings.pcap / f"{name}.pcap" if settings.pcap else None,
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
    link: LossyLink, case: Case, settings: Settings, more: str
) -> subprocess.Popen[str]:
    words = f"nonce=0 id=board1 {case.config} peer={SERVER_ADDRESS} seed=7 {more}"
    return subprocess.Popen(
        link.command(link.device, [str(settings.host), *words.split()]),
        stdout=subprocess.PIPE,
        text=True,
    )


def _send(
    link: LossyLink, case: Case, settings: Settings, peers: list[Peer]
) -> tuple[dict[str, int], dict[str, int]]:
    """The board publishes, the first peer counts."""
    messages, interval_ms = settings.of(case)
    schedule = f"messages={messages} interval_ms={interval_ms} start_ms=200"
    board = _start_board(link, case, settings, f"{schedule} drain_ms={_LIMIT_S * 1000}")
    try:
        output, _ = board.communicate(timeout=_LIMIT_S)
    finally:
        board.kill()
    lines = output.splitlines()
    for line in [line for line in lines if '"ev":"failed"' in line][:3]:
        print(f"{case.name}: {line}", file=sys.stderr)
    time.sleep(_SETTLE_S)
    return json.loads(lines[-1]), peers[0].stop()


def _receive(
    link: LossyLink, case: Case, settings: Settings, peers: list[Peer]
) -> tuple[dict[str, int], dict[str, int]]:
    """A sender sends once the board is connected; the board's log counts."""
    del peers
    messages, interval_ms = settings.of(case)
    schedule = (str(messages), str(interval_ms))
    command = [sys.executable, str(_HERE / "senders.py"), case.sender, *schedule]
    sender = None
    if "proto=websocket" in case.config:  # the server comes first
        sender = subprocess.Popen(link.command(link.server, command))
        time.sleep(_SETTLE_S)
    board = _start_board(link, case, settings, "duration_ms=3600000 interval_ms=3600000")
    try:
        ready = "up" if "role=serve" in case.config else "connected"
        while f'"ev":"{ready}"' not in board.stdout.readline():
            pass
        time.sleep(_SETTLE_S)
        sender = sender or subprocess.Popen(link.command(link.server, command))
        count = Count()
        finder = threading.Thread(target=_count_log, args=(board, count), daemon=True)
        finder.start()
        sender.wait(timeout=_LIMIT_S)
        _await_rest(count, messages if case.guarantee != "none" else 0)
    finally:
        board.kill()
    finder.join()
    return {"sent": messages, "acked": 0, "failed": 0}, count.summary()


def _await_rest(count: Count, promised: int) -> None:
    """Wait until nothing more has come for a while, a longer one if not all did that must."""
    came, since = -1, time.monotonic()
    while True:
        time.sleep(0.5)
        if came != (now := sum(count.seen.values())):
            came, since = now, time.monotonic()
        pause_s = _RECEIVE_SETTLE_S if len(count.seen) >= promised else _RECEIVE_PAUSE_S
        if time.monotonic() - since >= pause_s:
            return


def _count_log(board: subprocess.Popen[str], count: Count) -> None:
    for line in board.stdout:
        event = json.loads(line)
        if event["ev"] == "received":
            count.add_sequence(event.get("seq"))


def _restart(broker: brokers.Broker, case: Case, settings: Settings) -> None:
    """Restart the broker while the messages are sent, at equal distances."""
    messages, interval_ms = settings.of(case)
    for _ in range(case.restarts):
        time.sleep(messages * interval_ms / 1000 / (case.restarts + 1))
        broker.restart()


def run_case(case: Case, link: Link, settings: Settings) -> dict[str, object]:
    """Run one case over one link; return its CSV row."""
    with tempfile.TemporaryDirectory() as folder, link.open(case, settings) as lossy:
        kind, *options = case.broker.split() or [""]
        broker = brokers.START[kind](lossy, folder, *options) if kind else None
        peers: list[Peer] = []
        try:
            for words in case.peers:
                peers.append(Peer(lossy, words))
            run = _receive if case.sender else _send
            with ThreadPoolExecutor() as pool:
                restarts = pool.submit(_restart, broker, case, settings) if case.restarts else None
                end, counts = run(lossy, case, settings, peers)
            if restarts:
                restarts.result()
        finally:
            for peer in peers:
                peer.process.kill()
            if broker:
                broker.stop()
    counts["lost"] = settings.of(case)[0] - counts["delivered"]
    verdict = case.verdict(not link.reordering, counts)
    if counts["foreign"]:
        verdict = "broken"
    row = {**dict(zip(KEY, link.key(case, settings), strict=True)), **end, **counts}
    return {field: row[field] for field in FIELDS[:-1]} | {"verdict": verdict}
