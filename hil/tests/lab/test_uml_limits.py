"""How does the machine `uml` behave at the limits of its disk, its processes and this host's
memory?
"""

from __future__ import annotations

import contextlib
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hil.base.errors import LabError
from hil.machine import image
from hil.machine.uml import cpus
from hil.tests.support.uml import end, long_trial, processes_in, without_result


@pytest.mark.lab
def test_a_full_disk_inside_is_told(
    uml_image: image.Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk inside is a part of the memory, so that a process that fills it can still report
    this.
    """
    code = (
        "from hil.machine import guest; guest.mount_all()\n"
        "import traceback\n"
        "try:\n"
        " with open('/tmp/hoard', 'wb', 0) as file:\n"
        "  while True: file.write(bytes(1 << 20))\n"
        "except OSError as error: print(error, flush=True)\n"
        "guest.power_off()"
    )
    without_result(code, "No space left on device", uml_image, tmp_path, monkeypatch)
    assert not processes_in(tmp_path)


@pytest.mark.lab
def test_a_program_of_the_image_cannot_be_changed(
    uml_image: image.Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a file of this host, which other machines use, too."""
    before = uml_image.archive.read_bytes()
    code = (
        "from hil.machine import guest\n"
        "try: open('/bin/ip', 'r+b')\n"
        "except OSError as error: print(error, flush=True)\n"
        "guest.power_off()"
    )
    without_result(code, "Operation not permitted", uml_image, tmp_path, monkeypatch)
    assert uml_image.archive.read_bytes() == before


def maps_of(pid: int) -> str:
    """What a process has mapped; empty if it has ended, as one that only started another has."""
    try:
        return Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return ""


@pytest.mark.lab
def test_machines_share_the_image(uml_image: image.Image, tmp_path: Path) -> None:
    with long_trial(uml_image, tmp_path, 5) as (running, processes):
        mapped = [maps_of(pid) for pid in processes]
        end(processes)
        with pytest.raises(LabError, match="the machine"):
            running.result(60)
    assert any(mapped)
    assert all(str(uml_image.archive) in maps for maps in mapped if maps)


@pytest.mark.lab
def test_a_process_inside_that_is_killed_from_outside_is_told_and_nothing_is_left(
    uml_image: image.Image, tmp_path: Path
) -> None:
    with long_trial(uml_image, tmp_path, 5) as (running, processes):
        time.sleep(1)
        end(processes[1:])
        with pytest.raises(LabError, match="the machine"):
            running.result(60)
    assert not processes_in(tmp_path)


def test_more_machines_than_memory_holds_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpus, "_NAME", f"\0thinwire-test{os.getpid()}-{{}}-{{}}")

    def late() -> int:
        with cpus.seat(3) as cpu:
            return cpu

    with ThreadPoolExecutor(1) as pool:
        with contextlib.ExitStack() as taken:
            for _ in range(3):
                taken.enter_context(cpus.seat(3))
            waiting = pool.submit(late)
            time.sleep(3 * cpus._WAIT_S)
            assert not waiting.done()
        assert waiting.result(10) in os.sched_getaffinity(0)


def test_as_many_machines_run_as_three_quarters_of_the_memory_hold(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sizes = {"SC_PHYS_PAGES": 2**20, "SC_PAGE_SIZE": 4096}  # 4 GiB
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__)
    assert cpus.most(tmp_path) == 10
    sizes["SC_PHYS_PAGES"] = 2**16
    assert cpus.most(tmp_path) == 1
