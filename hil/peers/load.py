"""The load of a trial as the rig sees it: when it starts, whether it runs, when it is done."""

from __future__ import annotations

import functools
import time
from importlib import import_module
from pathlib import Path

from hil.base.errors import TrialError
from hil.design.facts import Facts
from hil.peers import CLIENTS
from hil.system import processes

# The module of the load's process, imported late: a trial without a load needs no asyncio.
GENERATOR = "hil.peers.generator"
# A load that needs a foreign device starts so long after it.
_FOREIGN_S = 1.0
LOG, READY, DONE = "load.jsonl", "load.ready", "load.done"


class Load:
    """The load of a trial, which starts once the device is ready for it.

    Attributes:
        log: the path of its log, complete after `stop`; its lines have the server "load".
        waits: whether it is still to start.
    """

    def __init__(self, namespace: str, folder: Path, facts: Facts, seed: int) -> None:
        self.log = folder / LOG
        self._namespace, self._folder = namespace, folder
        self._facts, self._seed = facts, seed
        self._role = facts.role
        self.waits = bool(facts.clients)
        self._due_s: float | None = None
        self._child: processes.Child | None = None

    def before_board(self) -> None:
        """Start subscribers, and wait until they have joined.

        Raises:
            TrialError: no client exists for this protocol and role, or they cannot join.
        """
        if self.waits and self._role == "publish":
            self._start().wait_for((self._folder / READY).exists)

    def notice(self, board_log: bytes) -> None:
        """Start a load that needs the device, once new lines of the board's log show it ready."""
        event = b"up" if self._role == "serve" or self._facts.foreign else b"connected"
        if self.waits and b'"ev":"' + event + b'"' in board_log:
            if self._facts.foreign:  # it does not log when it is ready
                self._due_s = time.monotonic() + _FOREIGN_S
            else:
                self._start()

    def start_if_due(self) -> None:
        """Start a load that waits for its time."""
        if self.waits and self._due_s is not None and time.monotonic() >= self._due_s:
            self._start()

    def _start(self) -> processes.Child:
        protocol = self._facts.protocol
        load = self._facts.load
        kind = CLIENTS.get((protocol, load))
        if kind is None:
            raise TrialError(f"there is no load for protocol '{protocol}' with role '{load}'")
        self.waits = False
        work = import_module(GENERATOR).work
        self._child = processes.fork(
            "the load",
            functools.partial(work, kind, self._facts, self._seed, self._folder),
            self._namespace,
            self._folder / "load.out",
        )
        return self._child

    @property
    def done(self) -> bool:
        """Whether the load decides the end of the trial, and has all answers."""
        return self._role != "publish" and (self._folder / DONE).exists()

    def problem(self) -> str:
        """Return why the load died; an empty text if it did not."""
        if self._child is None or self._child.alive():
            return ""
        return f"the load died with status {self._child.status}: {self._child.last_words()}"

    def stop(self) -> None:
        """Stop the clients, which write their log.

        Raises:
            TrialError: the log is incomplete.
        """
        if self._child:
            self._child.finish()
