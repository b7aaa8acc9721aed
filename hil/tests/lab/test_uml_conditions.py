"""Has a trial in the machine `uml` the same digest however this host starts it?

Each condition is a command before the one that runs the trial. hil/tests/lab/test_uml.py has those
that need more than a command.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hil.base.paths import ROOT
from hil.machine import flavours, machines
from hil.machine.job import Job
from hil.machine.uml import kernel, run
from hil.tests.support import permits
from hil.tests.support.uml import MQTT, Noted, request, sums

pytestmark = pytest.mark.lab

_SHELL = ("sh", "-c")
CONDITIONS: dict[str, tuple[str, ...]] = {
    "no randomised addresses": ("setarch", "-R"),
    "least priority": ("nice", "-n", "19"),
    "one processor": ("taskset", "-c", str(min(os.sched_getaffinity(0)))),
    "private files": (*_SHELL, 'umask 077; exec "$@"', "sh"),
    "few open files": (*_SHELL, 'ulimit -n 128; exec "$@"', "sh"),
    "small stack": (*_SHELL, 'ulimit -s 1024; exec "$@"', "sh"),
    "no input": (*_SHELL, 'exec "$@" <&-', "sh"),
    "far from Greenwich": ("env", "TZ=Pacific/Kiritimati", "LC_ALL=de_DE.UTF-8", "LANGUAGE=de"),
    "no environment": ("env", "-i"),
    "a host up for years": (
        "unshare", "--user", "--map-root-user", "--time", "--monotonic", "31536000",
        "--boottime", "63072000", "--fork", "--kill-child",
    ),
    # Then it is read instead (setup/uml/image.c).
    "an image that cannot be mapped": (
        "unshare", "--user", "--map-root-user", "--mount", *_SHELL,
        'mount --bind build/lab build/lab && mount -o remount,bind,noexec build/lab && exec "$@"',
        "sh",
    ),
    # What containers of an ordinary user are made of.
    "rootless container": (
        "unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--mount-proc",
        "--uts", "--ipc", "--net", "--cgroup", "--kill-child",
    ),
}  # fmt: skip


def run_once(folder: Path) -> None:
    """Run the trial; its sums as one line of JSON. In a process of its own."""
    made = machines.Uml().prepare(flavours.COMMON)
    print(json.dumps(sums(run.run(made, Job(request(MQTT), folder, 600)))))


def trial_under(words: tuple[str, ...], folder: Path) -> dict[str, str]:
    """The sums of a trial whose process these words start."""
    folder.mkdir()
    code = (
        "import sys; from pathlib import Path; from hil.tests.lab import test_uml_conditions as t; "
        "t.run_once(Path(sys.argv[1]))"
    )
    done = subprocess.run(
        [*words, sys.executable, "-c", code, folder],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    if why := kernel.why_not():
        pytest.fail(why)
    return trial_under((), tmp_path_factory.mktemp("plain") / "trial")


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_digest_does_not_depend_on(
    condition: str, plain: dict[str, str], tmp_path: Path, noted: Noted
) -> None:
    words = CONDITIONS[condition]
    if shutil.which(words[0]) is None:
        pytest.fail(f"{words[0]} is missing")
    if words[0] in ("setarch", "unshare"):
        permits.require(*words)
    assert noted(trial_under(words, tmp_path / "trial")) == plain
