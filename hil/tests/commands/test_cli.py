"""Does the command line answer bad input with one clear line and the right exit status?"""

from __future__ import annotations

import importlib
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hil import cli
from hil.base.paths import ROOT
from hil.design.trials import Trial
from hil.system import tools
from hil.testbeds import runner


def fails(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The error line of a command that must end with status 2."""
    assert cli.main(words) == 2
    said = capsys.readouterr().err
    assert said.startswith("thinwire: error: ") and said.count("\n") == 1
    return said


RUN = ("trial", "run", "quickstart", "--out", "unused")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("trial", "run", "quickstrt", "--out", "x"), "did you mean 'quickstart'?"),
        ((*RUN, "--point", "qoss=1"), "--point: qoss: unknown factor; did you mean 'qos'?"),
        ((*RUN, "--point", "qos"), "is not KEY=VALUE"),
        (
            (*RUN, "--point", "qos=7"),
            "--point: qos=7: no trial of study quickstart, profile quick; it has 0, 1, 2;",
        ),
        ((*RUN, "--point", "qos=1", "interval_ms=7"), "interval_ms=7: no trial"),
        (("trial", "run", "matrix", "--point", "payload_bytes=7"), "it has 10, 100, 1000;"),
        ((*RUN, "--rep", "99"), "--rep: 99: no trial of study quickstart, profile quick; use "),
        ((*RUN, "--trial", "mqtt-qos0_nagle0_interval100"), "did you mean 'mqtt-qos0_nagle0_"),
        (
            ("trial", "run", "smoke", "--out", str(ROOT / "README.md" / "x")),
            "Not a directory); name a folder that you may write to",
        ),
        (("crate", "make", "smoke", "--out", "a.tar.gz"), "name a folder, or a file NAME.zip"),
        (("studies", "nothing"), "no such study"),
    ],
)
def test_bad_words(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], text: str) -> None:
    assert text in fails(capsys, *words)


def test_missing_firmware_says_how_to_build_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Nowhere:
        def check(self, trial: Trial) -> None:
            pass

        def prepare(self) -> None:
            pass

    monkeypatch.setitem(runner.FIRMWARE, "lx106", tmp_path / "absent.elf")
    monkeypatch.setattr(runner, "testbed", lambda name, **_: Nowhere())
    said = fails(capsys, *RUN, "--rep", "1", "--point", "qos=0", "interval_ms=100", "nagle=1")
    assert "the firmware is missing; build it: setup/fetch && cmake" in said


@pytest.mark.parametrize("words", [["fly"], ["trial", "run"], ["lab", "paint"]])
def test_usage_errors_have_status_2(words: list[str]) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "hil.cli", *words], capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert "usage:" in run.stderr and "Traceback" not in run.stderr


@pytest.mark.parametrize("command", sorted(cli.COMMANDS))
def test_every_command_explains_itself(command: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "hil.cli", command, "--help"], capture_output=True, check=False
    )
    assert run.returncode == 0


def test_studies_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["studies"]) == 0
    assert "quickstart" in capsys.readouterr().out


def test_the_analysis_runs_from_a_folder_with_a_blank_in_its_name(tmp_path: Path) -> None:
    (tmp_path / "my clone").symlink_to(ROOT)
    script = tmp_path / "my clone" / "workflow" / "scripts" / "analyze.R"
    run = subprocess.run(
        ["Rscript", script, "--capture", tmp_path / "no capture", "--device", "192.0.2.1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert "no capture: no such file" in run.stderr


@pytest.mark.parametrize(("given", "taken"), [("/a b", "/tmp"), ("/a", "/a"), ("", "")])
def test_r_gets_no_temporary_folder_with_a_blank(
    monkeypatch: pytest.MonkeyPatch, given: str, taken: str
) -> None:
    monkeypatch.setenv("TMPDIR", given)
    assert tools.r_environment()["TMPDIR"] == taken


def test_commands_that_the_project_runs_exist():
    """Makefile, rules, scripts and pages name only commands of `thinwire`."""
    places = ("Makefile", "*.md", ".github", "docs", "setup", "tools", "workflow/rules")
    pattern = "(^|[`@;&]|^ +)thinwire [a-z]+"
    words = ["git", "grep", "--only-matching", "-hE", pattern, "--", *places]
    found = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    commands = {line.split()[-1] for line in found.splitlines()}
    assert {"claims", "summary"} <= commands
    assert commands <= {*cli.COMMANDS, "help"}


def test_a_port_of_the_cloud_that_is_in_use_is_named(capsys, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = fails(capsys, "cloud", "up", "--mqtt-port", port, "--out", str(tmp_path))
    assert f"--mqtt-port: {port}: cannot be used (Address already in use)" in said


@pytest.mark.parametrize(
    ("module", "status", "said"),
    [
        (
            "absent.part",
            2,
            "thinwire: error: the Python package 'absent': not found, needed for "
            "'thinwire studies'; run 'make setup'\n",
        ),
        ("hil.absent", 3, "ModuleNotFoundError"),
    ],
)
def test_a_missing_package_is_named(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    module: str,
    status: int,
    said: str,
) -> None:
    def run(_: object) -> int:
        return len(importlib.import_module(module).__name__)

    monkeypatch.setattr("hil.commands.studies.run", run)
    assert cli.main(["studies"]) == status
    err = capsys.readouterr().err
    assert said in err and (status == 3 or err == said)
