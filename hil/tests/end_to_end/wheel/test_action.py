"""Do the steps of action.yml work in another project, as GitHub runs them?

The `run` steps run as they are written, with inputs, `env` and the runner's variables; the actions
of GitHub among them (cache, upload) do not. The project is a clone of one with an example's client.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from hil.base.paths import ROOT

pytestmark = pytest.mark.lab
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def git(*words: str, place: Path) -> None:
    name = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *name, *words], cwd=place, check=True, capture_output=True)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of a project whose folder `client` is the example in Python, with one seed."""
    top = tmp_path_factory.mktemp("theirs")
    shutil.copytree(ROOT / "examples/python", top / "origin/client", ignore=lambda *_: ["modules"])
    file = top / "origin/client/thinwire.yaml"
    text = file.read_text(encoding="utf-8").replace("seeds: 3", "seeds: 1")
    file.write_text(text, encoding="utf-8")
    git("init", "--quiet", place=top / "origin")
    git("add", ".", place=top / "origin")
    git("commit", "--quiet", "--message", "client", place=top / "origin")
    git("clone", "--quiet", "origin", "clone", place=top)
    return top / "clone"


class Runner:
    """What GitHub's runner does with the `run` steps of a composite action."""

    def __init__(self, place: Path, folder: Path, inputs: dict[str, str]) -> None:
        self.place, self.folder = place, folder
        given = {key: one.get("default", "") for key, one in ACTION["inputs"].items()}
        self.inputs = given | inputs
        self.summary, self.output = folder / "summary.md", folder / "output"
        self.done: list[subprocess.CompletedProcess[str]] = []
        for name in ("home", "temp"):
            (folder / name).mkdir(exist_ok=True)

    def _value(self, text: str) -> str:
        return re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: self.inputs[found[1]], text)

    def step(self, step: dict[str, Any]) -> int:
        """Run a step; return its exit status."""
        assert "${{" not in step["run"]  # which would put a text of others into a script
        own = {key: self._value(text) for key, text in step.get("env", {}).items()}
        runner = {
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(self.output),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "HOME": str(self.folder / "home"),
            "RUNNER_TEMP": str(self.folder / "temp"),
        }
        one = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.place,
            env=os.environ | runner | own,
            capture_output=True,
            text=True,
            check=False,
        )
        self.done.append(one)
        return one.returncode

    def all(self) -> list[int]:
        """Run the steps until one fails; return their statuses."""
        statuses = []
        for step in ACTION["runs"]["steps"]:
            if "run" in step:
                statuses.append(self.step(step))
                if statuses[-1]:
                    break
        return statuses


@pytest.fixture(scope="module")
def wheel() -> str:
    """The file that `make wheel` has built."""
    found = sorted((ROOT / "build/wheel").glob("thinwire-*.whl"))
    assert found, "run 'make wheel'"
    return str(found[0])


@pytest.fixture(scope="module")
def ran(project: Path, wheel: str, tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """The steps have run with the client that holds what it promises."""
    runner = Runner(project, tmp_path_factory.mktemp("run"), {"folder": "client", "wheel": wheel})
    assert runner.all() == [0, 0, 0], runner.done[-1].stderr
    return runner


def test_the_summary_has_the_table(ran: Runner) -> None:
    text = ran.summary.read_text(encoding="utf-8")
    assert text.startswith("### thinwire try client\n```\nexpectation")
    assert re.search(r"^delivered: 100 % .* pass$", text, re.MULTILINE)


def test_what_is_uploaded_has_captures_and_reports(ran: Runner) -> None:
    top = ran.folder / "temp/thinwire"
    assert (top / "bundles/try/r1_program/wire.pcapng.gz").stat().st_size > 100
    report = json.loads((top / "report.json").read_text(encoding="utf-8"))
    assert report["pass"] is True
    assert ElementTree.parse(top / "report.xml").getroot().get("failures") == "0"
    assert f"report={top}/report.json\n" in ran.output.read_text(encoding="utf-8")


def test_a_second_run_uses_what_the_cache_keeps(ran: Runner) -> None:
    (install,) = [step for step in ACTION["runs"]["steps"] if step.get("name") == "Install"]
    assert ran.step(install) == 0
    assert "the cache has them" in ran.done[-1].stderr


def test_a_wheel_with_rabbitmq_is_installed_beside(
    project: Path, wheel: str, tmp_path: Path
) -> None:
    (amqp,) = (ROOT / "build/wheel").glob("thinwire_amqp-*.whl")
    runner = Runner(project, tmp_path, {"folder": "client", "wheel": wheel, "amqp": str(amqp)})
    (install,) = [step for step in ACTION["runs"]["steps"] if step.get("name") == "Install"]
    assert runner.step(install) == 0, runner.done[-1].stderr
    lab = tmp_path / "home/.cache/thinwire/lab"
    assert list(lab.glob("lib/python3*/site-packages/thinwire_lab/build/lab/current-amqp"))
    runner.inputs["amqp"] = ""
    assert runner.step(install) == 0
    assert "the cache has them" not in runner.done[-1].stderr


def test_a_client_that_fails_fails_the_step(ran: Runner, project: Path) -> None:
    file = project / "client/thinwire.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("bytes_per_message: <= 500", "bytes_per_message: <= 5"))
    (trial,) = [step for step in ACTION["runs"]["steps"] if step.get("id") == "try"]
    assert ran.step(trial) == 1
    summary = ran.summary.read_text(encoding="utf-8")
    assert re.search(r"^bytes_per_message: <= 5 .* FAIL$", summary, re.MULTILINE)
    file.write_text(text)


def test_a_wrong_input_is_refused_in_one_line(project: Path, wheel: str, tmp_path: Path) -> None:
    runner = Runner(project, tmp_path, {"folder": "client", "wheel": wheel, "measure": "maybe"})
    assert runner.all() == [2]
    assert runner.done[0].stderr == (
        "thinwire: error: measure: 'maybe' is neither true nor false; correct the step's input\n"
    )


def test_a_hunt_is_a_step_with_results_of_its_own(ran: Runner) -> None:
    (step,) = [step for step in ACTION["runs"]["steps"] if step.get("name") == "Hunt"]
    ran.inputs["hunt"] = "1"
    assert ran.step(step) in {0, 1}, ran.done[-1].stderr
    top = ran.folder / "temp/thinwire/hunt"
    results = json.loads((top / "results.json").read_text(encoding="utf-8"))
    assert results["schedules"] > 0 and results["lab_failures"] == []
    assert "### thinwire hunt client\n```\n" in ran.summary.read_text(encoding="utf-8")
    assert list((top / "corpus").glob("*.json"))


def test_a_wrong_number_of_minutes_is_bad_input(ran: Runner) -> None:
    (step,) = [step for step in ACTION["runs"]["steps"] if step.get("name") == "Hunt"]
    ran.inputs["hunt"] = "ten"
    assert ran.step(step) == 2
    assert "'ten' is no number of minutes" in ran.done[-1].stderr
