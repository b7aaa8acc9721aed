"""The trial runner: run a trial on a testbed and store its bundle."""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass
from pathlib import Path

from hil.base.errors import LAB_FAILED, InputError, LabError
from hil.base.paths import ROOT
from hil.base.registry import Registry
from hil.bundle import store as bundle
from hil.design import acquisition, league, sleeping
from hil.design import device as devices
from hil.design.facts import Facts
from hil.design.trials import Trial, nonce
from hil.rig.boards import BOARDS, emulators
from hil.rig.request import TrialReport, TrialRequest
from hil.system import retry, scratch
from hil.system.progress import Progress, in_silence
from hil.testbeds.base import Result, Testbed

TESTBEDS: Registry[str, Testbed] = Registry(
    "hil.testbeds",
    {
        "virtual": "virtual:VirtualTestbed",
        "live": "live:LiveTestbed",
        "hardware": "hardware.testbed:HardwareTestbed",
    },
)
_PACKAGED = "snakemake --cores 1 --config studies=[league] profile=full -- {path}"
FIRMWARE = {name: ROOT / board.runs() for name, board in BOARDS.items()}


@dataclass(frozen=True)
class Done:
    """A stored bundle and how its trial went. `coverage`: see emulators.COVERAGE; empty without."""

    folder: Path
    outcome: str
    reason: str
    coverage: bytes = b""


def testbed(name: str, **settings: str) -> Testbed:
    """Return the testbed of that name. Settings: `machine` and `emulator` of `virtual`, `emulator`
    of `live`, `place` of `hardware`."""
    return TESTBEDS[name](**settings)


def firmware(board: str, facts: Facts) -> Path:
    """Return the firmware file for a trial with these facts on a board; of a client of the league
    that is a program, its package."""
    path = FIRMWARE[board]
    if facts.client and board in devices.BOARDS:
        return league.package(league.CLIENT, facts.client)
    if library := facts.library:
        own = BOARDS[board].library_image.format(library=library)
        return path.with_name(own)
    if acquisition.stated(facts) and board in acquisition.IMAGES:
        return path.with_name(acquisition.IMAGES[board])
    secure = path.with_name(BOARDS[board].secure.get(facts.tls_version, path.name))
    if own := BOARDS[board].own_images.get(facts.protocol):
        addition = secure.stem.removeprefix(path.stem) if facts.secured else ""
        return path.with_name(f"{Path(own).stem}{addition}{path.suffix}")
    sleeps = any(own.deep_sleep for own in facts.by_group) and not sleeping.in_plain_image(board)
    return secure if facts.secured or sleeps else path


def _firmware(trial: Trial, given: Path | None) -> tuple[Path, str]:
    """Return the firmware file, which is the `given` one if any, and its SHA-256.

    Raises:
        InputError: it is not built, or the board cannot run it.
    """
    path = given or firmware(trial.board, trial.facts)
    if given:
        BOARDS[trial.board].check(given)
    try:
        return path, bundle.file_digest(path)
    except OSError as error:
        kind = BOARDS[trial.board]
        made_by = _PACKAGED if trial.facts.client and trial.device else kind.made_by
        remedy = f"build it: {made_by.format(image=kind.image, name=path.stem, path=path)}"
        raise InputError(path, "", "the firmware is missing", remedy) from error


def _server(trial: Trial) -> Path | None:
    """Return the package of the trial's server, if that is one of the league.

    Raises:
        InputError: it is not built.
    """
    name = trial.facts.server_program
    path = league.package(league.SERVER, name) if name else None
    if path and not path.is_file():
        remedy = f"build it: {_PACKAGED.format(path=path)}"
        raise InputError(path, "", "the server's package is missing", remedy)
    return path


def _version() -> str:
    try:
        return importlib.metadata.version("thinwire")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def lasts_s(facts: Facts) -> float:
    """Return how long a trial lasts, in s on its own clock, without set-up and wind-down."""
    sends_s = max(float(facts.duration_s), facts.counted_s)
    return sends_s + facts.spread_s if facts.groups else sends_s


def wall_limit_s(facts: Facts) -> float:
    """Return how long a trial may take, in s of wall time: five times its own duration for each
    device, and a quarter of an hour to start its servers on a busy host (RabbitMQ needs 8 s of
    processor time). An endless loop is noticed earlier (hil/machine/uml/run.py)."""
    return 15 * 60 + 5 * lasts_s(facts) * facts.devices


def run(
    trial: Trial,
    testbed: Testbed,
    out: Path,
    timeout_s: float | None = None,
    progress: Progress = in_silence,
    *,
    device: Path | None = None,
    server: Path | None = None,
) -> Done:
    """Run a trial and store its bundle at out/<study>/<trial>.

    Args:
        device: the package of a foreign device, or the firmware of the user's own on another board.
        server: the package of a foreign server; without it that of the league, if the trial names
            one.

    A failed trial leaves a bundle with the reason. After a transient error of the host the trial
    is run again. If the laboratory fails, there is no bundle.

    Raises:
        InputError: firmware or tools are missing, the testbed cannot run the trial, or the bundle
            cannot be written.
        LabError: the laboratory failed.
    """
    testbed.check(trial)
    image, digest = _firmware(trial, device)
    server = server or _server(trial)
    document = trial.document(
        {"board": trial.board, "sha256": digest},
        {"thinwire": _version()},
        bundle.file_digest(server) if server else "",
    )
    mark = nonce(document)
    limit = timeout_s or wall_limit_s(trial.facts)
    config_line = BOARDS[trial.board].config(document, mark)
    request = TrialRequest(document, mark, config_line, image, server=server)
    result = retry.retry_transient(lambda: testbed.run(request, limit, progress))
    files, report = results(request, result)
    folder = out / trial.study / trial.id
    bundle.store(files, folder)
    return Done(folder, report.outcome, report.reason, result.raw.get(emulators.COVERAGE, b""))


def results(request: TrialRequest, result: Result) -> tuple[dict[str, bytes], TrialReport]:
    """Return the files of the bundle of a trial that has run, and how it went.

    Raises:
        LabError: the laboratory failed.
    """
    report = result.report
    if report.outcome == LAB_FAILED:
        raise LabError(report.reason)
    lab = {
        "outcome": report.outcome,
        "reason": report.reason,
        "nonce": request.nonce,
        "versions": result.versions,
        "lateness_s": report.lateness_s,
        "virtual_s": report.virtual_s,
        "capture": {"frames": report.captured, "dropped": report.dropped},
        "link": report.link,
        **({"board": report.board} if report.board else {}),
        **({"fault": report.fault} if report.fault else {}),
    }
    with scratch.folder() as aside:
        return bundle.contents(request.document, result.raw, lab, aside), report
