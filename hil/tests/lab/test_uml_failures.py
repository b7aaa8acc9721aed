"""Are failures in and of the machine `uml` reported with a reason, with nothing left behind?"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hil.base.errors import LabError, TransientHostError
from hil.machine import image
from hil.machine.job import Job
from hil.machine.uml import kernel, run
from hil.tests.support.uml import (
    MQTT,
    first_process,
    long_trial,
    processes_in,
    request,
    without_result,
)

pytestmark = pytest.mark.lab


def test_who_spins_is_named_within_seconds(
    uml_image: image.Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "words", first_process("while True: pass"))
    started = time.monotonic()
    report = json.loads(run.run(uml_image, Job(request(MQTT), tmp_path, 60))["report.json"])
    assert report["outcome"] == "failed"
    assert "'python3' inside the machine computes without a system call" in report["reason"]
    assert time.monotonic() - started < 15  # 5 on an idle host


@pytest.mark.parametrize("body", ["os.getppid()", "pass"], ids=["system-call", "clock"])
def test_who_spins_lets_time_pass(
    body: str, uml_image: image.Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = f"import os, time\nend = time.time() + 0.1\nwhile time.time() < end: {body}"
    without_result(code, "without a result", uml_image, tmp_path, monkeypatch)  # it ended


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import os; os._exit(3)", "Attempted to kill init"),
        ("hoard = []\nwhile True: hoard.append(bytearray(1 << 20))", "without a result.*memory"),
        ("raise SystemExit('goodbye')", "goodbye|Attempted to kill init"),
    ],
    ids=["dies", "fills-memory", "ends"],
)
def test_a_machine_without_a_result_says_why(
    uml_image: image.Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, words: str
) -> None:
    without_result(code, words, uml_image, tmp_path, monkeypatch)


def test_a_machine_has_named_semaphores_and_shared_memory(
    uml_image: image.Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "import ctypes, os\nfrom hil.machine import guest\nguest.mount_all()\n"
        "library = ctypes.CDLL(None, use_errno=True)\n"
        "library.sem_open.restype = ctypes.c_void_p\n"
        "made = library.sem_open(b'/one', os.O_CREAT, 0o666, 0)\n"
        "segment = library.shmget(1, 4096, 0o1666)\n"
        "raise SystemExit(f'semaphore {bool(made)}, segment {segment >= 0}')"
    )
    without_result(code, "semaphore True, segment True", uml_image, tmp_path, monkeypatch)


def test_a_machine_that_is_not_done_in_time_is_told(uml_image: image.Image, tmp_path: Path) -> None:
    with pytest.raises(LabError, match="not done after 1 s"):
        run.run(uml_image, Job(request(MQTT | {"duration_s": 86400}), tmp_path, 1))
    assert not processes_in(tmp_path)


@contextlib.contextmanager
def started_trial(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A Python process that runs a day in a machine."""
    code = (
        "import sys; from pathlib import Path; from hil.tests.support import uml as t; "
        "from hil.machine.job import Job; from hil.machine import machines, flavours; "
        "machine = machines.Uml(); image = machine.prepare(flavours.COMMON); "
        "request = t.request(t.MQTT | {'duration_s': 86400}); "
        "machine.run(image, Job(request, Path(sys.argv[1]), 600))"
    )
    with subprocess.Popen([sys.executable, "-c", code, folder], stderr=subprocess.PIPE) as child:
        deadline = time.monotonic() + 60
        while len(processes_in(folder)) < 3:
            assert child.poll() is None and time.monotonic() < deadline
            time.sleep(0.1)
        try:
            yield child
        finally:
            child.kill()


def test_a_killed_starter_leaves_nothing(uml_image: image.Image, tmp_path: Path) -> None:
    with started_trial(tmp_path) as child:
        child.send_signal(signal.SIGKILL)
        child.wait()
        deadline = time.monotonic() + 10
        while processes_in(tmp_path) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not processes_in(tmp_path)


def test_a_killed_machine_is_an_accident(uml_image: image.Image, tmp_path: Path) -> None:
    with long_trial(uml_image, tmp_path, 3) as (running, processes):
        os.kill(processes[0], signal.SIGKILL)
        with pytest.raises(TransientHostError, match="SIGKILL"):
            running.result()
    assert not processes_in(tmp_path)
