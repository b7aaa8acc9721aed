"""Support for the tests of loads: a task, a load that runs for some time, what it logged."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from pathlib import Path
from typing import Any

from hil.peers import generator
from hil.peers.client import LoadClient, Task
from hil.peers.log import Log
from hil.tests.support import peers

INTERVAL_S = 0.05
Lines = list[dict[str, Any]]


def task(port: int, **more: Any) -> Task:
    words = {"topic": "tw/data", "interval_s": INTERVAL_S, "payload_bytes": 30, **more}
    return Task("127.0.0.1", port, **words)


async def load(
    folder: Path,
    kind: type[LoadClient],
    what: Task,
    count: int,
    seconds: float,
    *,
    spread_s: float | None = None,
) -> Lines:
    """Run a load for some time; its log."""
    log = Log("load", folder / "load")
    with contextlib.suppress(TimeoutError):
        running = generator.run(kind, what, count, 1, log, spread_s=spread_s)
        await asyncio.wait_for(running, seconds)
    return peers.written(log, folder / "load")


def events(lines: Lines) -> Counter[str]:
    return Counter(line["ev"] for line in lines)
