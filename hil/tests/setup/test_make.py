"""Does `make test` run every part, and name the parts that failed?"""

from __future__ import annotations

import os
import subprocess

import pytest

from hil.base.paths import ROOT

# What `make test` would install is there, since this test runs.
SET_UP = ("--old-file=setup", "--old-file=setup-tests")


def test_every_part_is_run_once() -> None:
    """As a dry run prints it: also what runs side by side."""
    done = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", *SET_UP, "test"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "MAKEFLAGS": ""},
    )
    parts = {
        "device": "ctest --test-dir build/firmware/host ",
        "lx106": "ctest --test-dir build/firmware/lx106 ",
        "sim": "ctest --test-dir build/sim-debug ",
        "lab": "pytest -m lab ",
        "python": "--junitxml build/tests/python.xml",
        "analysis": "\nnice -n 10 Rscript workflow/R/tests/testthat.R --jobs 2\n",
        "farm": 'pytest -m "not lab" --junitxml build/tests/farm.xml ',
        "lint": "\nruff check .",
    }
    assert {part: done.stdout.count(words) for part, words in parts.items()} == dict.fromkeys(
        parts, 1
    )


@pytest.mark.parametrize(
    ("parts", "failed"),
    [
        ("no-such-part help nor-this help", "make test: failed: no-such-part nor-this\n"),
        ("help help", ""),
    ],
)
def test_a_part_that_fails_hides_no_other(parts: str, failed: str) -> None:
    done = subprocess.run(
        ["make", "--no-print-directory", *SET_UP, "test", f"PARTS={parts}"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "MAKEFLAGS": ""},
    )
    assert done.returncode == (2 if failed else 0)
    said = done.stderr.splitlines(keepends=True)
    assert "".join(line for line in said if line.startswith("make test:")) == failed
    assert done.stdout.count("this list") == 2  # what `make help` prints
