"""Is a footprint that of a process and its children, and does a trial report the laboratory's?"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hil.machine import image
from hil.system.footprint import footprint, own_kib, share_kib
from hil.tests.support.uml import MQTT, results

_HOARD_MIB, _FILES = 40, 50
# Looks at 4, 8, 12, ... s; the server is away from 10 to 15 s.
_RESTARTED = MQTT | {
    "interval_ms": 1000,
    "duration_s": 80,
    "server_restart_s": 40,
    "server_down_s": 5,
    "footprint_s": 4,
}
_CODE = (
    f"import time; hoard = bytearray({_HOARD_MIB} << 20); "
    f"files = [open('/dev/null') for _ in range({_FILES})]; print(flush=True); time.sleep(60)"
)


@pytest.mark.parametrize("memory_kib", [own_kib, share_kib])
def test_it_is_that_of_a_process_and_its_children(memory_kib: Callable[[int], int]) -> None:
    shell = [shutil.which("sh") or "sh", "-c", f'"{sys.executable}" -c "{_CODE}"; :']
    with subprocess.Popen(shell, stdout=subprocess.PIPE) as parent:
        assert parent.stdout
        parent.stdout.readline()
        found = footprint(parent.pid, memory_kib)
        for pid in Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split():
            os.kill(int(pid), 9)
    assert found["processes"] == 2
    assert _FILES < found["open_files"] < 2 * _FILES
    assert _HOARD_MIB << 10 < found["memory_kib"] < 2 * _HOARD_MIB << 10


@pytest.mark.lab
def test_a_trial_tells_what_the_laboratory_takes_the_same_however_it_is_held(
    uml_image: image.Image, tmp_path: Path
) -> None:
    one, two = (
        results(uml_image, tmp_path / mode, _RESTARTED, mode)["server.jsonl"]
        for mode in ("on", "off")
    )
    assert one == two
    looks = [line for line in map(json.loads, one.splitlines()) if line["ev"] == "footprint"]
    whole = [line for line in looks if line["server"] == "lab"]
    broker = [line for line in looks if line["server"] == "mosquitto"]
    assert (len(whole), len(broker)) == (20, 19)
    assert {line["processes"] for line in broker} == {1}
    assert [line["processes"] for line in whole[1:4]] == [5, 4, 5]
    assert all(0 < line["memory_kib"] < whole[0]["memory_kib"] for line in broker)
