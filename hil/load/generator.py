"""A load: some clients in one process, their starts spread over the first interval by a seed."""

from __future__ import annotations

import asyncio
import functools
import random
from pathlib import Path

from hil.errors import TrialError
from hil.load import coap, http, mqtt
from hil.load.client import Client, Task
from hil.servers import base
from hil.testbeds import processes

# Protocol and role of the device -> what the load's clients are.
CLIENTS: dict[tuple[str, str], type[Client]] = {
    ("mqtt", "publish"): mqtt.Subscriber,
    ("mqtt", "subscribe"): mqtt.Publisher,
    ("mqtt", "echo"): mqtt.Publisher,
    ("mqttsn", "publish"): mqtt.Subscriber,
    ("mqttsn", "subscribe"): mqtt.Publisher,
    ("mqttsn", "echo"): mqtt.Publisher,
    ("coap", "serve"): coap.Requester,
    ("http", "serve"): http.Requester,
}


def offsets(count: int, interval_s: float, seed: int) -> list[float]:
    """When each client starts, in seconds: uniform over one interval."""
    source = random.Random(f"load/{seed}")
    return [source.uniform(0, interval_s) for _ in range(count)]


async def run(kind: type[Client], task: Task, count: int, seed: int, log: base.Log) -> None:
    """Run `count` clients until this is cancelled."""
    clients = [kind(f"c{number:03}", task, log) for number in range(1, count + 1)]
    loop = asyncio.get_running_loop()
    for client, offset in zip(clients, offsets(count, task.interval_s, seed), strict=True):
        loop.call_later(offset, client.begin)
    await loop.create_future()


def work(kind: type[Client], task: Task, count: int, seed: int, file: Path) -> None:
    """Run a load until SIGTERM, then write its log."""
    log = base.Log("load", file)
    base.stop_on_sigterm()
    try:
        asyncio.run(run(kind, task, count, seed, log))
    except base.Stop:
        log.write()


class Load:
    """The load of one trial: `start` while the device is ready for it, `stop` after its run.

    Attributes:
        log: its lines, after `stop`; their server is "load".
    """

    def __init__(self, namespace: str, folder: Path) -> None:
        self.log = folder / "load.jsonl"
        self._namespace, self._output = namespace, folder / "load.out"
        self._child: processes.Child | None = None

    def start(self, protocol: str, role: str, task: Task, count: int, seed: int) -> None:
        """Start the clients.

        Raises:
            TrialError: no client exists for this protocol and role.
        """
        kind = CLIENTS.get((protocol, role))
        if kind is None:
            raise TrialError(f"there is no load for protocol '{protocol}' with role '{role}'")
        self._child = processes.fork(
            "the load", functools.partial(work, kind, task, count, seed, self.log),
            self._namespace, self._output,
        )  # fmt: skip

    def problem(self) -> str:
        """Why the load died, or an empty text."""
        if self._child is None or self._child.alive():
            return ""
        return f"the load died with status {self._child.status}: {self._child.last_words()}"

    def stop(self) -> None:
        """Stop the clients; their log is written."""
        if self._child:
            self._child.stop()
