"""Does `thinwire doctor` report missing and optional programs, and does `--fix` repair?"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hil.base import documents
from hil.base.paths import ROOT
from hil.commands import checks, doctor
from hil.commands.checks import Finding
from hil.system import permits, preloads, tools

LOOK, FIX = (
    Namespace(quiet=False, fix=False, json=False),
    Namespace(quiet=False, fix=True, json=False),
)


def program(path: Path, text: str) -> Path:
    """A shell script that can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def listed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str) -> None:
    """A table of programs of its own."""
    (tmp_path / "tools.yaml").write_text(text)
    monkeypatch.setattr(checks, "TOOLS", tmp_path / "tools.yaml")


def one(finding: Finding) -> tuple[Callable[[], Iterator[Finding]]]:
    return (lambda: iter([finding]),)


def test_the_table_names_packages_that_setup_installs() -> None:
    installed = {line.split()[0] for line in (ROOT / "setup/apt.txt").read_text().splitlines()}
    table = documents.read_yaml(checks.TOOLS)
    for name, entry in table.items():
        assert entry.get("package") in installed or entry["without"], name
    for name, (_, package) in {**tools.PROGRAMS, **tools.SECOND_PEERS}.items():
        assert table[name].get("package") == package


def test_every_program_prints_its_version_here() -> None:
    found = {finding.what: finding.state for finding in checks.programs()}
    for name, entry in documents.read_yaml(checks.TOOLS).items():
        known = "version" in entry or ("package" in entry and shutil.which("dpkg-query"))
        if known and not found[name].startswith("missing"):
            assert "." in found[name].split()[0], found[name]


@pytest.mark.parametrize(
    ("text", "option", "version"),
    [
        ("echo TShark 4.0.17 of 2024", "--version", "4.0.17"),
        ("[ $1 = -h ] && echo mosquitto version 2.0.11; exit 3", "-h", "2.0.11"),
        ("[ $1 = -V ] && echo ip utility, iproute2-6.1.0, libbpf 1.1.2", "-V", "6.1.0"),
        ("exit 1", "--version", ""),
    ],
)
def test_a_version_is_what_the_program_prints(
    tmp_path: Path, text: str, option: str, version: str
) -> None:
    assert checks.version(str(program(tmp_path / "it", text)), option) == version


def test_a_program_without_a_version_option_is_not_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """libcoap's servers read `-version` as options and serve on every interface."""
    program(tmp_path / "bin/server", f"touch '{tmp_path}/started'")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    listed(monkeypatch, tmp_path, "server: {for: x, package: libcoap3-bin, tested: ['4.3.1']}\n")
    state = next(checks.programs()).state
    assert state == "present (tested: 4.3.1)"  # this one is not the package's
    assert not (tmp_path / "started").exists()


def test_doctor_binds_no_socket_and_starts_no_program_outside_the_table(tmp_path: Path) -> None:
    """Neither itself nor any program that it starts; SECURITY.md promises it."""
    library, bound = tmp_path / "bound.so", tmp_path / "bound"
    preloads.compile_to(Path(__file__).with_name("bound_sockets.c"), library)
    environment = {**os.environ, "LD_PRELOAD": str(library), "BOUND_SOCKETS": str(bound)}
    code = (
        "import json, sys\n"
        "started = []\n"
        "sys.addaudithook(lambda event, words: event == 'subprocess.Popen' "
        "and started.append([str(word) for word in words[1]]))\n"
        "from hil.cli import main\n"
        "main(['doctor', '--json'])\n"
        "import socket; one = socket.socket(); one.bind(('127.0.0.1', 0)); one.listen()\n"
        "print(json.dumps(started), file=sys.stderr)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        cwd=ROOT,
    )
    seen = [line.split(" of ")[0] for line in bound.read_text().splitlines()]
    assert seen == ["bind", "listen"], bound.read_text()  # the two of `code` itself
    known = {
        name: entry.get("version") for name, entry in documents.read_yaml(checks.TOOLS).items()
    }
    helpers = {"dpkg-query", "install", "linux", "setarch", "unshare"}
    for words in json.loads(run.stderr.splitlines()[-1]):
        name = Path(words[0]).name
        assert name in helpers or words[1:] == [known[name]], words


@pytest.mark.parametrize(
    ("found", "tested", "older"),
    [
        ("7.2.22", ["7.2", "10.0"], False),
        ("6.2.0", ["7.2", "10.0"], True),
        ("4.0.9", ["4.0.17", "4.4.18"], True),
        ("11.0.1", ["7.2", "10.0"], False),
    ],
)
def test_older_than_all_that_was_tested(found: str, tested: list[str], older: bool) -> None:
    assert checks.older(found, tested) == older


def test_what_is_needed_and_what_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program(tmp_path / "bin/old-tool", "echo old-tool 1.9")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    text = (
        "no-such-tool: {for: the analysis, package: tshark, tested: ['1.0']}\n"
        "nor-this: {for: more, package: clang, without: fewer tests}\n"
        "old-tool: {for: the analysis, package: tshark, tested: ['2.0'], version: --version}\n"
    )
    listed(monkeypatch, tmp_path, text)
    assert doctor.run(LOOK, (checks.programs,)) == 1
    said = capsys.readouterr().out
    assert "MISSING  no-such-tool: missing: the analysis; apt-get install tshark\n" in said
    assert "without  nor-this: missing: more; fewer tests\n" in said
    assert "without  old-tool: 1.9 (tested: 2.0); older than tested versions" in said
    listed(monkeypatch, tmp_path, text.partition("\n")[2])
    assert doctor.run(Namespace(quiet=True, fix=False, json=False), (checks.programs,)) == 0
    assert capsys.readouterr().out == ""


def test_a_package_that_is_not_pinned_so_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [finding.remedy for finding in checks.modules()] in ([""], [])
    (tmp_path / "pins").write_text("pyyaml==0.0.1 \\\n    --hash=sha256:00\nno-such==1\n")
    monkeypatch.delenv("THINWIRE_NIX", raising=False)
    monkeypatch.setattr(checks, "REQUIREMENTS", tmp_path / "pins")
    (finding,) = checks.modules()
    assert "not 0.0.1; no-such missing, not 1" in finding.state
    assert finding.fix == checks.INSTALL


def test_setup_names_missing_packages_and_installs_nothing(tmp_path: Path) -> None:
    (tmp_path / "apt.txt").write_text("thinwire-no-such-package none\n")
    environment = {key: text for key, text in os.environ.items() if key != "THINWIRE_NIX"}
    command = [ROOT / "setup/install", "--missing", tmp_path]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert "thinwire-no-such-package" in run.stdout.split()
    assert run.stderr == ""


def test_locks_of_a_dead_workflow_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = tmp_path / ".snakemake/locks/0.input.lock"
    lock.parent.mkdir(parents=True)
    lock.write_text("results/paper.pdf\n")
    monkeypatch.setattr(doctor, "ROOT", tmp_path)

    def look() -> Iterator[Finding]:
        return checks.locks(tmp_path)

    with (tmp_path / ".snakemake/thinwire.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_SH)  # as a living Snakemake does
        assert doctor.run(FIX, (look,)) == 0
        assert lock.exists()
    assert doctor.run(LOOK, (look,)) == 1
    assert "MISSING  locks: 1 of a dead workflow" in capsys.readouterr().out
    assert doctor.run(FIX, (look,)) == 0
    assert not lock.exists()


def test_repairs_come_in_order_and_are_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "ROOT", tmp_path)
    program(tmp_path / "setup/install", "echo install >>done")
    program(tmp_path / "setup/fetch", "echo fetch >>done; [ -e done ] && touch fetched; exit 4")

    def look() -> Iterator[Finding]:
        there = (tmp_path / "fetched").exists()
        yield Finding(
            "source", "here" if there else "absent", "" if there else "x", fix=checks.FETCH
        )
        yield Finding("tool", "odd", note="goes without", fix=checks.INSTALL)
        yield Finding("memory", "2 GiB")

    assert doctor.run(FIX, (look,)) == 0
    assert (tmp_path / "done").read_text() == "install\nfetch\n"
    said = capsys.readouterr().out
    assert "fixing   setup/install\nfixing   setup/fetch\n         failed with status 4\n" in said


def test_what_cannot_be_repaired_stays_told() -> None:
    assert doctor.run(FIX, one(Finding("disk", "1 GiB free", "free 4 GiB"))) == 1


def test_findings_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = Finding("disk", "1 GiB free", "free 4 GiB")
    assert doctor.run(Namespace(quiet=False, fix=False, json=True), one(wrong)) == 1
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["what"], found["remedy"], found["fix"]) == ("disk", "free 4 GiB", [])


def test_what_the_host_forbids_is_reported_with_what_goes_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "unshare", "echo 'unshare: failed: Operation not permitted' >&2; exit 1")
    program(tmp_path / "setarch", "exit 0")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    spaces, addresses = checks.permissions()
    assert spaces.state == "forbidden here: unshare: failed: Operation not permitted"
    assert "are skipped" in spaces.note
    assert not spaces.remedy
    assert (addresses.state, addresses.note) == ("permitted", "")
    assert "No such file" in permits.refusal(("no-such-program",))


def test_another_processor_goes_without_virtual_machines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As set-up does: nothing is reported missing, since boards need no virtual machine."""
    uname = os.uname_result(("Linux", "pi", "6.1", "1", "aarch64"))
    monkeypatch.setattr(checks.os, "uname", lambda: uname)
    monkeypatch.setattr(checks, "ROOT", tmp_path)
    found = {finding.what: finding for finding in [*checks.host(), *checks.made()]}
    assert found["processor"].state.startswith("aarch64")
    for name in ("processor", "build/kernel/vmlinuz", "build/lab/current"):
        assert "run trials on boards" in found[name].note
        assert not found[name].remedy
    assert found["build/src/lwip"].remedy


def test_the_last_line_says_ready_or_what_is_missing(capsys):
    optional = Finding("b", "missing", note="claims are not testable")
    assert doctor.run(LOOK, one(optional)) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "ready; 1 optional absent or untested"
    needed = Finding("disk", "1 GiB free", "free 4 GiB")
    assert doctor.run(LOOK, one(optional) + one(needed)) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "not ready: disk missing; 1 optional absent or untested"
    absent = Finding("gdb", "missing", "apt-get install gdb", fix=checks.INSTALL)
    assert doctor.run(LOOK, one(needed) + one(absent)) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "not ready: disk, gdb missing; 'thinwire doctor --fix' installs"
