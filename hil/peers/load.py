"""The load of a trial, seen from the rig: when it starts, whether it lives, when it is over."""

from __future__ import annotations

import functools
from importlib import import_module
from pathlib import Path

from hil.base.errors import TrialError
from hil.design.facts import Facts
from hil.peers import CLIENTS
from hil.system import processes

# What the load's process does; a trial without one pays for no asyncio.
GENERATOR = "hil.peers.generator"
LOG, READY, DONE = "load.jsonl", "load.ready", "load.done"


class Load:
    """The load of one trial, if it has one: started when the device can take it.

    Attributes:
        log: its lines, after `stop`; their server is "load".
        waits: it is still to start.
    """

    def __init__(self, namespace: str, folder: Path, facts: Facts, seed: int) -> None:
        self.log = folder / LOG
        self._namespace, self._folder = namespace, folder
        self._facts, self._seed = facts, seed
        self._role = facts.role
        self.waits = bool(facts.clients)
        self._child: processes.Child | None = None

    def before_board(self) -> None:
        """Subscribers join before the device begins.

        Raises:
            TrialError: no client exists for this protocol and role, or they cannot join.
        """
        if self.waits and self._role == "publish":
            self._start().wait_for((self._folder / READY).exists)

    def notice(self, board_log: bytes) -> None:
        """Look at new lines of the board's log; others start once the device can be spoken to."""
        event = b"up" if self._role == "serve" else b"connected"
        if self.waits and b'"ev":"' + event + b'"' in board_log:
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
