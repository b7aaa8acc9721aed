"""The trials of `thinwire hunt`: run in several machines at once, and measured by R."""

from __future__ import annotations

import dataclasses
import json
import shutil
import threading
from array import array
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hil.base.errors import InputError, LabError
from hil.bundle import store
from hil.commands.hunt_session import Sessions
from hil.design import board_rules
from hil.design.facts import Facts
from hil.design.parameters import effective
from hil.design.schedules import Schedule, text
from hil.design.shrinking import Case
from hil.design.tryfile import TryFile
from hil.rig.boards import emulators
from hil.testbeds import runner
from hil.testbeds.base import Testbed


@dataclass(frozen=True)
class Examined:
    """A trial that has run and was measured.

    Attributes:
        outcome: of the trial; empty if the laboratory failed.
        digest: of the bundle; two trials with the same one have the same bytes.
        rows: of each expectation `value` (absent where not measured), `unit`, `holds`, `reason`.
        features: what the trial has covered, by its packets and logs.
        executed: the addresses of the instructions that the device has executed; empty of a device
            that does not count them.
        packets: `packet`, `from` and `count` of each kind of packet.
        arrived_s: first and last message at the server's application, s since 1970; none if there
            was none.
        over_s: when the last fault was over, s since 1970; None if one was not.
        lab_failure: why the laboratory failed, or the analysis; else empty.
    """

    case: Case
    outcome: str = ""
    reason: str = ""
    digest: str = ""
    rows: tuple[dict[str, Any], ...] = ()
    features: tuple[str, ...] = ()
    executed: array[int] = field(default_factory=lambda: emulators.executed(b""))
    packets: tuple[dict[str, Any], ...] = ()
    versions: dict[str, Any] = field(default_factory=dict)
    arrived_s: tuple[float, ...] = ()
    over_s: float | None = None
    lab_failure: str = ""


def _times(file: Path) -> tuple[tuple[float, ...], float | None]:
    """Return from a server's log `arrived_s` and `over_s` of its trial."""
    begun: dict[int, bool] = {}
    arrived: list[float] = []
    over_s = float("-inf")
    for line in file.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["ev"] == "received":
            arrived.append(event["t"])
        elif event["ev"] == "fault":
            begun[event["number"]] = False
        elif event["ev"] == "fault_over":
            begun[event["number"]] = True
            over_s = max(over_s, event["t"])
    ends = (min(arrived), max(arrived)) if arrived else ()
    return ends, over_s if all(begun.values()) else None


def trial_of(tried: TryFile, case: Case) -> TryFile:
    """Return the file with the faults and the duration of a case, and one seed.

    Raises:
        InputError: the trial cannot have them.
    """
    given = {key: value for key, value in tried.parameters.items() if key != "faults"}
    given["duration_s"] = case.duration_s
    if case.faults:
        given["faults"] = case.faults
    found = effective(given, tried.path)
    board_rules.check(Facts.of(found), tried.board, tried.path)
    return dataclasses.replace(tried, parameters=found, seeds=tried.seeds[:1])


class Laboratory:
    """Runs cases, `jobs` at once. A case that was run before is not run again."""

    def __init__(
        self,
        tried: TryFile,
        testbed: Testbed,
        packages: dict[str, Path],
        *,
        sessions: Sessions,
        aside: Path,
        jobs: int,
        timeout_s: float | None = None,
    ) -> None:
        """`aside`: a folder for bundles that are not kept."""
        self.tried, self.jobs = tried, jobs
        self._testbed, self._packages, self._sessions = testbed, packages, sessions
        self._aside, self._timeout_s = aside, timeout_s
        self._pool = ThreadPoolExecutor(jobs)
        self._known: dict[str, Future[Examined]] = {}
        self._lock = threading.Lock()
        self._count = 0

    def possible(self, case: Case) -> bool:
        """Return whether a trial can have the faults and the duration of a case."""
        try:
            trial_of(self.tried, case)
        except InputError:
            return False
        return True

    def valid(self, schedule: Schedule) -> bool:
        """Return whether a trial can have these faults."""
        return self.possible(Case(schedule, int(self.tried.parameters["duration_s"])))

    def begin(
        self, case: Case, until: float | None = None, *, again: bool = False
    ) -> Future[Examined]:
        """Start a case, or return its earlier run unless `again`."""
        key = f"{case.duration_s} {text(case.faults)}"
        if again or key not in self._known:
            started = self._pool.submit(self._examine, case, until)
            if again:
                return started
            self._known[key] = started
        return self._known[key]

    def forget(self, case: Case) -> None:
        """Free the memory of a case."""
        self._known.pop(f"{case.duration_s} {text(case.faults)}", None)

    def first(self, cases: Sequence[Case], fails: Any) -> int | None:
        """Return the number of the first case for which `fails(Examined)` holds; None without one.
        As many as fit run at once; the answer does not depend on that."""
        at = 0
        while at < len(cases):
            chunk = cases[at : at + self.jobs]
            started = [self.begin(case) for case in chunk]
            for number, one in enumerate(started):
                if fails(one.result()):
                    return at + number
            at += len(chunk)
        return None

    def _examine(self, case: Case, until: float | None) -> Examined:
        with self._lock:
            self._count += 1
            folder = self._aside / f"{self._count}"
        try:
            return self.run(case, folder, until)
        except LabError as error:
            return Examined(case, lab_failure=str(error))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def run(self, case: Case, out: Path, until: float | None = None) -> Examined:
        """Run a case, and keep its bundle in out/try/NAME.

        Raises:
            LabError: the laboratory or the analysis failed.
            InputError: a tool is missing, or the bundle cannot be written.
        """
        (trial,) = trial_of(self.tried, case).trials()
        done = runner.run(trial, self._testbed, out, self._timeout_s, **self._packages)
        answer = self._sessions.measure(done.folder, until)
        arrived_s, over_s = _times(done.folder / "server.jsonl")
        lab = json.loads((done.folder / "lab.json").read_text(encoding="utf-8"))
        return Examined(
            case,
            done.outcome,
            done.reason,
            store.file_digest(done.folder / store.SUMS),
            tuple(answer["rows"]),
            tuple(answer["features"]),
            emulators.executed(done.coverage),
            tuple(answer["packets"]),
            lab["versions"],
            arrived_s,
            over_s,
        )

    def close(self) -> None:
        """End: trials that have not begun are dropped, others are waited for."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._sessions.close()
