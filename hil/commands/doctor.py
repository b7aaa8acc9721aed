"""`thinwire doctor`: what is missing on this machine, and how to get it."""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass

from hil.errors import ToolMissing
from hil.machine.uml import kernel as uml_kernel
from hil.peers.amqp import erlang
from hil.schema import ROOT
from hil.system import tools
from hil.system.tools import PROGRAMS

# Program -> (what it is for, Debian package).
_TOOLS = {
    **PROGRAMS,
    "qemu-system-x86_64": ("the time-warped machine", "qemu-system-x86"),
    "xtensa-lx106-elf-gcc": ("the board's firmware", "gcc-xtensa-lx106"),
    "cmake": ("building firmware and simulators", "cmake"),
    "ninja": ("building firmware and simulators", "ninja-build"),
    "cc": ("libraries of the laboratory", "gcc"),
    "g++": ("building the simulators", "g++"),
    "clang": ("fuzzing the parsers", "clang"),
    "tshark": ("dissecting captures", "tshark"),
    "Rscript": ("the analysis", "r-base-core"),
    "qpdf": ("figures without the time of day", "qpdf"),
    "latexmk": ("the paper", "latexmk"),
}
_MODULES = ("aiocoap", "jsonschema", "referencing", "snakemake", "yaml")
_MADE = {
    "build/kernel/vmlinuz": "setup/fetch",
    "build/src/lwip": "setup/fetch",
    "build/firmware/lx106/thinwire.elf": "snakemake --cores all build/firmware/lx106/thinwire.elf",
    "build/lab/current": "thinwire lab build",
}
_DISK_GIB, _MEMORY_GIB = 4, 2
# A loop of a million additions; slower than this, a trial of 30 s takes longer than 10 s.
_SLOW_LOOP_S = 0.12


@dataclass(frozen=True)
class Finding:
    """One line of the report: `remedy` is empty if all is well."""

    what: str
    state: str
    remedy: str = ""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quiet", action="store_true", help="print only what is missing")


def _version(path: str) -> str:
    """The first line a program says about itself, shortened."""
    for option in ("--version", "-V", "-h"):
        try:
            run = subprocess.run(
                [path, option],
                capture_output=True,
                text=True,
                timeout=10,
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        lines = [line for line in (run.stdout + run.stderr).splitlines() if line.strip()]
        if run.returncode == 0 and lines:
            return lines[0][:60]
    return "present"


def _tools() -> Iterator[Finding]:
    for name, (purpose, package) in sorted(_TOOLS.items()):
        path = tools.find(name)
        if path:
            yield Finding(name, _version(path))
        else:
            yield Finding(name, f"missing: {purpose}", f"apt-get install {package} (or run 'make')")


def _rabbitmq() -> Iterator[Finding]:
    try:
        yield Finding("RabbitMQ", erlang.find().home.name)
    except ToolMissing as error:
        yield Finding("RabbitMQ", f"missing: {error.problem}", error.remedy)


def _modules() -> Iterator[Finding]:
    for name in _MODULES:
        found = importlib.util.find_spec(name)
        yield Finding(
            f"Python module {name}",
            "present" if found else "missing",
            "" if found else "run 'make' or 'setup/install'",
        )


def _made() -> Iterator[Finding]:
    for name, command in _MADE.items():
        there = (ROOT / name).exists()
        yield Finding(name, "present" if there else "not made yet", "" if there else command)


def _virtual() -> Iterator[Finding]:
    """The machine of the virtual testbed: one of the two is enough."""
    why = uml_kernel.why_not()
    yield Finding("machine", f"qemu, the slower one, because {why}" if why else "uml")


def _loop_s() -> float:
    """Seconds of the fastest of three loops: a measure of one core, whatever else it does."""
    best = 60.0
    for _ in range(3):
        started = time.perf_counter()
        total = 0
        for number in range(1_000_000):
            total += number
        best = min(best, time.perf_counter() - started)
    return best


def _machine() -> Iterator[Finding]:
    free = shutil.disk_usage(ROOT).free / 2**30
    enough = free >= _DISK_GIB
    yield Finding("disk", f"{free:.0f} GiB free", "" if enough else f"free {_DISK_GIB} GiB")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    yield Finding(
        "memory", f"{memory:.0f} GiB", "" if memory >= _MEMORY_GIB else f"{_MEMORY_GIB} GiB needed"
    )
    loop = _loop_s()
    slow = "trials will be slow: run them on a faster machine" if loop > _SLOW_LOOP_S else ""
    yield Finding("one core", f"{loop * 1000:.0f} ms for the reference loop", slow)
    arch = os.uname().machine
    fit = "" if arch == "x86_64" else "use an x86-64 Linux machine"
    yield Finding("processor", f"{arch}, {os.cpu_count()} cores", fit)


def run(arguments: argparse.Namespace) -> int:
    """0 if nothing is missing, else 1."""
    status = 0
    for finding in (*_tools(), *_rabbitmq(), *_modules(), *_virtual(), *_machine(), *_made()):
        if finding.remedy:
            status = 1
            print(f"MISSING  {finding.what}: {finding.state}; {finding.remedy}")
        elif not arguments.quiet:
            print(f"ok       {finding.what}: {finding.state}")
    return status
