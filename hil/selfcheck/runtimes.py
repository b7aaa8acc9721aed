"""Do clients of each runtime repeat here? `python -m hil.selfcheck.runtimes`

It builds each example of a program (examples/), or those that are named. It runs the trial of the
first seed ten times, and once under each further condition of this host. It prints CSV: how many of
these runs have the digest of the first one. Exit status 1 if a run differs or an example cannot run
here.
"""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

from hil.base.errors import LabError, ThinwireError
from hil.base.paths import ROOT
from hil.commands import example, tries
from hil.design import tryfile
from hil.design.device import BOARDS
from hil.machine import image
from hil.selfcheck.determinism import busy, digest
from hil.system import scratch
from hil.testbeds import runner

RUNS = 10
_NOBODY = 65534
_LONG = "a folder with a long name, and spaces " * 3
# Words before the command that runs the trial.
COMMANDS: dict[str, tuple[str, ...]] = {
    "one processor": ("taskset", "-c", str(min(os.sched_getaffinity(0)))),
    "least priority": ("nice", "-n", "19"),
    "no randomised addresses": ("setarch", "-R"),
    "another time zone, 100 more variables": (
        "env", "TZ=Pacific/Kiritimati", "LC_ALL=de_DE.UTF-8",
        *(f"VARIABLE_{number}={'x' * 100}" for number in range(100)),
    ),
    "no environment, umask 077": ("env", "-i", "sh", "-c", 'umask 077; exec "$@"', "sh"),
}  # fmt: skip


def once(folder: Path, package: Path, out: Path) -> str:
    """Run the trial of a folder's first seed; return the digest of its bundle.

    Raises:
        LabError: its outcome is not `ok`.
    """
    (trial, *_) = tryfile.read(folder).trials()
    testbed = runner.testbed("virtual", machine="uml")
    testbed.prepare()
    done = runner.run(trial, testbed, out, device=package)
    if done.outcome != "ok":
        raise LabError(f"{folder.name}: the trial is {done.outcome}: {done.reason}")
    return digest(done.folder)


def _child(words: tuple[str, ...], *paths: Path) -> str:
    """Run the trial in a process that these words start."""
    code = (
        "import sys; from pathlib import Path; from hil.selfcheck import runtimes; "
        "print(runtimes.once(*map(Path, sys.argv[1:])))"
    )
    done = subprocess.run(
        [*words, sys.executable, "-c", code, *paths],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    if done.returncode:
        raise LabError(f"{words[0]}: {done.stderr.strip().splitlines()[-1]}")
    return done.stdout.strip()


def _as_nobody(*paths: Path) -> str:
    """Run the trial as another user, who owns the last of the paths. The image is built before,
    since this checkout is not theirs."""
    out, made = paths[-1], image.build()
    out.mkdir()
    os.chown(out, _NOBODY, _NOBODY)
    reading, writing = os.pipe()
    if (pid := os.fork()) == 0:
        try:
            os.setgroups([])
            os.setgid(_NOBODY)
            os.setuid(_NOBODY)
            os.environ["TMPDIR"] = tempfile.tempdir = str(out)
            image.build = lambda *_: made
            os.write(writing, once(*paths).encode())
            os._exit(0)
        except BaseException:  # the process's outermost boundary
            traceback.print_exc()
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as said:
        found = said.read()
    if os.waitpid(pid, 0)[1]:
        raise LabError("the trial of another user failed")
    return found


def _beside_others(*paths: Path) -> str:
    with busy(2 * (os.cpu_count() or 1)):
        return once(*paths)


def _elsewhere(folder: Path, package: Path, out: Path) -> str:
    """Run the trial of a copy in a folder with a long name."""
    copy = out / _LONG
    shutil.copytree(
        folder, copy, ignore=shutil.ignore_patterns("node_modules", "modules", "target")
    )
    moved = Path(shutil.copy(package, copy / "device.tar"))
    return once(copy, moved, copy / "out")


def conditions() -> dict[str, Callable[[Path, Path, Path], str]]:
    """Return what runs a trial under each condition that this host allows, by its name."""
    found: dict[str, Callable[[Path, Path, Path], str]] = {
        "busy host": _beside_others,
        "another folder": _elsewhere,
    }
    if os.geteuid() == 0 and all(path.stat().st_mode & 0o001 for path in (ROOT, *ROOT.parents)):
        found["another user"] = _as_nobody  # who can read this checkout
    for name, words in COMMANDS.items():
        if subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0:
            found[name] = lambda *paths, words=words: _child(words, *paths)
    return found


def measure(folder: Path, package: Path, aside: Path, runs: int = RUNS) -> dict[str, list[str]]:
    """Return the digests of a trial's runs: `undisturbed`, and one under each condition."""
    found = {"undisturbed": [once(folder, package, aside / str(run)) for run in range(runs)]}
    for number, (name, run) in enumerate(conditions().items()):
        found[name] = [run(folder, package, aside / f"condition-{number}")]
    return found


def equal(found: dict[str, list[str]]) -> dict[str, str]:
    """Return, by condition, how many of its runs have the digest of the very first run."""
    first = found["undisturbed"][0]
    return {name: f"{digests.count(first)} of {len(digests)}" for name, digests in found.items()}


def programs() -> list[str]:
    """Return the examples whose device is a foreign program."""
    read = {name: tryfile.read(example.EXAMPLES / name) for name in example.languages()}
    return [name for name, tried in read.items() if tried.kind in (*BOARDS, tryfile.SCRIPT)]


def _row(name: str, runs: int, aside: Path) -> tuple[list[str], bool]:
    """Return the fields of an example's row, and whether all its runs are equal."""
    folder = aside / "client"
    example.create(folder, name)
    tried = tryfile.read(folder)
    tries.build(tried.path, tried.build)
    package = tries.packages(tryfile.read(folder), aside)["device"]
    aside.chmod(0o755)  # another user reads the package
    found = measure(folder, package, aside, runs)
    counts = equal(found)
    size = f"{package.stat().st_size / 1e6:.1f}"
    same = len({one for digests in found.values() for one in digests}) == 1
    return [name, size, found["undisturbed"][0][:16], *counts.values()], same


def main() -> int:
    """Print the table; 1 if a run differs, or an example cannot run."""
    parser = argparse.ArgumentParser(prog="python -m hil.selfcheck.runtimes", description=__doc__)
    parser.add_argument("example", nargs="*", default=programs(), help=", ".join(programs()))
    parser.add_argument("--runs", type=int, default=RUNS, help=f"undisturbed; default {RUNS}")
    settings = parser.parse_args()
    status = 0
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(("example", "package, MB", "digest", "undisturbed", *conditions()))
    for name in settings.example:
        with scratch.folder() as aside:
            try:
                row, same = _row(name, settings.runs, aside)
            except ThinwireError as error:
                print(f"{name}: {error}", file=sys.stderr)
                status = 1
                continue
        rows.writerow(row)
        sys.stdout.flush()
        status = status if same else 1
    return status


if __name__ == "__main__":
    sys.exit(main())
