"""Is a bundle written whole or not at all, and the same each time?"""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hil.bundle import store as bundle
from hil.tests.support.bundles import DOCUMENT, LAB, RAW


def contents(tmp_path: Path) -> dict[str, bytes]:
    return bundle.contents(DOCUMENT, RAW, LAB, tmp_path)


def test_the_same_results_give_the_same_bytes(tmp_path: Path) -> None:
    assert contents(tmp_path) == contents(tmp_path)


def test_sha256sum_agrees(tmp_path: Path) -> None:
    bundle.store(contents(tmp_path), tmp_path / "bundle")
    subprocess.run(
        ["sha256sum", "--check", "--strict", "--quiet", bundle.SUMS],
        cwd=tmp_path / "bundle",
        check=True,
    )


def test_a_trial_that_left_nothing_still_has_every_file(tmp_path: Path) -> None:
    made = bundle.contents(DOCUMENT, {}, {"outcome": "failed", "reason": "it burned"}, tmp_path)
    assert set(made) == {*bundle.FILES, bundle.SUMS}


def test_an_older_bundle_is_replaced_whole(tmp_path: Path) -> None:
    target = tmp_path / "bundle"
    bundle.store({"trial.json": b"old", "air.pcapng.gz": b"old"}, target)
    bundle.store({"trial.json": b"new"}, target)
    assert [path.name for path in target.iterdir()] == ["trial.json"]
    assert [path.name for path in tmp_path.iterdir()] == ["bundle"]


_FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from hil.bundle import store as bundle
from hil.base.errors import InputError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    bundle.store({"lab.json": b"x", "wire.pcapng.gz": b"y" * 5000}, Path(sys.argv[1]))
except InputError as error:
    print(error)
    sys.exit(error.status)
"""


@pytest.mark.parametrize("older", [False, True])
def test_a_full_disk_changes_nothing(tmp_path: Path, older: bool) -> None:
    assert resource.RLIMIT_FSIZE is not None and signal.SIGXFSZ  # the assumption of the script
    target = tmp_path / "bundles" / "one"
    if older:
        bundle.store({"trial.json": b"old"}, target)
    run = subprocess.run(
        [sys.executable, "-c", _FULL_DISK, target], capture_output=True, text=True, check=False
    )
    assert run.returncode == 2, run.stderr
    assert "cannot be written (File too large)" in run.stdout
    assert "nothing was left half-written" in run.stdout
    left = [str(path.relative_to(tmp_path)) for path in sorted(tmp_path.rglob("*"))]
    assert left == ["bundles", *(["bundles/one", "bundles/one/trial.json"] if older else [])]
