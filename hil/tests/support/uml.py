"""Support for the tests of the machine `uml`: a trial's bundle; an order, its results, their
digests."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from hil.base.errors import LabError
from hil.design.facts import Facts
from hil.design.parameters import effective
from hil.design.trials import Trial, nonce
from hil.machine import image
from hil.machine.job import Job
from hil.machine.uml import kernel, run
from hil.rig.boards.lx106 import Lx106
from hil.rig.request import TrialRequest
from hil.selfcheck import determinism
from hil.testbeds import runner

Noted = Callable[[dict[str, str]], dict[str, str]]
MQTT = determinism.TRIAL | {"duration_s": 2}
_NETEM = {"delay_ms", "jitter_ms", "loss_pct"}


def in_cell(parameters: dict[str, object]) -> dict[str, object]:
    """The parameters of a trial over `netem`, moved to a busy cell."""
    kept = {key: value for key, value in parameters.items() if key not in _NETEM}
    return kept | {
        "link": "air",
        "wifi_standard": "g",
        "modem_sleep": True,
        "background_profile": "bulk",
        "background_stations": 3,
    }


def bundle_of(trial: Trial, folder: Path) -> Path:
    """Run a trial in the machine; return the folder of its bundle, whose outcome is `ok`."""
    if why := kernel.why_not():
        pytest.fail(why)
    done = runner.run(trial, runner.testbed("virtual", machine="uml"), folder)
    assert done.outcome == "ok", done.reason
    return done.folder


def request(parameters: dict[str, object], seed: int = 1) -> dict[str, bytes]:
    document = Trial("umltest", {}, seed, effective(parameters, "umltest")).document(
        {"board": "lx106", "sha256": "0" * 64}, {}
    )
    mark = nonce(document)
    words = Lx106.config(document, mark)
    firmware = runner.firmware("lx106", Facts.of(document["parameters"]))
    return TrialRequest(document, mark, words, firmware).files()


def results(
    uml_image: image.Image, folder: Path, parameters: dict[str, object] = MQTT, mode: str = "auto"
) -> dict[str, bytes]:
    folder.mkdir()
    found = run.run(uml_image, Job(request(parameters), folder, 300), mode=mode)
    report = json.loads(found["report.json"])
    assert report["outcome"] == "ok", report["reason"]
    return found


def sums(found: dict[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(content).hexdigest() for name, content in found.items()}


def first_process(code: str) -> Callable[..., list[str]]:
    """Command lines with other Python than the laboratory's as the first process."""
    usual = kernel.words

    def words(*arguments: object, **more: object) -> list[str]:
        found = usual(*arguments, **more)  # type: ignore[arg-type]
        program = f"exec(bytes.fromhex('{code.encode().hex()}').decode())"
        return [*found[: found.index("--")], "--", "-SBc", program]

    return words


def without_result(
    code: str, words: str, uml_image: image.Image, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine whose first process runs `code` ends without a result; its error has `words`."""
    monkeypatch.setattr(kernel, "words", first_process(code))
    with pytest.raises(LabError, match=words):
        run.run(uml_image, Job(request(MQTT), folder, 60))


def processes_in(folder: Path) -> list[int]:
    """Processes whose working folder is `folder`."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):
            if place.readlink() == folder:
                found.append(int(place.parent.name))
    return sorted(found)


def end(processes: Iterable[int]) -> None:
    """Kill these processes; some may have ended."""
    for pid in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@contextlib.contextmanager
def long_trial(
    uml_image: image.Image, folder: Path, processes: int
) -> Iterator[tuple[Future[dict[str, bytes]], list[int]]]:
    """Start a trial of a day, which the test must end; return its processes once there are
    `processes`. If the test fails, its trial ends with it.
    """
    wanted = request(MQTT | {"duration_s": 86400})
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(run.run, uml_image, Job(wanted, folder, 600))
        deadline = time.monotonic() + 30
        while len(found := processes_in(folder)) < processes and time.monotonic() < deadline:
            time.sleep(0.1)
        try:
            yield running, found
        except BaseException:
            end(processes_in(folder))
            raise
