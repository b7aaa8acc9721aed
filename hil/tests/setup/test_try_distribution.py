"""Does setup/try-distribution make a base system of each suite with any debootstrap?

debootstrap is a script here, which writes down its arguments and fails.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from hil.base.paths import ROOT

pytestmark = [
    pytest.mark.root,
    pytest.mark.skipif(os.geteuid() != 0, reason="changes the root of files"),
]
SCRIPT = ROOT / "setup/try-distribution"
DEBOOTSTRAP = """#!/bin/sh
echo "W: signatures are not checked"
echo "$@"
exit 1
"""


def asked(place: Path, suite: str, known: tuple[str, ...]) -> str:
    """The last words that debootstrap gets, which has scripts for the `known` suites."""
    (place / "scripts").mkdir()
    for name in known:
        (place / "scripts" / name).touch()
    program = place / "bin/debootstrap"
    program.parent.mkdir()
    program.write_text(DEBOOTSTRAP, encoding="utf-8")
    program.chmod(0o755)
    own = {
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "DEBOOTSTRAP_DIR": str(place),
        "THINWIRE_CHROOTS": str(place / "chroots"),
        "THINWIRE_APT": "mirror:/x",
    }
    done = subprocess.run(
        [SCRIPT, suite], env=os.environ | own, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    (said,) = (line for line in done.stderr.splitlines() if "debootstrap failed: " in line)
    base = place / "chroots" / suite
    return said.partition(f" {suite} {base}.part ")[2].partition(" (")[0].replace(f"{place}/", "")


@pytest.mark.parametrize(
    ("suite", "known", "words"),
    [
        ("noble", ("gutsy", "sid", "noble"), "mirror:/x"),
        ("noble", ("gutsy", "sid"), "mirror:/x scripts/gutsy"),  # Debian 12's
        ("trixie", ("gutsy", "sid"), "mirror:/x scripts/sid"),  # Ubuntu 22.04's
    ],
)
def test_a_suite_that_debootstrap_does_not_know_has_the_script_of_its_distribution(
    tmp_path: Path, suite: str, known: tuple[str, ...], words: str
) -> None:
    assert asked(tmp_path, suite, known) == words


def test_a_suite_that_this_project_does_not_know_is_refused(tmp_path: Path) -> None:
    done = subprocess.run([SCRIPT, "woody"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "try: no suite 'woody': bookworm, trixie, sid or noble\n"
