"""Does set-up install servers without starting them, now or at the next boot?

A package with a service is built and installed by dpkg on a copy of this system (overlayfs), of
which nothing stays.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from hil.base.paths import ROOT
from hil.tests.support import permits

pytestmark = [
    pytest.mark.root,
    pytest.mark.skipif(os.geteuid() != 0, reason="installs a package on a copy of this system"),
    pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="needs a Debian system"),
]

SCRIPT = ROOT / "setup" / "without-services"
POLICY = "/usr/sbin/policy-rc.d"
# What debhelper writes into a package with a service: enable it for both kinds of init, start it.
POSTINST = """#!/bin/sh
set -e
deb-systemd-helper enable thinwire-probe.service >/dev/null
update-rc.d thinwire-probe defaults
invoke-rc.d --disclose-deny thinwire-probe start || echo "refused: $?" >/tmp/refused
"""
UNIT = "[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n"
INIT = """#!/bin/sh
### BEGIN INIT INFO
# Provides: thinwire-probe
# Default-Start: 2 3 4 5
# Default-Stop: 0 1 6
### END INIT INFO
touch /tmp/started
"""
WANTED = "/etc/systemd/system/multi-user.target.wants/thinwire-probe.service"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    tree = tmp_path / "package"
    files = {
        "DEBIAN/control": "Package: thinwire-probe\nVersion: 1\nArchitecture: all\n"
        "Maintainer: nobody <nobody@example.org>\nDescription: a service\n",
        "DEBIAN/postinst": POSTINST,
        "lib/systemd/system/thinwire-probe.service": UNIT,
        "etc/init.d/thinwire-probe": INIT,
    }
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    for name in ("DEBIAN/postinst", "etc/init.d/thinwire-probe"):
        (tree / name).chmod(0o755)
    made = tmp_path / "probe.deb"
    subprocess.run(["dpkg-deb", "--build", "-Znone", tree, made], check=True, capture_output=True)
    return made


@pytest.fixture
def copy(package: Path, tmp_path: Path) -> Callable[[str], str]:
    """Runs shell commands in a new copy of this system, with the script as /tmp/without-services
    and the package as /tmp/probe.deb; what they print."""
    permits.require("unshare", "--mount")
    (tmp_path / "copy").mkdir()
    (tmp_path / "copied").mkdir()
    for file in (SCRIPT, package):
        shutil.copy(file, tmp_path / "copied")
    enter = (
        "mount -t tmpfs none copy && cd copy && mkdir upper work system && "
        "mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work system && "
        "mount -t proc proc system/proc && mount --rbind /dev system/dev && "
        'mount --bind ../copied system/tmp && exec chroot system sh -c "$0"'
    )

    def run(commands: str) -> str:
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", enter, commands],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def host_policy(text: str) -> str:
    """The commands that make a host in runlevel 3 with this policy; with none for an empty text."""
    runlevel = "rm -f /sbin/runlevel; printf '#!/bin/sh\\necho N 3' >/sbin/runlevel\n"
    runlevel += "chmod 755 /sbin/runlevel\n"
    if not text:
        return f"{runlevel}rm -f {POLICY}\n"
    return f"{runlevel}printf '{text}' >{POLICY}\nchmod 755 {POLICY}\n"


STATE = f"""
test -e /tmp/started && echo started
test -e /tmp/refused && cat /tmp/refused
test -L {WANTED} && echo enabled
ls /etc/rc3.d | grep -q S..thinwire-probe && echo enabled for init
cat {POLICY} 2>/dev/null
true
"""
OWN = "#!/bin/sh\\nexit 0\\n"


def test_a_service_starts_and_is_enabled_without_the_script(copy: Callable[[str], str]) -> None:
    """Or the other tests would show nothing."""
    said = copy(host_policy("") + "dpkg -i /tmp/probe.deb >/dev/null" + STATE)
    assert said == "started\nenabled\nenabled for init\n"


@pytest.mark.parametrize("policy", ["", OWN], ids=["no policy", "a policy that allows all"])
def test_a_service_is_installed_and_neither_started_nor_enabled(
    copy: Callable[[str], str], policy: str
) -> None:
    install = "/tmp/without-services dpkg -i /tmp/probe.deb >/dev/null"
    said = copy(host_policy(policy) + install + STATE)
    assert said == "refused: 101\n" + policy.replace("\\n", "\n")


@pytest.mark.parametrize(
    ("command", "status"), [("exit 7", 7), ("kill -TERM $PPID", 143), ("kill -KILL $PPID", 137)]
)
@pytest.mark.parametrize("policy", ["", OWN], ids=["no policy", "a policy that allows all"])
def test_the_hosts_policy_is_put_back_however_the_command_ends(
    copy: Callable[[str], str], policy: str, command: str, status: int
) -> None:
    """After a SIGKILL, the next run puts it back."""
    said = copy(
        host_policy(policy)
        + f"/tmp/without-services sh -c '{command}' 2>/dev/null; echo $?\n"
        + ("/tmp/without-services true\n" if status == 137 else "")
        + f"cat {POLICY} 2>/dev/null; test ! -e {POLICY} || test -x {POLICY}; echo $?\n"
        + f"ls {POLICY}.* 2>/dev/null; true"
    )
    assert said == f"{status}\n" + policy.replace("\\n", "\n") + "0\n"


@pytest.mark.parametrize(
    ("policy", "status"), [("", 0), ("#!/bin/sh\\nexit 101\\n", 101)], ids=["none", "refuses"]
)
def test_a_service_that_runs_is_restarted_as_the_host_allows(
    copy: Callable[[str], str], policy: str, status: int
) -> None:
    running = "printf '#!/bin/sh\\nexit 0\\n' >/usr/local/bin/systemctl\n"
    running += "chmod 755 /usr/local/bin/systemctl\n"
    asks = f"/tmp/without-services {POLICY} some.service restart; echo $?\n"
    assert copy(host_policy(policy) + running + asks) == f"{status}\n"
