"""A host of its own within this one: systemd as the first process of new namespaces, over a copy of
this machine's files that ends with it. The network is this machine's, so that apt and pip work."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from types import TracebackType

from hil.base.paths import ROOT

SYSTEMD = "/usr/lib/systemd/systemd"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# What reaches the network through a proxy or with a certificate of one's own, as setup/as-newcomer.
_KEPT = (
    "THINWIRE_MIRROR", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE", "PIP_CERT", "PIP_INDEX_URL", "PIP_DEFAULT_TIMEOUT",
)  # fmt: skip
_COPIED = ("etc", "opt", "usr", "var", "root", "srv")
# Overlays want a tmpfs. Where this machine has control groups of version 1, so has the new host.
_BOOT = f"""
set -eu
mount --make-rprivate /
mount -t tmpfs tmpfs "$1"
for name in {" ".join(_COPIED)}; do
    own=$1/$name
    mkdir -p "$own/upper" "$own/work"
    mount -t overlay -o "lowerdir=/$name,upperdir=$own/upper,workdir=$own/work" overlay "/$name"
done
mount -t tmpfs -o mode=1777 tmpfs /tmp  # systemd empties it at its start
mount -t proc proc /proc
mount -t tmpfs -o mode=755 tmpfs /run
mkdir /run/lock /run/farm
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    mount -t cgroup2 cgroup2 /sys/fs/cgroup
else
    mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup
    mkdir /sys/fs/cgroup/systemd
    mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
fi
rm -rf /etc/thinwire /etc/systemd/system /opt/thinwire
mkdir /etc/systemd/system
# nothing that sets up the machine itself: its devices, parameters, clocks
cd /lib/systemd/system
find . -path './*.target.wants/*' ! -name 'systemd-journald.s*' -delete
for unit in remount-fs.service journald-dev-log.socket journald-audit.socket; do
    ln -s /dev/null "/etc/systemd/system/systemd-$unit"
done
exec env -i container=thinwire PATH={PATH} {SYSTEMD} \\
    --unit=basic.target --show-status=no --log-target=console
"""


class Space:
    """Such a host; `folder` is an empty one of this machine's, for its files and its log."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "log"
        self._files = folder / "files"
        self._files.mkdir()
        self._first = 0

    def __enter__(self) -> Space:
        # it ends with this process, however that ends
        words = ["setpriv", "--pdeathsig=KILL", "unshare", "--mount", "--pid", "--cgroup"]
        words += ["--uts", "--ipc", "--fork", "--kill-child"]
        with self._log.open("wb") as log:
            self._unshare = subprocess.Popen(
                [*words, "bash", "-c", _BOOT, "boot", str(self._files)],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        deadline = time.monotonic() + 60
        while not self._booted():
            assert self._unshare.poll() is None and time.monotonic() < deadline, self.log()
            time.sleep(0.2)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if self._first:
            os.kill(self._first, signal.SIGKILL)  # and with it all its processes
        self._unshare.kill()
        self._unshare.wait()

    def _booted(self) -> bool:
        pid = self._unshare.pid
        child = Path(f"/proc/{pid}/task/{pid}/children").read_text().strip()
        if not child or str(Path(f"/proc/{child}/exe").readlink()) != SYSTEMD:
            return False
        self._first = int(child)
        done = self.command(["systemctl", "is-active", "--quiet", "basic.target"])
        return subprocess.run(done, check=False, capture_output=True).returncode == 0

    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def command(self, words: list[str]) -> list[str]:
        """The words that start a command there."""
        spaces = ["--mount", "--pid", "--uts", "--ipc"]
        # it ends with nsenter, which has forked it
        return [
            "nsenter",
            f"--target={self._first}",
            *spaces,
            "setpriv",
            "--pdeathsig=KILL",
            *words,
        ]

    def run(self, script: str, timeout_s: float = 1800) -> str:
        """What a script of bash prints there. AssertionError with it, if it fails."""
        own = {"PATH": PATH, "HOME": "/root", "LC_ALL": "C.UTF-8"}
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        done = subprocess.run(
            self.command(["bash", "-euo", "pipefail", "-c", script]),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            text=True, errors="replace", check=False, timeout=timeout_s, cwd=ROOT, env=own | kept,
        )  # fmt: skip
        assert done.returncode == 0, f"{script}\n{done.stdout[-4000:]}"
        return done.stdout
