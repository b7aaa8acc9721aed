"""On a real Slurm: are the bundles the same as on one machine, whatever happens to the cluster?

`make test-cluster` runs these; the folder of a workflow on a cluster may have no blank in its path,
because Snakemake hands it to nodes unquoted.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import test_killed
import test_workflow as workflow

from hil.tests.support.cluster import Cluster

pytestmark = pytest.mark.lab

GOAL = "results/metrics/{}.csv"
# The profile as it is, but for clusters without a database, and with the patience of a test.
COMMAND = [
    "setpriv", "--pdeathsig", "KILL", "snakemake", "--profile", "profiles/slurm",
    "--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "1",
    "--seconds-between-status-checks", "1", "--group-components", "trials=1",
]  # fmt: skip
MACHINE = test_killed.VICTIMS["the machine"]


def lay_out(workdir: Path, study: str) -> Path:
    workdir.mkdir()
    workflow.lay_out(workdir)
    (workdir / "config.yaml").write_text(workflow.CONFIG.replace("smoke", study), encoding="utf-8")
    (workdir / "tmp").mkdir()
    return workdir


def results(workdir: Path, study: str) -> dict[str, bytes]:
    """The bundles' sums, and the study's table: what two ways to run it must have in common."""
    sums = sorted((workdir / "data" / "raw" / study).glob("*/SHA256SUMS"))
    table = workdir / GOAL.format(study)
    return {path.parent.name: path.read_bytes() for path in sums} | {"": table.read_bytes()}


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, bytes]]:
    """What a study gives without a cluster."""
    known: dict[str, dict[str, bytes]] = {}

    def get(study: str) -> dict[str, bytes]:
        if study not in known:
            workdir = lay_out(tmp_path_factory.mktemp("alone") / study, study)
            done = workflow.snakemake(workdir, GOAL.format(study))
            assert done.returncode == 0, done.stderr
            known[study] = results(workdir, study)
        return known[study]

    return get


class Run:
    """A Snakemake that hands a study to a cluster."""

    def __init__(self, workdir: Path, cluster: Cluster, study: str, *options: str) -> None:
        self.workdir, self.cluster, self.study = workdir, cluster, study
        self.log = workdir / "snakemake.log"
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                [*COMMAND, *options, "--", GOAL.format(study)], cwd=workdir, stdout=output,
                stderr=subprocess.STDOUT,
                env=cluster.environment | {"TMPDIR": str(workdir / "tmp")},
            )  # fmt: skip

    def wait_for(self, condition: Callable[[], object], seconds: float = 180) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < deadline, f"not in time\n{self.said()}"
            time.sleep(0.1)

    def bundles(self) -> int:
        return len([*self.workdir.glob(f"data/raw/{self.study}/*/SHA256SUMS")])

    def said(self) -> str:
        logs = sorted(self.workdir.glob(".snakemake/slurm_logs/*/*.log"))
        return "\n".join(path.read_text(errors="replace")[-3000:] for path in [*logs, self.log])

    def succeed(self) -> dict[str, bytes]:
        assert self.process.wait(timeout=600) == 0, self.said()
        test_killed.wait_for(lambda: test_killed.processes(self.workdir) == {}, 20)
        return results(self.workdir, self.study)


@pytest.fixture
def workdir(tmp_path: Path) -> Path:
    return tmp_path / "place"


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster() as running:
        yield running


def test_a_node_dies_amid_its_trials_and_the_bundles_are_the_same(
    workdir: Path, cluster: Cluster, alone: Callable[[str], dict[str, bytes]]
) -> None:
    """Three jobs of up to twenty trials on two nodes, one of which is switched off and on again."""
    run = Run(lay_out(workdir, "quickstart"), cluster, "quickstart")
    run.wait_for(lambda: run.bundles() >= 6)
    cluster.kill_node("node1")
    run.wait_for(lambda: cluster.states()["node1"].startswith("down"))
    cluster.start_node("node1")
    assert run.succeed() == alone("quickstart")
    jobs = cluster.jobs()
    assert {node for _, _, node in jobs} == {"node1", "node2"}
    assert len(jobs) < 10  # for 48 trials


def test_a_job_beyond_its_time_limit_is_run_again(
    workdir: Path, cluster: Cluster, alone: Callable[[str], dict[str, bytes]]
) -> None:
    run = Run(lay_out(workdir, "smoke"), cluster, "smoke")
    run.wait_for(lambda: test_killed.victim(workdir, MACHINE))
    machine = test_killed.victim(workdir, MACHINE)
    os.kill(machine, signal.SIGSTOP)
    cluster.ask("scontrol", "update", "JobId=1", "TimeLimit=1")
    assert run.succeed() == alone("smoke")
    assert [state for _, state, _ in cluster.jobs()] == ["TIMEOUT", "COMPLETED"]


def test_a_killed_snakemake_is_resumed_by_the_same_command(
    workdir: Path, cluster: Cluster, alone: Callable[[str], dict[str, bytes]]
) -> None:
    first = Run(lay_out(workdir, "smoke"), cluster, "smoke")
    first.wait_for(lambda: test_killed.victim(workdir, MACHINE))
    first.process.kill()
    first.process.wait()
    assert Run(workdir, cluster, "smoke").succeed() == alone("smoke")


def test_a_job_waits_for_room_in_a_full_queue(
    workdir: Path, alone: Callable[[str], dict[str, bytes]]
) -> None:
    """Another user's job has the only slot. Slurm remembers ended jobs for longer than Snakemake,
    which polls at growing intervals, needs to notice them.
    """
    with Cluster(jobs=1, remember_s=90) as cluster:
        cluster.ask("sbatch", "--hold", "--wrap", "true")
        run = Run(lay_out(workdir, "smoke"), cluster, "smoke")
        run.wait_for(cluster.refused)
        cluster.ask("scancel", "1")
        assert run.succeed() == alone("smoke")


def test_what_a_full_queue_refused_is_all_that_is_left_to_do(
    workdir: Path, alone: Callable[[str], dict[str, bytes]]
) -> None:
    """One of two jobs is accepted, and no other ever: the second fails, and Snakemake with it."""
    rules = lay_out(workdir, "smoke") / "workflow" / "rules" / "common.smk"
    rules.write_text(rules.read_text().replace("\nBATCH = 20\n", "\nBATCH = 1\n"))
    with Cluster(jobs=1) as full:
        first = Run(workdir, full, "smoke", "--retries", "0")
        assert first.process.wait(timeout=600) == 1, first.said()
        assert full.refused()
        assert [state for _, state, _ in full.jobs()] == ["COMPLETED"]
    [made] = workdir.glob("data/raw/smoke/*/SHA256SUMS")
    then = made.stat().st_mtime_ns
    with Cluster() as roomy:
        assert Run(workdir, roomy, "smoke").succeed() == alone("smoke")
        assert len(roomy.jobs()) == 1
    assert made.stat().st_mtime_ns == then
