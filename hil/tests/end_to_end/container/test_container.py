"""Has a trial the same digest in a container as outside?

`make test-container` runs it: as an ordinary user in a rootless container of podman, as root, for
whom podman makes none, in one of docker, with a daemon of its own. The container has this host's
programs and the clone, and of its own what is given to any: a profile of seccomp, few capabilities,
no network, a /dev/shm of 64 MB in which nothing may be executed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hil.base.paths import ROOT
from hil.machine.uml import kernel
from hil.tests.lab.test_uml_conditions import trial_under

pytestmark = pytest.mark.lab

# The host's: programs, what links of /usr point to, and Python where it lies elsewhere.
_SHARED = ("/usr", "/etc/alternatives", sys.base_prefix)
_SELF = "/proc/self/status"
_IMAGE, _START_S = "thinwire-nothing", 30.0


def need(program: str) -> None:
    if shutil.which(program) is None:
        pytest.fail(f"{program} is missing; run 'setup/install setup/container'")


def make_root(root: Path) -> None:
    """An empty file system in which this host's programs find themselves."""
    for name in ("dev", "etc", "proc", "run", "sys", "tmp", "usr", "var/tmp"):
        (root / name).mkdir(parents=True)
    for name in ("bin", "lib", "lib64", "sbin"):
        (root / name).symlink_to(f"usr/{name}")


@contextmanager
def docker(root: Path, folder: Path) -> Iterator[tuple[tuple[str, ...], str]]:
    """The words that make a container of docker, and its image, while a daemon of ours runs."""
    need("dockerd")
    client = ("docker", "--host", f"unix://{folder}/socket")
    places = [f"--{name}={folder}/{name}" for name in ("data-root", "exec-root", "pidfile")]
    words = "dockerd --bridge=none --iptables=false --ip6tables=false --storage-driver=vfs"
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(
            [*words.split(), f"--host=unix://{folder}/socket", *places], stdout=log, stderr=log
        ) as daemon,
    ):
        try:
            deadline = time.monotonic() + _START_S
            while subprocess.run([*client, "info"], capture_output=True, check=False).returncode:
                assert daemon.poll() is None and time.monotonic() < deadline, (
                    folder / "log"
                ).read_text(encoding="utf-8")
                time.sleep(0.2)
            with subprocess.Popen(["tar", "-C", root, "-c", "."], stdout=subprocess.PIPE) as packed:
                subprocess.run([*client, "import", "-", _IMAGE], stdin=packed.stdout, check=True)
            yield (*client, "run", "--rm"), _IMAGE
        finally:
            daemon.terminate()


@contextmanager
def podman(root: Path) -> Iterator[tuple[tuple[str, ...], str]]:
    """The words that make a rootless container of podman, and its root."""
    need("podman")
    words = "podman --cgroup-manager=cgroupfs --log-level=error run --rm --cgroups=disabled"
    yield (*words.split(), "--rootfs"), str(root)
    # What is made in it may belong to numbers of users that only such a name space can dispose of.
    subprocess.run(["podman", "unshare", "rm", "-rf", str(root)], check=False)


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, ...]]:
    """The words before a command that run it in a container."""
    if why := kernel.why_not():
        pytest.fail(why)
    root, outside = tmp_path_factory.mktemp("container"), tmp_path_factory.getbasetemp()
    make_root(root)
    shared = {Path(place).resolve() for place in _SHARED}
    tops = [place for place in shared if not any(other in place.parents for other in shared)]
    options = (
        "--network=none", f"--workdir={ROOT}",
        *(f"--volume={place}:{place}:ro" for place in tops),
        *(f"--volume={place}:{place}" for place in (ROOT, outside)),
        f"--env=PATH={os.environ['PATH']}", "--env=LC_ALL=C",
    )  # fmt: skip
    made = podman(root) if os.geteuid() else docker(root, tmp_path_factory.mktemp("docker"))
    with made as (words, image):
        yield (*words, *options, image)


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
