"""The trial runner: a trial and a testbed become a bundle, whatever happens."""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass
from pathlib import Path

from hil.base.errors import LAB_FAILED, InputError, LabError
from hil.base.paths import ROOT
from hil.base.registry import Registry
from hil.bundle import store as bundle
from hil.design import libraries
from hil.design.facts import Facts
from hil.design.studies import Trial, nonce
from hil.rig.boards import BOARDS, config, laptop
from hil.rig.request import TrialRequest
from hil.system import retry, scratch
from hil.system.progress import Progress, in_silence
from hil.testbeds.base import Testbed

TESTBEDS: Registry[str, Testbed] = Registry(
    "hil.testbeds",
    {
        "virtual": "virtual:VirtualTestbed",
        "live": "live:LiveTestbed",
        "hardware": "hardware.testbed:HardwareTestbed",
    },
)
FIRMWARE = {name: ROOT / board.runs() for name, board in BOARDS.items()}


@dataclass(frozen=True)
class Done:
    """A stored bundle and how its trial went."""

    folder: Path
    outcome: str
    reason: str


def testbed(name: str, **settings: str) -> Testbed:
    """The testbed of that name; `virtual` knows the settings `machine` and `emulator`, `live`
    knows `emulator`, `hil` knows `place`."""
    return TESTBEDS[name](**settings)


def firmware(board: str, facts: Facts) -> Path:
    """The firmware file for a trial with these facts on a board."""
    path = FIRMWARE[board]
    if library := facts.library:
        return path.with_name(f"{library}.bin")
    if not facts.secured and not facts.deep_sleep:
        return path
    version = facts.tls_version
    return path.with_name(BOARDS[board].secure.get(version, path.name))


def _firmware(board: str, facts: Facts) -> tuple[Path, str]:
    """The firmware file and its SHA-256."""
    path = firmware(board, facts)
    try:
        return path, bundle.digest(path.read_bytes())
    except OSError as error:
        kind = BOARDS[board]
        remedy = f"build it: {kind.made_by.format(image=kind.image, name=path.stem)}"
        raise InputError(path, "", "the firmware is not there", remedy) from error


def _version() -> str:
    try:
        return importlib.metadata.version("thinwire")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def lasts_s(facts: Facts) -> float:
    """How long a trial lasts, in seconds on its own clock; set-up and wind-down are not in it."""
    return max(float(facts.duration_s), facts.counted_s)


def wall_limit_s(facts: Facts) -> float:
    """How long a trial may take on the wall clock: five times its own time, and a quarter of an
    hour for the start of its servers on a host with other work (RabbitMQ's takes 30 to 120 s of
    processor time). What computes without an end is noticed before (hil/machine/uml/run.py)."""
    return 15 * 60 + 5 * lasts_s(facts)


def run(
    trial: Trial,
    place: Testbed,
    out: Path,
    timeout_s: float | None = None,
    progress: Progress = in_silence,
) -> Done:
    """Run a trial and store its bundle at out/<study>/<trial>.

    A trial that goes wrong leaves a bundle that says so. What the host does to the laboratory is
    tried again; a laboratory that fails leaves no bundle.

    Raises:
        InputError: firmware or tools are missing, the testbed does not have the board, or the
            bundle cannot be written.
        LabError: the laboratory failed.
    """
    if trial.board == libraries.BOARD and place.name != "hardware":
        raise InputError(
            "--testbed", place.name, f"has no board {trial.board}", "use --testbed hil"
        )
    image, digest = _firmware(trial.board, trial.facts)
    document = trial.document({"board": trial.board, "sha256": digest}, {"thinwire": _version()})
    mark = nonce(document)
    limit = timeout_s or wall_limit_s(trial.facts)
    told = laptop.words if BOARDS[trial.board] is laptop.Laptop else config.words
    request = TrialRequest(document, mark, told(document, mark), image)
    result = retry.retry_transient(lambda: place.run(request, limit, progress))
    report = result.report
    if report.outcome == LAB_FAILED:
        raise LabError(report.reason)
    lab = {
        "outcome": report.outcome,
        "reason": report.reason,
        "nonce": mark,
        "versions": result.versions,
        "lateness_s": report.lateness_s,
        "virtual_s": report.virtual_s,
        "capture": {"frames": report.captured, "dropped": report.dropped},
        "link": report.link,
        **({"board": report.board} if report.board else {}),
        **({"fault": report.fault} if report.fault else {}),
    }
    folder = out / trial.study / trial.id
    with scratch.folder() as aside:
        files = bundle.contents(document, result.raw, lab, aside)
        bundle.store(files, folder)
    return Done(folder, report.outcome, report.reason)
