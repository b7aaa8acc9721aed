"""What a debugger's session does beside a running machine: wait for its board, and serve it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

from hil.machine.uml import marks
from hil.machine.uml.probe import session_processes

SEARCH_S = 0.02


@contextlib.contextmanager
def served(over: threading.Event, serve: Callable[[], None]) -> Iterator[None]:
    """Run `serve` in a thread during the block, which is the machine's life; then set `over`."""
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def find(machine: int, magic: int, alignment: int, over: threading.Event) -> tuple[int, int] | None:
    """Return the first process of the machine that has left a mark, and the mark's address (see
    marks.find); None if `over` is set before."""
    while not over.wait(SEARCH_S):
        for pid in session_processes(machine):
            if address := marks.find(pid, magic, alignment):
                return pid, address
    return None
