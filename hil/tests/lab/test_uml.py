"""Does a trial in the machine `uml` give the same bytes whatever the host does?"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hil.machine import image
from hil.machine.job import Job
from hil.machine.uml import cpus, kernel, run
from hil.rig.boards import emulators
from hil.selfcheck import determinism
from hil.testbeds import runner
from hil.tests.support.uml import MQTT, Noted, in_cell, request, results, sums

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def quiet(uml_image: image.Image, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What a trial gives, to compare with."""
    return sums(results(uml_image, tmp_path_factory.mktemp("quiet") / "trial"))


def test_a_trial_has_results(quiet: dict[str, str], noted: Noted) -> None:
    names = {"board.jsonl", "server.jsonl", "wire.pcap", "report.json", emulators.COVERAGE}
    assert set(noted(quiet)) == names


def test_a_busy_host_changes_no_byte(
    uml_image: image.Image, quiet: dict[str, str], tmp_path: Path, noted: Noted
) -> None:
    with determinism.busy(2 * (os.cpu_count() or 1)):
        assert noted(sums(results(uml_image, tmp_path / "busy"))) == quiet


def test_machines_side_by_side_agree(
    uml_image: image.Image, quiet: dict[str, str], tmp_path: Path, noted: Noted
) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda name: sums(results(uml_image, tmp_path / name)), "abcd")
        assert [noted(one) for one in found] == [quiet] * 4


def test_machines_that_move_between_cpus_agree(
    uml_image: image.Image,
    quiet: dict[str, str],
    tmp_path: Path,
    noted: Noted,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "sched_setaffinity", lambda *_: None)
    assert noted(sums(results(uml_image, tmp_path / "free"))) == quiet


@pytest.mark.parametrize("mode", ["on", "off"], ids=["seccomp", "ptrace"])
def test_how_processes_are_held_changes_no_byte(
    uml_image: image.Image, quiet: dict[str, str], tmp_path: Path, noted: Noted, mode: str
) -> None:
    assert noted(sums(results(uml_image, tmp_path / "trial", mode=mode))) == quiet


def test_another_environment_changes_no_byte(
    uml_image: image.Image,
    quiet: dict[str, str],
    tmp_path: Path,
    noted: Noted,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another TMPDIR, HOME and path, and a hundred further variables."""
    (tmp_path / "memory").mkdir()
    monkeypatch.setattr(kernel, "memory_folder", lambda _: tmp_path / "memory")
    further = {f"VARIABLE_{number}": "x" * 100 for number in range(100)}
    monkeypatch.setattr(
        kernel,
        "surroundings",
        lambda home, memory: {"HOME": str(home), "TMPDIR": str(memory), **further},
    )
    long = tmp_path / ("a folder with a long name, and spaces" * 3)
    long.mkdir()
    assert noted(sums(results(uml_image, long / "trial"))) == quiet


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="changes to an ordinary user")
def test_an_ordinary_user_gets_the_same_bytes(
    uml_image: image.Image, quiet: dict[str, str], tmp_path: Path, noted: Noted
) -> None:
    place = Path("/var/tmp") / f"thinwire-test-{os.getpid()}"
    place.mkdir()
    try:
        for path in (
            uml_image.archive,
            uml_image.folder / "info.json",
            kernel.FOLDER / "linux",
            kernel.FOLDER / "info.json",
            runner.FIRMWARE["lx106"],
        ):
            shutil.copy(path, place / f"{path.parent.name}-{path.name}")
        os.chown(place, 65534, 65534)
        pid = os.fork()
        if pid == 0:
            _as_nobody(uml_image, place)
        assert os.waitpid(pid, 0)[1] == 0
        assert noted(json.loads((place / "sums").read_text())) == quiet
    finally:
        shutil.rmtree(place)


def _as_nobody(uml_image: image.Image, place: Path) -> None:
    """In a process of its own, which ends here."""
    status = 1
    try:
        here = image.Image(place / uml_image.folder.name)
        wanted = request(MQTT)
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        here.folder.mkdir()
        for name in ("image.cpio", "info.json"):
            (here.folder / name).symlink_to(place / f"{uml_image.folder.name}-{name}")
        kernel.FOLDER = place / "uml"
        kernel.FOLDER.mkdir()
        for name in ("linux", "info.json"):
            (kernel.FOLDER / name).symlink_to(place / f"uml-{name}")
        (place / "trial").mkdir()
        found = run.run(here, Job(wanted, place / "trial", 60))
        (place / "sums").write_text(json.dumps(sums(found)))
        status = 0
    finally:
        os._exit(status)


def test_a_lesser_processor_changes_no_byte(
    uml_image: image.Image,
    quiet: dict[str, str],
    tmp_path: Path,
    noted: Noted,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As far as the C library allows features to be masked."""
    masked = ",".join(f"-{name}" for name in ("AVX", "BMI2", "ERMS", "FSRM", "MOVBE", "SSE4_2"))
    monkeypatch.setattr(kernel, "_TUNABLES", f"{kernel._TUNABLES},{masked}")
    assert noted(sums(results(uml_image, tmp_path / "lesser"))) == quiet


def test_another_seed_is_another_trial(
    uml_image: image.Image, quiet: dict[str, str], tmp_path: Path
) -> None:
    found = run.run(uml_image, Job(request(MQTT, seed=2), tmp_path, 60))
    assert all(sums(found)[name] != quiet[name] for name in ("wire.pcap", "board.jsonl"))


def test_the_cell_repeats(uml_image: image.Image, tmp_path: Path) -> None:
    one, two = (sums(results(uml_image, tmp_path / name, in_cell(MQTT))) for name in "ab")
    assert one == two and "air.pcapng" in one


def test_each_machine_has_a_seat_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpus, "_NAME", f"\0thinwire-test{os.getpid()}-{{}}-{{}}")
    allowed = sorted(os.sched_getaffinity(0))
    with contextlib.ExitStack() as stack:
        taken = [stack.enter_context(cpus.seat(2 * len(allowed))) for _ in range(2 * len(allowed))]
    assert sorted(taken) == sorted(allowed * 2)
