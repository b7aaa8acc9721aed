"""Which tests are skipped where a host forbids something: with Docker's default seccomp rules, on
this host.
"""

from __future__ import annotations

import ctypes.util
import os
import subprocess
import sys

import pytest

from hil.base.paths import ROOT
from hil.tests.support import permits

pytestmark = [
    pytest.mark.skipif(not ctypes.util.find_library("seccomp"), reason="needs libseccomp"),
    pytest.mark.skipif(os.uname().machine != "x86_64", reason="the rules are those of x86-64"),
]
FILTER = ROOT / "tools" / "as_in_docker.py"


def in_docker(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, FILTER, *words], capture_output=True, text=True, check=False, cwd=ROOT
    )


@pytest.mark.parametrize(
    "words", [("unshare", "--user"), ("setarch", "-R"), ("unshare", "--net")], ids=" ".join
)
def test_the_rules_forbid_what_tests_ask_for(words: tuple[str, ...]) -> None:
    done = in_docker(*words, "true")
    assert done.returncode == 1
    assert "Operation not permitted" in done.stderr
    assert in_docker("setarch", "x86_64", "true").returncode == 0  # and not more than that


def test_a_test_of_what_is_forbidden_is_skipped_with_the_reason() -> None:
    code = (
        "import pytest\n"
        "from hil.tests.support import permits\n"
        "try:\n"
        "    permits.require('setarch', '-R')\n"
        "except pytest.skip.Exception as skipped:\n"
        "    print(skipped)\n"
    )
    said = in_docker(sys.executable, "-c", code).stdout
    assert said.startswith("this host forbids 'setarch -R': setarch: failed to set personality")


def test_doctor_reports_it_and_what_goes_without() -> None:
    code = (
        "from hil.commands import checks\n"
        "for finding in checks.permissions():\n"
        "    print(finding.what, finding.state, finding.note, sep='|')\n"
    )
    lines = in_docker(sys.executable, "-c", code).stdout.splitlines()
    assert [line.split("|")[0] for line in lines] == [
        "user namespaces",
        "disabling address randomisation",
    ]
    for line in lines:
        assert "Operation not permitted" in line
        assert line.endswith("skipped")


def test_what_is_permitted_is_not_skipped() -> None:
    permits.require("env", "-u", "NOTHING")
