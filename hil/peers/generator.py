"""A load: some clients in one process, their starts spread over some time by a seed."""

from __future__ import annotations

import asyncio
import functools
import random
from pathlib import Path
from typing import Any

from hil.design import loops, plan
from hil.errors import TrialError
from hil.peers import CLIENTS, asyncserver, think
from hil.peers.client import LoadClient, Task
from hil.peers.log import Log
from hil.system import processes

LOG, READY, DONE = "load.jsonl", "load.ready", "load.done"
_POLL_S = 0.05
_SETTLE_S = 0.5
# Subscribers join within this time, whatever the interval.
_JOIN_S = 0.5


def offsets(count: int, spread_s: float, seed: int) -> list[float]:
    """When each client starts, in seconds: uniform over this time."""
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
    """Run `count` clients until this is cancelled; those that make messages start within
    `spread_s`, which is the task's interval where it is not given.

    In `folder` it makes the file `load.ready` once all have begun, `load.done` once all have made
    their messages and had the answers.
    """
    clients = [kind(f"c{number:03}", task, log) for number in range(1, count + 1)]
    loop = asyncio.get_running_loop()
    try:
        if kind.paced and folder:
            await asyncio.sleep(_SETTLE_S)  # the device's subscription may still be under way
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


def work(
    kind: type[LoadClient], task: Task, count: int, spread_s: float | None, folder: Path
) -> None:
    """Run a load until SIGTERM, then write its log."""
    log = Log("load", folder / LOG)
    load = run(kind, task, count, task.seed, log, folder=folder, spread_s=spread_s)
    asyncio.run(asyncserver.cancel_at_sigterm(load))
    log.write()


class Load:
    """The load of one trial, if it has one: started when the device can take it.

    Attributes:
        log: its lines, after `stop`; their server is "load".
    """

    def __init__(self, namespace: str, folder: Path, parameters: dict[str, Any], seed: int) -> None:
        self.log = folder / LOG
        self._namespace, self._folder = namespace, folder
        self._parameters, self._seed = parameters, seed
        self._role = parameters["role"]
        self._waits = bool(parameters["clients"])
        self._child: processes.Child | None = None

    def before_board(self) -> None:
        """Subscribers join before the device begins.

        Raises:
            TrialError: no client exists for this protocol and role, or they cannot join.
        """
        if self._waits and self._role == "publish":
            self._start().wait_for((self._folder / READY).exists)

    def notice(self, board_log: bytes) -> None:
        """Look at new lines of the board's log; others start once the device can be spoken to."""
        event = b"up" if self._role == "serve" else b"connected"
        if self._waits and b'"ev":"' + event + b'"' in board_log:
            self._start()

    def _start(self) -> processes.Child:
        protocol = self._parameters["protocol"]
        load = loops.load(self._parameters)
        kind = CLIENTS.get((protocol, load))
        if kind is None:
            raise TrialError(f"there is no load for protocol '{protocol}' with role '{load}'")
        spread_ms = self._parameters.get("start_spread_ms")
        arguments = (
            kind,
            _task(self._parameters, self._seed),
            self._parameters["clients"],
            None if spread_ms is None else spread_ms / 1000,
        )
        self._waits = False
        self._child = processes.fork(
            "the load",
            functools.partial(work, *arguments, self._folder),
            self._namespace,
            self._folder / "load.out",
        )
        return self._child

    @property
    def over(self) -> bool:
        """The load leads, and all its messages are made and answered: the trial is over."""
        return self._role != "publish" and (self._folder / DONE).exists()

    def problem(self) -> str:
        """Why the load died, or an empty text."""
        if self._child is None or self._child.alive():
            return ""
        return f"the load died with status {self._child.status}: {self._child.last_words()}"

    def stop(self) -> None:
        """Stop the clients; their log is written. TrialError if it is not complete."""
        if self._child:
            self._child.finish()


def _task(parameters: dict[str, Any], seed: int) -> Task:
    """What the clients of a trial do: they speak to the broker or the server, or to the device that
    serves."""
    protocol = parameters["protocol"]
    server = plan.server(parameters)
    there = plan.BOARD_IP if parameters["role"] == "serve" else plan.SERVER_IP
    lead_ms = parameters.get("after_publish_ms")
    return Task(
        "127.0.0.1" if server.broker_port else there,
        server.broker_port or server.port,
        plan.BOARD_QUEUE if protocol == "amqp" else plan.TOPIC,
        parameters["interval_ms"] / 1000 + parameters.get("overrun_us", 0) / 1e6,
        parameters["payload_bytes"],
        parameters["messages"],
        max(parameters.get("qos", 0), 0),
        parameters.get("confirmable", True),
        parameters.get("keep_alive", True),
        parameters.get("socket_each", False),
        think.SAMPLES_S[parameters.get("think_time", think.FIXED)],
        seed,
        f"{plan.TOPIC}/out" if parameters.get("publish_ms") else "",
        None if lead_ms is None else lead_ms / 1000,
        parameters.get("empty_answers", False),
        loops.last_numbers(parameters),
    )
