"""Progress of long work: reported to a callback, and shown with an estimate of the time left."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TextIO

# Called with the seconds elapsed on the trial's clock.
Progress = Callable[[int], None]

_SILENT_S = 3.0  # shorter work shows no progress
_REDRAW_S, _LINE_S = 0.2, 30.0  # between two updates on a terminal, two lines elsewhere
_BAR = 20  # letters
_REPORT = re.compile(rb"progress (\d\.\d{4}) (.*)")


def in_silence(virtual_s: int) -> None:
    """Ignore progress."""


def in_words(seconds: float) -> str:
    """Return a time as text: "42 s", "3 min 7 s", "1 h 2 min"."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


class Bar:
    """Shows how much of the work is done, and estimates the time left from the pace so far. On a
    terminal it is a bar in the last line, elsewhere a line now and then. It goes to standard error;
    call `clear` before anything else is printed.
    """

    def __init__(
        self,
        total: float,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`total`: of the work, in any unit."""
        self._total, self._stream, self._clock = total, stream or sys.stderr, clock
        self._live = self._stream.isatty()
        self._began: tuple[float, float] | None = None  # time and share at the first report
        self._shown_s = float("-inf")
        self._drawn = False

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.clear()

    def show(self, done: float, what: str = "") -> None:
        """Show that `done` of the total is finished, and that `what` is in progress."""
        now = self._clock()
        if self._began is None:
            self._began = now, done
        often = _REDRAW_S if self._live else _LINE_S
        if now - self._began[0] < _SILENT_S or now - self._shown_s < often:
            return
        self._shown_s = now
        text = f"{self._share(done):4.0%}{self._left(now, done)}  {what}".rstrip()
        if self._live:
            full = round(_BAR * self._share(done))
            text = f"[{'#' * full}{'.' * (_BAR - full)}]{text}"
            room = shutil.get_terminal_size().columns - 1
            print(f"\r{text[:room].ljust(room)}", end="", file=self._stream, flush=True)
            self._drawn = True
        else:
            print(text.strip(), file=self._stream, flush=True)

    def clear(self) -> None:
        """Remove the bar until it is shown again."""
        if self._drawn:
            room = shutil.get_terminal_size().columns - 1
            print(f"\r{' ' * room}\r", end="", file=self._stream, flush=True)
            self._drawn = False

    def _share(self, done: float) -> float:
        return min(1.0, done / self._total) if self._total else 1.0

    def _left(self, now: float, done: float) -> str:
        """Return the estimate, or an empty text before there is any progress."""
        assert self._began is not None
        when, first = self._began
        if done <= first:
            return ""
        rest = (now - when) * max(0.0, self._total - done) / (done - first)
        return f", {in_words(rest)} left"


def of_program(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a program, show its progress, and return its exit status.

    Because of the variable THINWIRE_PROGRESS it writes lines "progress SHARE WHAT" to standard
    error, where SHARE is a number from 0.0000 to 1.0000. Its other lines are passed on.
    """
    reporting = {**environment, "THINWIRE_PROGRESS": "1"}
    with subprocess.Popen(words, env=reporting, stderr=subprocess.PIPE) as program, Bar(1) as bar:
        assert program.stderr is not None
        for line in program.stderr:
            if report := _REPORT.fullmatch(line.rstrip(b"\n")):
                bar.show(float(report[1]), report[2].decode(errors="replace"))
            else:
                bar.clear()
                print(line.decode(errors="replace"), end="", file=sys.stderr, flush=True)
    return program.returncode
