"""Break the engines, and see whether the unit tests notice: mutants.py [SECTION...]

For each mutant of firmware/tests/mutants a copy of the engines with that one change is built, and
the tests of its section run. It is killed if a test that its row of docs/conformance.md names
fails; a test of the row that fails for none of the row's mutants is named at the end. SECTION: only
those whose name holds this text. Exit status 1 if a mutant survives, 2 if one cannot be built, or
the tests fail without any.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import conformance

sys.path.append(str(conformance.ROOT / "firmware/secure"))
import oscore_credentials

_COMPILE = ["cc", "-std=c11", "-O0", "-w"]
# As firmware/boards/host has it.
_COMPILE += ["-DTW_LINKS=32", "-DTW_BACKLOG_MAX=16384", "-DTW_COAP_EXCHANGES=4096"]
_COMPILE += ["-DTW_DEEP_SLEEP", "-DTW_DHCP", "-DTW_MQTT5", "-DTW_OSCORE"]
# OSCORE's primitives, which no mutant changes (firmware/secure/oscore.cmake).
_SECURE = conformance.ROOT / "firmware/secure"
_SETTINGS = conformance.ROOT / "data/oscore/settings.json"
_MBEDTLS = conformance.ROOT / "build/src/mbedtls"
_PRIMITIVES = [
    "aes",
    "block_cipher",
    "ccm",
    "constant_time",
    "hkdf",
    "md",
    "platform_util",
    "sha256",
]
_COMPILE += [f"-I{_MBEDTLS}/include", f"-I{_SECURE}/mbedtls"]
_COMPILE += ['-DMBEDTLS_CONFIG_FILE="tw_oscore_config.h"']
# A test program ends within a second; one that a change keeps from its end has noticed it.
_LIMIT_S = 20


class Unbuildable(Exception):
    """A change that is no C, or whose place is not there."""


@dataclass(frozen=True)
class Bench:
    """A place with the engines' sources, their objects, and those of the tests."""

    workdir: Path

    def _compile(self, source: Path, target: Path, core: Path) -> None:
        support = conformance.UNIT / "support"
        command = [*_COMPILE, f"-I{core.parent}", f"-I{support}"]
        command += ["-c", str(source), "-o", str(target)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Unbuildable(done.stderr)

    def build(self, folder: Path, core: Path, only: str = "") -> list[Path]:
        """Compile the engines in `core` (or the one file `only`) into `folder`; the objects."""
        sources = [conformance.source(only, core)] if only else sorted(core.rglob("*.c"))
        for source in sources:
            self._compile(source, folder / f"{source.stem}.o", core)
        return [folder / f"{source.stem}.o" for source in sources]

    def prepare(self) -> None:
        """Compile everything as it is."""
        (self.workdir / "core").mkdir()
        self.build(self.workdir / "core", conformance.CORE)
        (self.workdir / "tests").mkdir()
        support = sorted((conformance.UNIT / "support").glob("*.c"))
        for source in (*support, *sorted(conformance.UNIT.glob("test_*.c"))):
            self._compile(source, self.workdir / "tests" / f"{source.stem}.o", conformance.CORE)
        (self.workdir / "primitives").mkdir()
        credentials = self.workdir / "oscore_credentials.c"
        credentials.write_text(oscore_credentials.code(oscore_credentials.read(_SETTINGS)))
        primitives = [_MBEDTLS / "library" / f"{name}.c" for name in _PRIMITIVES]
        for source in (*primitives, _SECURE / "oscore_crypto.c", credentials):
            self._compile(
                source, self.workdir / "primitives" / f"{source.stem}.o", conformance.CORE
            )

    def failed(self, programs: tuple[str, ...], changed: dict[str, Path]) -> set[str]:
        """The tests of the programs that fail, with the objects `changed` in place of others."""
        objects = {path.name: path for path in (self.workdir / "core").glob("*.o")} | changed
        support = [
            self.workdir / "tests" / f"{path.stem}.o"
            for path in (conformance.UNIT / "support").glob("*.c")
        ]
        found = set()
        with tempfile.TemporaryDirectory(dir=self.workdir) as folder:
            for program in programs:
                binary = Path(folder, program)
                parts = [self.workdir / "tests" / f"{program}.o", *support, *objects.values()]
                parts += sorted((self.workdir / "primitives").glob("*.o"))
                link = ["cc", *map(str, parts), "-lcmocka", "-o", str(binary)]
                subprocess.run(link, check=True)
                found |= _failures(binary)
        return found

    def try_out(self, mutant: conformance.Mutant, programs: tuple[str, ...]) -> set[str]:
        """The tests that fail with this change."""
        with tempfile.TemporaryDirectory(dir=self.workdir) as folder:
            core = Path(folder, "core")
            shutil.copytree(conformance.CORE, core)
            source = conformance.source(mutant.file, core)
            text = source.read_text(encoding="utf-8")
            if text.count(mutant.was) != 1:
                raise Unbuildable("its text does not stand once in the file")
            source.write_text(text.replace(mutant.was, mutant.becomes), encoding="utf-8")
            only = mutant.file if mutant.file.endswith(".c") else ""
            return self.failed(
                programs, {path.name: path for path in self.build(Path(folder), core, only)}
            )


def _failures(binary: Path) -> set[str]:
    """The tests of a program that fail, crash it or do not end."""
    try:
        done = subprocess.run([str(binary)], capture_output=True, timeout=_LIMIT_S, check=False)
        said, ended = (done.stdout + done.stderr).decode(errors="replace"), done.returncode >= 0
    except subprocess.TimeoutExpired as error:
        parts = (error.stdout or b"", error.stderr or b"")
        said, ended = b"".join(parts).decode(errors="replace"), False
    failed = set(re.findall(r"\[  FAILED  \] (test_\w+)", said))
    if not ended:  # the one that was running
        failed |= set(re.findall(r"\[ RUN      \] (test_\w+)", said)[-1:])
    return failed


def _chosen(words: list[str]) -> list[tuple[conformance.Mutant, conformance.Row]]:
    rows = {(row.section, row.requirement): row for row in conformance.rows()}
    return [
        (mutant, rows[mutant.section, mutant.requirement])
        for mutant in conformance.mutants()
        if not words or any(word in mutant.section for word in words)
    ]


def main(words: list[str]) -> int:
    """Try all mutants out and print what became of each."""
    chosen = _chosen(words)
    survived, unbuilt = 0, 0
    noticed: dict[conformance.Row, set[str]] = {row: set() for _, row in chosen}
    with tempfile.TemporaryDirectory(prefix="thinwire-mutants-") as folder:
        bench = Bench(Path(folder))
        bench.prepare()
        for programs in sorted({row.programs for row in noticed}):
            if failing := bench.failed(programs, {}):
                print(
                    f"thinwire: error: {', '.join(sorted(failing))}: fails unchanged; fix it first"
                )
                return 2
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            tries = [pool.submit(bench.try_out, mutant, row.programs) for mutant, row in chosen]
            for (mutant, row), attempt in zip(chosen, tries, strict=True):
                where = f"{mutant.section}: {mutant.requirement}: {mutant.name()}"
                try:
                    killers = attempt.result() & set(row.tests)
                except Unbuildable as error:
                    unbuilt += 1
                    print(f"unbuilt   {where}: {error}")
                    continue
                noticed[row] |= killers
                survived += not killers
                fate = "killed   " if killers else "SURVIVED "
                print(f"{fate} {where}" + (f" [{', '.join(sorted(killers))}]" if killers else ""))
    for row, tests in noticed.items():
        for name in sorted(set(row.tests) - tests):
            print(
                f"idle      {row.section}: {row.requirement}: {name} fails for none of its mutants"
            )
    killed = len(chosen) - survived - unbuilt
    print(f"{killed} of {len(chosen)} mutants killed, {len(noticed)} requirements")
    return 2 if unbuilt else int(survived > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
