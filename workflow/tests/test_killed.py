"""Whichever process of a workflow is killed: the same command makes it whole and leaves nothing."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
import test_workflow as workflow

from hil.system import scratch

ROOT = Path(__file__).resolve().parents[2]
# As `make paper` starts a workflow, with a goal of its own; trials that last long enough to be met.
COMMAND = [
    "make",
    f"--makefile={ROOT / 'Makefile'}",
    "--eval=smoke: ; @$(WORKFLOW) --cores 2 --config profile=full -- results/metrics/smoke.csv",
    "smoke",
]
MACHINE, STARTER = "initrd=image.cpio", "hil.commands.forkserver"
# A process of a running workflow, by the file or word that its command line names; -1: the newest
# of those that do.
VICTIMS = {
    "make": ("make --makefile", 0),
    "snakemake": ("bin/snakemake", 0),
    "the job's shell": ("set -euo pipefail", 0),
    "the starter of trials": (STARTER, 0),
    "who waits for the trial": ("scripts/start.py", 0),
    "the trial": (STARTER, -1),
    "the machine that is copied": (MACHINE, 0),
    "its copy": (MACHINE, -1),
    "the analysis": ("exec/R", 0),
}


@pytest.fixture
def workdir(tmp_path):
    """A working folder with all that is built and no trial; scratch folders lie in it, too."""
    folder = tmp_path / "a workflow"
    workflow.lay_out(folder)
    (folder / "tmp").mkdir()
    return folder


def start(workdir, log):
    environment = {**os.environ, "TMPDIR": str(workdir / "tmp")}
    with log.open("wb") as output:
        return subprocess.Popen(
            COMMAND, cwd=workdir, env=environment, stdout=output, stderr=subprocess.STDOUT
        )


def processes(workdir):
    """Command lines by number of all processes that work in `workdir`."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            where = (entry / "cwd").readlink()
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if words and where.is_relative_to(workdir):
            found[int(entry.name)] = words
    return found


def wait_for(condition, seconds=120):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "this did not come about in time"
        time.sleep(0.02)
    return found


def victim(workdir, word, which=0):
    found = sorted(number for number, words in processes(workdir).items() if word in words)
    return found[which] if found else None


@pytest.mark.lab
@pytest.mark.parametrize(("word", "which"), VICTIMS.values(), ids=VICTIMS)
def test_after_any_kill_the_same_command_is_all_it_takes(workdir, tmp_path, word, which):
    first = start(workdir, tmp_path / "first.log")
    if word in {"make --makefile", "bin/snakemake", STARTER}:
        wait_for(lambda: victim(workdir, MACHINE))
    target = wait_for(lambda: victim(workdir, word, which))
    os.kill(target, signal.SIGKILL)
    first.wait(timeout=300)
    wait_for(lambda: processes(workdir) == {}, 20)
    again = start(workdir, tmp_path / "again.log")
    assert again.wait(timeout=600) == 0, (tmp_path / "again.log").read_text()
    wait_for(lambda: processes(workdir) == {}, 20)
    assert list((workdir / "tmp").glob(f"{scratch.PREFIX}*")) == []
    assert list(workdir.rglob(".new-*")) == []


@pytest.mark.lab
def test_a_killed_make_takes_its_workflow_along(workdir, tmp_path):
    first = start(workdir, tmp_path / "first.log")
    wait_for(lambda: victim(workdir, MACHINE))
    first.kill()
    first.wait()
    wait_for(lambda: processes(workdir) == {}, 20)


@pytest.mark.lab
def test_a_second_instance_leaves_the_first_alone(workdir, tmp_path):
    first = start(workdir, tmp_path / "first.log")
    working = wait_for(lambda: victim(workdir, "scripts/start.py"))
    os.kill(working, signal.SIGSTOP)  # it is not over before the second begins
    second = start(workdir, tmp_path / "second.log")
    status = second.wait(timeout=120)
    os.kill(working, signal.SIGCONT)
    assert status != 0
    assert "cannot be locked" in (tmp_path / "second.log").read_text()
    assert first.wait(timeout=600) == 0, (tmp_path / "first.log").read_text()
