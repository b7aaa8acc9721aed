"""Does `make test` run every part, and name the parts that failed?"""

from __future__ import annotations

import os
import subprocess

import pytest

from hil.base.paths import ROOT

# What `make test` would install is there, since this test runs.
SET_UP = ("--old-file=setup", "--old-file=setup-tests")


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
