"""The process of a load: several clients, whose starts are spread over time by a random seed."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

from hil.design import addressing, samples
from hil.design.facts import Facts
from hil.peers import asyncserver
from hil.peers.client import LoadClient, Task
from hil.peers.load import DONE, LOG, READY
from hil.peers.log import Log

_POLL_S = 0.05
_SETTLE_S = 0.5
# Subscribers start within this time, whatever the interval.
_JOIN_S = 0.5


def offsets(count: int, spread_s: float, seed: int) -> list[float]:
    """Draw the start of each client, s: uniform over `spread_s`."""
    source = random.Random(f"load/{seed}")
    return [source.uniform(0, spread_s) for _ in range(count)]


async def run(
    kind: type[LoadClient],
    task: Task,
    count: int,
    seed: int,
    log: Log,
    *,
    folder: Path | None = None,
    spread_s: float | None = None,
) -> None:
    """Run `count` clients until cancelled.

    Clients that send messages start within `spread_s`, by default the task's interval. In `folder`
    the file `load.ready` appears once all have begun, and `load.done` once all have sent their
    messages and received the answers.
    """
    clients = [kind(f"c{number:03}", task, log) for number in range(1, count + 1)]
    loop = asyncio.get_running_loop()
    try:
        if kind.paced and folder:
            await asyncio.sleep(_SETTLE_S)  # the device may still be subscribing
        if not kind.paced:
            spread_s = _JOIN_S
        elif spread_s is None:
            spread_s = task.interval_s
        for client, offset in zip(clients, offsets(count, spread_s, seed), strict=True):
            loop.call_later(offset, client.begin)
        for name in (READY, DONE) if folder else ():
            while not all(client.ready if name == READY else client.done for client in clients):
                await asyncio.sleep(_POLL_S)
            (folder / name).touch()  # type: ignore[operator]
        await loop.create_future()
    finally:
        for client in clients:
            client.give_up()
            client.end()


def _task(facts: Facts, seed: int) -> Task:
    """Make the task of a trial's clients. Their peer is the broker, the server or the device."""
    protocol = facts.protocol
    server = facts.server
    there = addressing.BOARD_IP if facts.role == "serve" else addressing.SERVER_IP
    lead_ms = facts.after_publish_ms
    pauses_ms = samples.sample_ms(samples.THINK_TIMES, facts.think_time)
    return Task(
        "127.0.0.1" if server.broker_port else there,
        server.broker_port or server.port,
        addressing.BOARD_QUEUE if protocol == "amqp" else facts.topic,
        facts.interval_ms / 1000 + facts.overrun_us / 1e6,
        facts.payload_bytes,
        facts.messages,
        max(facts.qos, 0),
        facts.confirmable,
        facts.keep_alive,
        facts.socket_each,
        tuple(ms / 1000 for ms in pauses_ms),
        seed,
        f"{facts.topic}/out" if facts.publish_ms else "",
        None if lead_ms is None else lead_ms / 1000,
        facts.empty_answers,
        facts.last_numbers,
    )


def work(kind: type[LoadClient], facts: Facts, seed: int, folder: Path) -> None:
    """Run the load of a trial until SIGTERM, then write its log."""
    spread_ms = facts.start_spread_ms
    spread_s = None if spread_ms is None else spread_ms / 1000
    log, task = Log("load", folder / LOG), _task(facts, seed)
    load = run(kind, task, facts.clients, seed, log, folder=folder, spread_s=spread_s)
    asyncio.run(asyncserver.cancel_at_sigterm(load))
    log.write()
