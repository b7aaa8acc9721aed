"""Sessions of R that measure the bundles of `thinwire hunt`, one after the other (hunt.R)."""

from __future__ import annotations

import contextlib
import csv
import json
import subprocess
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hil.base.errors import LabError
from hil.base.paths import ROOT
from hil.commands import analysis
from hil.design.expectations import Expectation
from hil.system import tools

SCRIPT = ROOT / "workflow" / "scripts" / "hunt.R"


def write_expectations(expectations: Iterable[Expectation], file: Path) -> None:
    """Write expectations as the table that the analysis reads."""
    with file.open("w", encoding="utf-8", newline="") as target:
        rows = csv.writer(target, lineterminator="\n")
        rows.writerow(("metric", "operator", "limit", "unit"))
        for one in expectations:
            rows.writerow((one.metric, one.operator, repr(one.limit), one.unit))


class _Session:
    """One process of R, which ends when its input does."""

    def __init__(self, errors: Path) -> None:
        self._errors = errors
        with errors.open("wb") as said:
            self.process = subprocess.Popen(
                [analysis.rscript(), SCRIPT],
                env=tools.r_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
            )

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        if line := self.process.stdout.readline():
            return dict(json.loads(line))
        self.process.wait()
        said = self._errors.read_text(encoding="utf-8", errors="replace").strip()
        raise LabError(f"the analysis failed: {said[-2000:]}")

    def close(self) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait()


class Sessions:
    """A session for each thread that asks. Close them at the end."""

    def __init__(self, folder: Path, expectations: Iterable[Expectation]) -> None:
        """`folder`: for what the sessions read and print."""
        self._folder, self._table = folder, folder / "expectations.csv"
        write_expectations(expectations, self._table)
        self._own = threading.local()
        self._lock = threading.Lock()
        self._all: list[_Session] = []

    def measure(self, bundle: Path, until: float | None = None) -> dict[str, Any]:
        """Return what hunt.R answers about a bundle.

        Args:
            until: up to when packets are counted, s since 1970.

        Raises:
            LabError: the analysis failed. The next request gets a new session.
        """
        session = getattr(self._own, "session", None)
        if session is None:
            with self._lock:
                session = _Session(self._folder / f"session{len(self._all)}.txt")
                self._all.append(session)
            self._own.session = session
        request = {"expectations": str(self._table), "bundle": str(bundle)}
        try:
            return session.ask(request | ({} if until is None else {"until": until}))
        except LabError:
            self._own.session = None
            raise

    def close(self) -> None:
        """End all sessions."""
        for session in self._all:
            session.close()
