"""Has a trial the same digest in a rootless container of podman as outside?

`make test-container` runs it as an ordinary user: podman makes no rootless container for root. The
container has this host's programs and the clone, and of its own what podman gives to any: a profile
of seccomp, few capabilities, no network, a /dev/shm of 64 MB in which nothing may be executed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hil.machine.uml import kernel
from hil.schema import ROOT
from hil.tests.test_uml_conditions import trial_under

pytestmark = pytest.mark.lab

# The host's: programs, what links of /usr point to, and Python where it lies elsewhere.
_SHARED = ("/usr", "/etc/alternatives", sys.base_prefix)
_MODES = ("on", "off")
_SELF = "/proc/self/status"


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, ...]]:
    """The words before a command that run it in a container."""
    if shutil.which("podman") is None:
        pytest.fail("podman is missing; run 'setup/install setup/container'")
    if os.geteuid() == 0:
        pytest.fail("root has no rootless container; run this as an ordinary user")
    if why := kernel.why_not():
        pytest.fail(why)
    root = tmp_path_factory.mktemp("container")
    outside = tmp_path_factory.getbasetemp()
    for name in ("dev", "etc", "proc", "run", "sys", "tmp", "usr", "var/tmp"):
        (root / name).mkdir(parents=True)
    for name in ("bin", "lib", "lib64", "sbin"):
        (root / name).symlink_to(f"usr/{name}")
    shared = {Path(place).resolve() for place in _SHARED}
    tops = [place for place in shared if not any(other in place.parents for other in shared)]
    yield (
        "podman", "--cgroup-manager=cgroupfs", "--log-level=error",
        "run", "--rm", "--cgroups=disabled", "--network=none", f"--workdir={ROOT}",
        *(f"--volume={place}:{place}:ro" for place in tops),
        *(f"--volume={place}:{place}" for place in (ROOT, outside)),
        f"--env=PATH={os.environ['PATH']}", "--env=LC_ALL=C",
        "--rootfs", str(root),
    )  # fmt: skip
    # What is made in it may belong to numbers of users that only such a name space can dispose of.
    subprocess.run(["podman", "unshare", "rm", "-rf", str(root)], check=False)


def test_it_is_a_container_without_rights(container: tuple[str, ...]) -> None:
    done = subprocess.run([*container, "cat", _SELF], capture_output=True, text=True, check=True)
    said = dict(line.split(":\t", 1) for line in done.stdout.splitlines())
    outside = dict(line.split(":\t", 1) for line in Path(_SELF).read_text().splitlines())
    assert said["Seccomp"] == "2" and outside["Seccomp"] != "2"
    assert said["Pid"] == "1"
    assert int(said["CapBnd"], 16) != int(outside["CapBnd"], 16)


def test_a_trial_has_the_same_digest_in_a_container(
    container: tuple[str, ...], tmp_path: Path
) -> None:
    assert trial_under(container, tmp_path / "inside") == trial_under((), tmp_path / "outside")
