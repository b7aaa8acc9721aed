#!/usr/bin/env python3
"""A private Slurm on this machine: `cluster.py [--nodes N] [--cpus N] COMMAND...` runs COMMAND with
it, and exits with COMMAND's status.

munged, slurmctld and a slurmd for each node run as this user, in a folder that is gone afterwards;
no systemd is needed. A node has an /etc/slurm and processes of its own (name spaces), so that
killing it is what a power failure is to a real one.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pwd
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

_READY_S = 30.0
_POLL_S = 0.1
_CONFIGURATION = """\
ClusterName=thinwire
SlurmctldHost=localhost
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdPidFile={folder}/%n.pid
SlurmdLogFile={folder}/%n.log
SlurmdSpoolDir={folder}/%n
StateSaveLocation={folder}/state
# no cgroups: a machine without systemd, or a container, gives none away
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
# as many CPUs as said, whatever this machine has
SlurmdParameters=config_overrides
# a node that is silent for so many seconds is down; back again, it works
SlurmdTimeout={timeout}
ReturnToService=2
KillWait=2
# what has ended stays in the queue's list, which is all that is known of it without a database
MinJobAge={remember}
# one more than it takes, those that have ended and are remembered among them
MaxJobCount={limit}
NodeName=node[1-{nodes}] NodeHostname=localhost Port=[{first}-{last}] CPUs={cpus} \\
  RealMemory={memory}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
# What a node runs. Not every job's environment says where the configuration is: some look in /etc.
_NODE = """
mount --bind "$0/etc" /etc/slurm
exec setpriv --inh-caps=-all --ambient-caps=-all slurmd -D -N "$1"
"""


def _free_ports(count: int) -> int:
    """The first of `count` consecutive TCP ports of this host that nobody listens at.

    Raises:
        OSError: there are none.
    """
    for first in range(16800, 32000, count):
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            for port in range(first, first + count):
                stack.enter_context(socket.socket()).bind(("", port))
            return first
    raise OSError(f"no {count} free TCP ports in a row")


class Cluster:
    """A running Slurm, as a context.

    `cpus` and `memory_mib` are those of each of the `nodes`; a node that is silent for `timeout_s`
    counts as down. The queue has room for `jobs`, of which it remembers one for `remember_s` after
    its end (at least; Slurm forgets once a minute).
    """

    def __init__(
        self, *, nodes: int = 2, cpus: int = 2, memory_mib: int = 4000, timeout_s: int = 5,
        jobs: int = 10_000, remember_s: int = 86_400,
    ) -> None:  # fmt: skip
        self.nodes = [f"node{number}" for number in range(1, nodes + 1)]
        self._settings = {
            "nodes": nodes, "cpus": cpus, "memory": memory_mib, "timeout": timeout_s,
            "limit": jobs + 1, "remember": remember_s, "user": pwd.getpwuid(os.geteuid()).pw_name,
        }  # fmt: skip
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Cluster:
        with self._stack:
            self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(dir="/tmp")))
            self._folder.chmod(0o711)  # munged requires its socket to be accessible to everybody
            self._write()
            self.environment = os.environ | {"SLURM_CONF": str(self._folder / "etc" / "slurm.conf")}
            self._stack.callback(self._end)
            self._start("munged", self._munged())
            self._wait_for((self._folder / "munge.socket").exists, "munged")
            self._start("slurmctld", ["slurmctld", "-D", "-i"])
            for node in self.nodes:
                self.start_node(node)
            self._wait_for(
                lambda: self.states() == dict.fromkeys(self.nodes, "idle"), "slurmctld and slurmd"
            )
            self._stack = self._stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self._stack.close()

    def _write(self) -> None:
        first = _free_ports(1 + len(self.nodes))
        text = _CONFIGURATION.format(
            **self._settings, folder=self._folder, port=first, first=first + 1,
            last=first + len(self.nodes),
        )  # fmt: skip
        for name in ("etc", "state"):
            (self._folder / name).mkdir()
        (self._folder / "etc" / "slurm.conf").write_text(text, encoding="utf-8")
        key = self._folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(secrets.token_bytes(128))

    def _munged(self) -> list[str | Path]:
        places = {"key-file": "munge.key", "socket": "munge.socket", "pid-file": "munged.pid",
                  "log-file": "munged.log", "seed-file": "munged.seed"}  # fmt: skip
        words = [f"--{word}={self._folder / name}" for word, name in places.items()]
        return ["munged", "--foreground", *words]

    def _start(self, name: str, command: list[str | Path]) -> None:
        with (self._folder / f"{name}.out").open("wb") as output:
            self._running[name] = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *command], env=self.environment,
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, cwd=self._folder,
            )  # fmt: skip

    def _wait_for(self, ready: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + _READY_S
        while not ready():
            ended = [name for name, process in self._running.items() if process.poll() is not None]
            if ended or time.monotonic() > deadline:
                said = "".join(
                    f"\n{path.name}: {path.read_text(errors='replace')[-500:]}"
                    for path in sorted(self._folder.glob("*.out"))
                )
                raise RuntimeError(f"{what}: not ready, {ended or 'in time'}{said}")
            time.sleep(_POLL_S)

    def _end(self) -> None:
        """End the nodes first, then the controller."""
        for name in reversed(self._running):
            self._kill(name)

    def _kill(self, name: str) -> None:
        self._running[name].send_signal(signal.SIGKILL)
        self._running[name].wait()

    def start_node(self, name: str) -> None:
        """Switch a node on."""
        own = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
        if os.geteuid() != 0:
            own += ["--user", "--map-current-user", "--keep-caps"]
        self._start(name, [*own, "sh", "-c", _NODE, self._folder, name])

    def kill_node(self, name: str) -> None:
        """Switch a node off: all its processes are gone at once."""
        self._kill(name)

    def ask(self, *command: str) -> str:
        """Return the output of a Slurm command.

        Raises:
            subprocess.CalledProcessError: it failed.
        """
        return subprocess.run(
            command, env=self.environment, check=True, stdout=subprocess.PIPE, text=True
        ).stdout

    def refused(self) -> bool:
        """Has the full queue refused a job?"""
        log = self._folder / "slurmctld.log"
        return "MaxJobCount limit from slurm.conf reached" in log.read_text(encoding="utf-8")

    def states(self) -> dict[str, str]:
        """The nodes and what they do, in Slurm's words."""
        try:
            lines = self.ask("sinfo", "--noheader", "--Node", "--format=%N %T").splitlines()
        except subprocess.CalledProcessError:  # it is starting
            return {}
        return dict(line.split() for line in lines)

    def jobs(self) -> list[tuple[str, str, str]]:
        """Number, state and node of each job that this Slurm has had, in order."""
        lines = self.ask("squeue", "--noheader", "--states=all", "--format=%i|%T|%N").splitlines()
        return sorted((tuple(line.split("|")) for line in lines), key=lambda job: int(job[0]))  # type: ignore[misc]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--cpus", type=int, default=os.cpu_count() or 1, help="of each node")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    settings = parser.parse_args()
    try:
        with Cluster(nodes=settings.nodes, cpus=settings.cpus) as cluster:
            return subprocess.run(settings.command, env=cluster.environment, check=False).returncode
    except (OSError, RuntimeError) as error:
        print(f"cluster.py: {error}; 'setup/install setup/slurm' installs it", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
