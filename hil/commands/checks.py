"""What `thinwire doctor` looks at: each check gives findings, and changes nothing."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hil import recordings
from hil.base import documents
from hil.base.errors import ToolMissing
from hil.base.paths import ROOT
from hil.machine.uml import kernel as uml_kernel
from hil.peers.amqp import erlang
from hil.system import orphans, permits, tools

TOOLS = ROOT / "setup" / "tools.yaml"
REQUIREMENTS = ROOT / "setup" / "requirements.txt"
# What fixes a finding, in the order in which repairs make sense.
INSTALL, FETCH, KERNEL = ("setup/install",), ("setup/fetch",), ("setup/uml/build",)
FIRMWARE = ("snakemake", "--cores", "all", "--quiet", "all", "--")
FIRMWARE += ("build/firmware/lx106/thinwire.elf",)
IMAGE = ("thinwire", "lab", "build")
UNLOCK = ("locks",)
REPAIRS = (UNLOCK, INSTALL, FETCH, KERNEL, FIRMWARE, IMAGE)
# What virtual machines are made of, which are x86-64 machines.
_VIRTUAL = ("build/kernel/vmlinuz", "build/lab/current")
_BOARDS_ONLY = "no virtual machine runs here: trials run on boards (--testbed hardware)"
_MADE = {
    "build/kernel/vmlinuz": FETCH,
    "build/src/lwip": FETCH,
    "build/src/mbedtls": FETCH,
    "build/firmware/lx106/thinwire.elf": FIRMWARE,
    "build/lab/current": IMAGE,
}
# What is asked of the host, the words that ask for it, and what is left without.
_PERMITS = (
    (
        "user namespaces",
        permits.USER_NAMESPACE,
        "tests of other host clocks, of a container and of full shared memory are skipped",
    ),
    (
        "addresses that are not randomised",
        permits.FIXED_ADDRESSES,
        "the test of a trial with such addresses is skipped",
    ),
)
_DISK_GIB, _MEMORY_GIB = 4, 2
# A loop of a million additions; slower than this, a trial of 30 s takes longer than 10 s.
_SLOW_LOOP_S = 0.12
_VERSION = re.compile(r"\d+(?:\.\d+)+")
_PIN = re.compile(r"^([A-Za-z0-9_.-]+)==(\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Finding:
    """One line of the report.

    Attributes:
        what: was looked at.
        state: as it was found.
        remedy: what to do where something needed is missing; empty if nothing is.
        note: what is different from the tested, or goes without it: nothing needed is missing.
        fix: one of REPAIRS that puts it right, if one does.
    """

    what: str
    state: str
    remedy: str = ""
    note: str = ""
    fix: tuple[str, ...] = ()


def version(path: str, option: str) -> str:
    """The version, as numbers with dots, that a program prints with `option`; empty if none.

    Some exit with another status than 0 although the option is right (Mosquitto), so that any
    output counts.
    """
    try:
        run = subprocess.run(
            [path, option],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=10,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = _VERSION.search(run.stdout + run.stderr)
    return found[0] if found else ""


def packaged(path: str, package: str) -> str:
    """The upstream version of the Debian package that owns `path`; empty if `package` does not."""
    if not shutil.which("dpkg-query"):
        return ""
    listed, known = (
        subprocess.run(["dpkg-query", *words], capture_output=True, text=True, check=False).stdout
        for words in (("-L", package), ("-W", "-f", "${Version}", package))
    )
    found = _VERSION.search(known)
    owned = str(Path(path).resolve()) in listed.splitlines()
    return found[0] if found and owned else ""


def older(found: str, tested: list[str]) -> bool:
    """True if a version is below every tested one, as far as those give it."""

    def numbers(text: str) -> list[int]:
        return [int(part) for part in text.split(".")]

    return all(numbers(found)[: len(numbers(one))] < numbers(one) for one in tested)


def _tool(name: str, entry: dict[str, object]) -> Finding:
    tested = [str(one) for one in entry.get("tested", ())]  # type: ignore[attr-defined]
    package, without = entry.get("package"), str(entry.get("without", ""))
    path = tools.find(name)
    if path is None:
        state = f"missing: {entry['for']}"
        fix = INSTALL if package else ()
        remedy = f"apt-get install {package}" if package else ""
        return Finding(name, state, "" if without else remedy, without, fix)
    if option := entry.get("version"):
        found = version(path, str(option))
    else:  # it may be a server, which would start
        found = packaged(path, str(package)) if package else ""
    told = f"{found or 'present'} (tested: {', '.join(tested)})" if tested else found or "present"
    if found and tested and older(found, tested):
        return Finding(name, told, note="older than what was tested; report whether it works")
    return Finding(name, told)


def programs() -> Iterator[Finding]:
    """The programs of setup/tools.yaml, and RabbitMQ, which is no program of its own."""
    for name, entry in documents.read_yaml(TOOLS).items():
        yield _tool(name, entry)
    try:
        yield Finding("RabbitMQ", f"{erlang.find().home.name} (tested: 3.10.8, 4.0.5)")
    except ToolMissing as error:
        yield Finding("RabbitMQ", f"missing: {error.problem}", error.remedy, fix=INSTALL)


def packages() -> Iterator[Finding]:
    """The Debian packages of setup/apt.txt, by setup/install's own look."""
    if os.environ.get("THINWIRE_NIX") or not shutil.which("dpkg-query"):
        return
    run = subprocess.run(
        [ROOT / "setup/install", "--missing"], capture_output=True, text=True, check=False
    )
    names = run.stdout.split()
    told = f"missing: {', '.join(names)}" if names else "all installed"
    remedy = f"apt-get install {' '.join(names)}" if names else ""
    yield Finding("Debian packages of setup/apt.txt", told, remedy, fix=INSTALL)


def modules() -> Iterator[Finding]:
    """The Python packages that are pinned."""
    if os.environ.get("THINWIRE_NIX"):
        return
    pins = dict(_PIN.findall(REQUIREMENTS.read_text(encoding="utf-8")))
    wrong = []
    for name, wanted in pins.items():
        try:
            found = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found = "missing"
        if found != wanted:
            wrong.append(f"{name} {found}, not {wanted}")
    told = "; ".join(wrong) if wrong else f"{len(pins)} as pinned"
    yield Finding("Python packages", told, "setup/install" if wrong else "", fix=INSTALL)


def machines() -> Iterator[Finding]:
    """The machine of the virtual testbed: one of the two is enough."""
    why = uml_kernel.why_not()
    if why:
        note = "trials run in the machine 'qemu', slower"
        yield Finding("machine 'uml'", f"does not run here: {why}", note=note, fix=KERNEL)
    else:
        yield Finding("machine 'uml'", "runs here")


def permissions() -> Iterator[Finding]:
    """What this host forbids, as containers and some distributions do."""
    for what, words, without in _PERMITS:
        why = permits.refusal(words)
        state = f"forbidden here: {why}" if why else "permitted"
        yield Finding(what, state, note=without if why else "")


def loop_s() -> float:
    """Processor seconds of the fastest of three loops: a measure of one core."""
    best = 60.0
    for _ in range(3):
        started = time.process_time()
        total = 0
        for number in range(1_000_000):
            total += number
        best = min(best, time.process_time() - started)
    return best


def _is_x86() -> bool:
    return os.uname().machine == "x86_64"


def host() -> Iterator[Finding]:
    """What no set-up can change."""
    free = shutil.disk_usage(ROOT).free / 2**30
    enough = free >= _DISK_GIB
    yield Finding("disk", f"{free:.0f} GiB free", "" if enough else f"free {_DISK_GIB} GiB")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    short = "" if memory >= _MEMORY_GIB else f"{_MEMORY_GIB} GiB needed"
    yield Finding("memory", f"{memory:.0f} GiB", short)
    loop = loop_s()
    slow = "trials will be slow" if loop > _SLOW_LOOP_S else ""
    yield Finding("one core", f"{loop * 1000:.0f} ms for the reference loop", note=slow)
    only = "" if _is_x86() else _BOARDS_ONLY
    yield Finding("processor", f"{os.uname().machine}, {os.cpu_count()} cores", note=only)
    user = "" if os.geteuid() == 0 else "the testbed 'live' and tests that need root are left out"
    yield Finding("user", "root" if not user else "an ordinary one", note=user)


def made() -> Iterator[Finding]:
    """What is fetched and built."""
    for name, fix in _MADE.items():
        there = (ROOT / name).exists()
        if name in _VIRTUAL and not there and not _is_x86():
            yield Finding(name, "not made here", note=_BOARDS_ONLY)
            continue
        remedy = "" if there else " ".join(fix)
        yield Finding(name, "present" if there else "not made yet", remedy, fix=fix)


def captures() -> Iterator[Finding]:
    """The recorded captures that are here."""
    known = recordings.load()
    here = [one for one in known.values() if (ROOT / "data/recordings" / one.file).exists()]
    note = "" if len(here) == len(known) else "statements read from the others are 'not testable'"
    yield Finding("recorded captures", f"{len(here)} of {len(known)} fetched", note=note)


def locks(folder: Path = ROOT) -> Iterator[Finding]:
    """Locks of a workflow that was killed."""
    stale = orphans.left_behind(folder)
    told = f"{len(stale)} of a dead workflow" if stale else "none of a dead workflow"
    yield Finding("locks", told, "thinwire doctor --fix" if stale else "", fix=UNLOCK)


ALL: tuple[Callable[[], Iterator[Finding]], ...] = (
    programs,
    packages,
    modules,
    machines,
    permissions,
    host,
    made,
    captures,
    locks,
)
