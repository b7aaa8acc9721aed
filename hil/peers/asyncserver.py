"""Base of the asyncio servers: a process that listens, and writes its log on SIGTERM."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import signal
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from hil.design.facts import Facts
from hil.peers import base, terminator
from hil.peers.log import Log
from hil.system import processes

Listen = Callable[[Log], Awaitable[object]]


async def cancel_at_sigterm(work: Coroutine[Any, Any, None]) -> None:
    """Run `work` until SIGTERM cancels it.

    A signal handler that raises works only while the loop is idle, because asyncio swallows
    exceptions of callbacks.
    """
    task = asyncio.ensure_future(work)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def _main(listen: Listen, log: Log, ready: Path) -> None:
    kept = await listen(log)
    ready.touch()
    await asyncio.get_running_loop().create_future()
    del kept  # kept until here, so that sockets are not garbage-collected


def serve(
    name: str,
    listen: Listen,
    file: Path,
    ready: Path,
    times_ns: Sequence[int] = (),
    *,
    at_once: bool = False,
) -> None:
    """Listen until SIGTERM, then write the log. `times_ns`, `at_once`: see `Log`."""
    log = Log(name, file, times_ns, at_once=at_once)
    if times_ns:
        processes.wake_in_time()
    asyncio.run(cancel_at_sigterm(_main(listen, log, ready)))
    log.write()


class AsyncServer(base.Server):
    """A server in one asyncio process, with a TLS or DTLS terminator in front of it if the trial's
    `device` needs one."""

    @abstractmethod
    async def listen(self, log: Log) -> object:
        """Bind the sockets; the returned object is kept while the server runs."""

    device: Facts | None = None

    def use(self, facts: Facts) -> None:
        self.device = facts
        if self._will_be_killed():  # it runs already, and would lose what it has logged
            self.stop()
            self.children.clear()
            self.start_front()
        terminator.start(self, facts)

    def _will_be_killed(self) -> bool:
        faults = self.device.faults if self.device else ()
        return any(fault["kind"] == "server_kill" for fault in faults)

    def start(self) -> None:
        self.start_front()
        terminator.start(self, self.device)

    def start_front(self) -> None:
        ready = self.folder / f"{self.name}.ready"
        ready.unlink(missing_ok=True)
        child = processes.fork(
            f"the {self.name} server",
            functools.partial(
                serve,
                self.name,
                self.listen,
                self.log,
                ready,
                self.times_ns,
                at_once=self._will_be_killed(),
            ),
            self.namespace,
            self.folder / f"{self.name}.out",
        )
        self.children.append(child)
        child.wait_for(ready.exists)
