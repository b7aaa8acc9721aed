"""The checks of `thinwire doctor`. Each yields findings and changes nothing."""

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
from hil.commands import analysis
from hil.machine.uml import kernel as uml_kernel
from hil.peers.amqp import erlang
from hil.system import orphans, permits, tools

TOOLS = ROOT / "setup" / "tools.yaml"
REQUIREMENTS = ROOT / "setup" / "requirements.txt"
# Repairs, in the order in which they must run.
INSTALL, FETCH, KERNEL = ("setup/install",), ("setup/fetch",), ("setup/uml/get",)
FIRMWARE = ("snakemake", "--cores", "all", "--quiet", "all", "--")
FIRMWARE += ("build/firmware/lx106/thinwire.elf",)
IMAGE = ("thinwire", "lab", "build")
UNLOCK = ("locks",)
REPAIRS = (UNLOCK, INSTALL, FETCH, KERNEL, FIRMWARE, IMAGE)
# Files that only virtual machines need; these are x86-64.
_VIRTUAL = ("build/kernel/vmlinuz", "build/lab/current")
_BOARDS_ONLY = "virtual machines need x86-64: run trials on boards (--testbed hardware)"
_MADE = {
    "build/kernel/vmlinuz": FETCH,
    "build/src/lwip": FETCH,
    "build/src/mbedtls": FETCH,
    "build/firmware/lx106/thinwire.elf": FIRMWARE,
    "build/lab/current": IMAGE,
}
# Permission, the command that tests it, and what is skipped without it.
_PERMITS = (
    (
        "user namespaces",
        permits.USER_NAMESPACE,
        "tests of other host clocks, of a container and of full shared memory are skipped",
    ),
    (
        "disabling address randomisation",
        permits.FIXED_ADDRESSES,
        "the test of a trial with fixed addresses is skipped",
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
        what: the item checked.
        state: its state.
        remedy: how to get something that is required and missing; empty otherwise.
        note: a deviation from what was tested, or a feature lost; nothing required is missing.
        fix: the one of REPAIRS that fixes it, if any.
    """

    what: str
    state: str
    remedy: str = ""
    note: str = ""
    fix: tuple[str, ...] = ()


def version(path: str, option: str) -> str:
    """Return the dotted version that a program prints for `option`; empty if it prints none.

    The exit status is ignored: some programs (Mosquitto) fail although the option is right.
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
    """Return the upstream version of Debian's `package` if it owns `path`, else an empty text."""
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
    """Return whether a version is below every tested one, compared to the digits they give."""

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
    else:  # it may be a server, which would start if run
        found = packaged(path, str(package)) if package else ""
    state = f"{found or 'present'} (tested: {', '.join(tested)})" if tested else found or "present"
    if found and tested and older(found, tested):
        return Finding(name, state, note="older than tested versions; report whether it works")
    return Finding(name, state)


def programs() -> Iterator[Finding]:
    """Check the programs of setup/tools.yaml, and RabbitMQ, which is not a single program."""
    for name, entry in documents.read_yaml(TOOLS).items():
        yield _tool(name, entry)
    try:
        yield Finding("RabbitMQ", f"{erlang.find().home.name} (tested: 3.10.8, 4.0.5)")
    except ToolMissing as error:
        yield Finding("RabbitMQ", f"missing: {error.problem}", error.remedy, fix=INSTALL)


def packages() -> Iterator[Finding]:
    """Check the Debian packages of setup/apt.txt by `setup/install --missing`."""
    if os.environ.get("THINWIRE_NIX") or not shutil.which("dpkg-query"):
        return
    run = subprocess.run(
        [ROOT / "setup/install", "--missing"], capture_output=True, text=True, check=False
    )
    names = run.stdout.split()
    state = f"missing: {', '.join(names)}" if names else "all installed"
    remedy = f"apt-get install {' '.join(names)}" if names else ""
    yield Finding("Debian packages of setup/apt.txt", state, remedy, fix=INSTALL)


def modules() -> Iterator[Finding]:
    """Compare installed Python packages with the pinned versions."""
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
    state = "; ".join(wrong) if wrong else f"{len(pins)} as pinned"
    yield Finding("Python packages", state, "setup/install" if wrong else "", fix=INSTALL)


def machines() -> Iterator[Finding]:
    """Check the machine of the virtual testbed; trials need only one of the two."""
    why = uml_kernel.why_not()
    if why:
        note = "trials use the slower machine 'qemu'"
        yield Finding("machine 'uml'", f"does not run here: {why}", note=note, fix=KERNEL)
    else:
        yield Finding("machine 'uml'", "runs here")


def permissions() -> Iterator[Finding]:
    """Check permissions that containers and some distributions withhold."""
    for what, words, without in _PERMITS:
        why = permits.refusal(words)
        state = f"forbidden here: {why}" if why else "permitted"
        yield Finding(what, state, note=without if why else "")


def loop_s() -> float:
    """Time a reference loop on one core: processor seconds, the fastest of three runs."""
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
    """Check disk, memory, processor and user."""
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
    user = "" if os.geteuid() == 0 else "the testbed 'live' and tests that need root are skipped"
    yield Finding("user", "root" if not user else "not root", note=user)


def made() -> Iterator[Finding]:
    """Check what setup fetches and builds."""
    for name, fix in _MADE.items():
        there = (ROOT / name).exists()
        if name in _VIRTUAL and not there and not _is_x86():
            yield Finding(name, "not built here", note=_BOARDS_ONLY)
            continue
        remedy = "" if there else " ".join(fix)
        yield Finding(name, "present" if there else "not built yet", remedy, fix=fix)


def captures() -> Iterator[Finding]:
    """Count the recordings that are present."""
    known = recordings.load()
    here = [one for one in known.values() if (ROOT / "data/recordings" / one.file).exists()]
    note = "" if len(here) == len(known) else "claims that need the missing ones are 'not testable'"
    yield Finding("recorded captures", f"{len(here)} of {len(known)} fetched", note=note)


def locks(folder: Path = ROOT) -> Iterator[Finding]:
    """Check for locks of a workflow that was killed."""
    stale = orphans.left_behind(folder)
    state = f"{len(stale)} of a dead workflow" if stale else "none of a dead workflow"
    yield Finding("locks", state, "thinwire doctor --fix" if stale else "", fix=UNLOCK)


def analysis_programs() -> Iterator[Finding]:
    """Check what the analysis needs, which a wheel does not have."""
    for name in analysis.PACKAGES:
        there = tools.find(name) is not None
        note = "" if there else f"no metrics; apt-get install {' '.join(analysis.PACKAGES[name])}"
        yield Finding(name, "present" if there else "missing: the analysis", note=note)


def wheel_machine() -> Iterator[Finding]:
    """Check whether the machine of a wheel runs here."""
    if why := uml_kernel.why_not():
        yield Finding("machine 'uml'", f"does not run here: {why}", "use a clone, which has QEMU")
    else:
        yield Finding("machine 'uml'", "runs here")


# Of a command that was installed from a wheel (docs/install.md), which nothing is built for.
WHEEL: tuple[Callable[[], Iterator[Finding]], ...] = (wheel_machine, analysis_programs, host)
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
