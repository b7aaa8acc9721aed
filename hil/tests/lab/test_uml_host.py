"""Disturbances of a running machine `uml`: the host's memory is full, its clock jumps, it sleeps.

Each trial gives the bytes of an undisturbed one, after a repetition if the machine was lost.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hil.base.paths import ROOT
from hil.machine import flavours, machines
from hil.machine.job import Job
from hil.machine.uml import kernel, run
from hil.system import preloads, retry
from hil.system.permits import USER_NAMESPACE
from hil.tests.lab.test_uml_conditions import plain, trial_under
from hil.tests.support import permits
from hil.tests.support.uml import MQTT, Noted, processes_in, request, sums

__all__ = ["plain"]
pytestmark = pytest.mark.lab

# Enough room to choose the folder, and the room left before the machine starts: less than it needs.
_ROOM_MIB, _LEFT_MIB = 560, 32


def in_full_memory(folder: Path) -> None:
    """Run the trial with a /dev/shm that is filled once it was chosen; its sums and the folders in
    which the machine's memory lay, as one line of JSON. In a process with mounts of its own."""
    shm = Path("/dev/shm")
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={_ROOM_MIB}m", "none", shm], check=True)
    made = machines.Uml().prepare(flavours.COMMON)
    places: list[str] = []
    usual = kernel.memory_folder

    def chosen(memory_mib: int) -> Path:
        place = usual(memory_mib)
        if not places:
            with (shm / "hoard").open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, (_ROOM_MIB - _LEFT_MIB) << 20)
        places.append(str(place))
        return place

    def once() -> dict[str, bytes]:
        place = folder / str(len(places))
        place.mkdir(parents=True)
        return run.run(made, Job(request(MQTT), place, 600))

    kernel.memory_folder = chosen
    print(json.dumps({"sums": sums(retry.retry_transient(once)), "places": places}))


def test_a_full_shared_memory_is_an_accident_and_the_next_try_goes_elsewhere(
    plain: dict[str, str], tmp_path: Path, noted: Noted
) -> None:
    code = (
        "import sys; from pathlib import Path; from hil.tests.lab import test_uml_host as t; "
        "t.in_full_memory(Path(sys.argv[1]))"
    )
    words = (*USER_NAMESPACE, "--mount")
    permits.require(*words)
    done = subprocess.run(
        [*words, sys.executable, "-c", code, tmp_path],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    assert "no room is left for the machine's memory in /dev/shm; once more (2 of 3)" in done.stderr
    answer = json.loads(done.stdout)
    assert answer["places"][0] == "/dev/shm" and "/dev/shm" not in answer["places"][1:]
    assert noted(answer["sums"]) == plain


def test_a_clock_that_jumps_changes_no_byte(
    plain: dict[str, str], tmp_path: Path, noted: Noted
) -> None:
    library = tmp_path / "jumping_clock.so"
    preloads.compile_to(Path(__file__).with_name("jumping_clock.c"), library)
    words = ("env", f"LD_PRELOAD={library}")
    looks = "import time; print(time.time() - time.time())"
    done = subprocess.run([*words, sys.executable, "-c", looks], capture_output=True, check=True)
    assert abs(float(done.stdout)) > 86400
    assert noted(trial_under(words, tmp_path / "trial")) == plain


@pytest.mark.parametrize("with_starter", [False, True], ids=["machine stopped", "all stopped"])
def test_a_host_that_sleeps_changes_no_byte(
    with_starter: bool, plain: dict[str, str], tmp_path: Path, noted: Noted
) -> None:
    """Stopped for two seconds, eight times as long as a machine that computes is given."""
    code = (
        "import sys; from pathlib import Path; from hil.machine.uml import run; "
        "from hil.tests.lab import test_uml_conditions as t; "
        "run._CHECK_S = 0.05; t.run_once(Path(sys.argv[1]))"
    )
    place = tmp_path / "trial"
    place.mkdir()
    words = [sys.executable, "-c", code, str(place)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ROOT) as child:
        deadline = time.monotonic() + 120
        while len(found := processes_in(place)) < 4:
            assert child.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        stopped = [child.pid, *found] if with_starter else found
        for number in (signal.SIGSTOP, signal.SIGCONT):
            for pid in stopped:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            time.sleep(2 if number == signal.SIGSTOP else 0)
        said = child.communicate()[0]
    assert noted(json.loads(said)) == plain
