"""What a testbed is: it carries out an order and returns raw results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hil.system.progress import Progress, in_silence


@dataclass(frozen=True)
class Job:
    """A trial to carry out.

    Attributes:
        document: trial.json.
        nonce: the mark of every log line.
        append: the board's configuration words.
        firmware: the board's firmware file.
        timeout_s: wall time after which the testbed gives up.
        progress: told the virtual seconds gone now and then, where they are not the wall's.
    """

    document: dict[str, Any]
    nonce: str
    append: str
    firmware: Path
    timeout_s: float
    progress: Progress = in_silence


@dataclass
class Result:
    """What a testbed hands back.

    Attributes:
        raw: files by name: wire.pcap, air.pcapng, board.jsonl, server.jsonl (what there is).
        report: outcome, reason, lateness_s, virtual_s, captured, dropped, link.
        versions: of the tools that decide the result.
    """

    raw: dict[str, bytes]
    report: dict[str, Any]
    versions: dict[str, str] = field(default_factory=dict)


class Testbed(ABC):
    """A place where trials run."""

    name: str

    @abstractmethod
    def prepare(self) -> None:
        """Get ready, which may take a while the first time.

        Raises:
            InputError: something this testbed needs is not there.
        """

    @abstractmethod
    def run(self, job: Job) -> Result:
        """Carry out a trial.

        Raises:
            LabError: the testbed failed (not the trial: that is in the report).
            Accident: the host made it fail.
            InputError: something this testbed needs is not there.
        """
