"""Is a copy of a machine that has booted as good as a machine that boots?"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hil.base.errors import TransientHostError
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.machine import image
from hil.machine.job import Job
from hil.machine.uml import frozen, kernel, run
from hil.selfcheck import determinism
from hil.selfcheck.smoke import STEADY
from hil.tests.support.uml import (
    MQTT,
    bundle_of,
    end,
    first_process,
    in_cell,
    long_trial,
    processes_in,
    request,
    results,
    sums,
)

pytestmark = pytest.mark.lab


@pytest.fixture
def booted(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders of machines that boot from now on."""
    usual, folders = frozen.begin, []

    def begin(kind: frozen.Kind, folder: Path, *more: object) -> object:
        folders.append(folder)
        return usual(kind, folder, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(frozen, "begin", begin)
    return folders


@pytest.mark.parametrize("mode", ["on", "off"], ids=["seccomp", "ptrace"])
def test_copies_have_the_bytes_of_a_machine_that_boots(
    uml_image: image.Image, tmp_path: Path, mode: str, booted: list[Path]
) -> None:
    alone = sums(results(uml_image, tmp_path / "alone", mode=mode))
    with frozen.kept():
        copies = [sums(results(uml_image, tmp_path / name, mode=mode)) for name in "abc"]
    assert copies == [alone] * 3
    assert len(booted) == 2


@pytest.mark.parametrize("mode", ["amqp-confirms", "mqttsn-qos1", "coap-con"])
def test_servers_that_run_when_they_are_copied_have_the_bytes_of_those_that_start(
    tmp_path: Path, mode: str, booted: list[Path]
) -> None:
    """Erlang has several threads, the gateway a broker of its own, CoAP an event loop."""
    trial = Trial("frozen", {}, 1, effective(STEADY | {"mode": mode, "duration_s": 2}, "frozen"))
    alone = bundle_of(trial, tmp_path / "alone")
    with frozen.kept():
        copies = [bundle_of(trial, tmp_path / name) for name in "ab"]
    assert [determinism.digest(each) for each in copies] == [determinism.digest(alone)] * 2
    assert len(booted) == 2


def test_copies_of_several_kinds_at_once_have_the_bytes_of_their_own(
    uml_image: image.Image, tmp_path: Path, booted: list[Path]
) -> None:
    kinds = {"netem": MQTT, "cell": in_cell(MQTT)}
    alone = {name: sums(results(uml_image, tmp_path / name, kinds[name])) for name in kinds}
    wanted = [name for name in kinds for _ in range(3)]
    with frozen.kept(), ThreadPoolExecutor(len(wanted)) as pool:
        folders = [tmp_path / f"copy{number}" for number in range(len(wanted))]
        found = pool.map(
            lambda name, folder: sums(results(uml_image, folder, kinds[name])), wanted, folders
        )
        assert list(found) == [alone[name] for name in wanted]
    assert len(booted) == 4


def test_a_machine_for_which_no_memory_is_left_boots(
    uml_image: image.Image, tmp_path: Path, booted: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frozen, "_most", lambda _: 1)
    with frozen.kept():
        results(uml_image, tmp_path / "copy")
        results(uml_image, tmp_path / "other", in_cell(MQTT))
        results(uml_image, tmp_path / "copy again")
    assert [folder.name for folder in booted[1:]] == ["other"]


def test_after_the_machine_was_killed_another_one_boots(
    uml_image: image.Image, tmp_path: Path, booted: list[Path]
) -> None:
    with frozen.kept():
        one = sums(results(uml_image, tmp_path / "one"))
        end(processes_in(booted[0]))
        assert sums(results(uml_image, tmp_path / "two")) == one
    assert len(booted) == 2


def test_a_machine_that_cannot_be_copied_is_replaced_by_one_that_boots(
    uml_image: image.Image, tmp_path: Path, booted: list[Path]
) -> None:
    frozen.use("nobody", lambda *_: None)
    try:
        results(uml_image, tmp_path / "trial")
    finally:
        frozen._used = None
    assert booted == [tmp_path / "trial"]


def test_a_copy_that_is_killed_is_a_failure_of_the_host(
    uml_image: image.Image, tmp_path: Path
) -> None:
    with frozen.kept(), long_trial(uml_image, tmp_path, 5) as (running, processes):
        os.kill(processes[0], signal.SIGKILL)
        with pytest.raises(TransientHostError, match="SIGKILL"):
            running.result(60)
    assert not processes_in(tmp_path)


def test_who_spins_in_a_copy_is_named(
    uml_image: image.Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "from hil.machine import guest as both; from hil.machine.uml import guest\n"
        "both.mount_all(); guest._mount_host()\n"
        "while True: pass"
    )
    monkeypatch.setattr(kernel, "words", first_process(code))
    with frozen.kept():
        report = json.loads(run.run(uml_image, Job(request(MQTT), tmp_path, 60))["report.json"])
    assert report["outcome"] == "failed"
    assert "'python3' inside the machine computes without a system call" in report["reason"]


def test_a_machine_outlives_the_thread_whose_trial_was_the_first(
    uml_image: image.Image, tmp_path: Path, booted: list[Path]
) -> None:
    """As a search ends one of its threads while a trial runs in another."""
    with frozen.kept():
        with ThreadPoolExecutor(1) as pool:
            pool.submit(results, uml_image, tmp_path / "one").result()
        results(uml_image, tmp_path / "two")
    assert len(booted) == 1


def test_the_machines_of_a_block_end_with_it(
    uml_image: image.Image, tmp_path: Path, booted: list[Path]
) -> None:
    with contextlib.ExitStack() as block:
        block.enter_context(frozen.kept())
        running, _ = block.enter_context(long_trial(uml_image, tmp_path, 5))
        frozen_folder = booted[0]
        assert processes_in(frozen_folder)
        end(processes_in(frozen_folder))
        with pytest.raises(TransientHostError):
            running.result(60)
    assert not processes_in(tmp_path)
    assert not frozen_folder.exists()


def test_the_console_of_a_copy_is_its_own(
    uml_image: image.Image, tmp_path: Path, booted: list[Path]
) -> None:
    with frozen.kept():
        for name in "ab":
            results(uml_image, tmp_path / name)
        time.sleep(0.1)
        assert (booted[0] / frozen.CONSOLE).read_text(encoding="utf-8") == ""
    assert all("Power down" in (tmp_path / name / frozen.CONSOLE).read_text() for name in "ab")
