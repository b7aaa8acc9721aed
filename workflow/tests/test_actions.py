"""No fork reaches hardware: the rules of tools/check_actions.py hold for our workflows,
and each bad variant of them (bad_actions.yaml) breaks the rule that it is made to break."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from hil.base.documents import read_yaml

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools" / "check_actions.py"
VARIANTS = read_yaml(Path(__file__).with_name("bad_actions.yaml"))
HIL, CI = "hil.yml", "ci.yml"


def check(folder):
    """Exit status and lines of the check of a folder."""
    done = subprocess.run(
        [sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False, cwd=ROOT
    )
    return done.returncode, done.stdout.splitlines(), done.stderr


def rules(folder):
    """The same, within this process, as {(file, rule)}."""
    return {(each.where.partition(":")[0], each.rule) for each in Workflows(folder).findings()}


sys.path.insert(0, str(SCRIPT.parent))
from check_actions import Workflows  # noqa: E402


@pytest.fixture
def github(tmp_path):
    """A copy of .github that a test may spoil."""
    return shutil.copytree(ROOT / ".github", tmp_path / ".github")


def test_no_fork_reaches_the_boards():
    assert check(ROOT / ".github") == (0, [], "")


def test_every_program_that_a_workflow_runs_is_there():
    for file, workflow in Workflows(ROOT / ".github").files.items():
        for job in workflow["jobs"].values():
            lines = [line for step in job["steps"] for line in step.get("run", "").splitlines()]
            for program in (line.split()[0] for line in lines):
                if re.fullmatch(r"[\w.-]+/[\w./-]+", program) and not program.startswith(".venv/"):
                    assert os.access(ROOT / program, os.X_OK), f"{file}: {program}"


def test_a_finding_is_told_and_fails(github):
    (github / "workflows" / "espflash.yml").write_text(
        VARIANTS["espflash"]["new"], encoding="utf-8"
    )
    status, lines, _ = check(github)
    assert status == 1
    assert "espflash.yml: boards: reach: pull_request reaches a board" in lines


@pytest.mark.parametrize("name", VARIANTS)
def test_a_bad_variant_is_rejected(github, name):
    variant = VARIANTS[name]
    rule, file, text = variant["rule"], variant["file"], variant["new"]
    path = github / "workflows" / file
    if "old" in variant:
        ours = path.read_text(encoding="utf-8")
        assert variant["old"] in ours, "the workflow has changed: change the variant"
        text = ours.replace(variant["old"], variant["new"])
    path.write_text(text, encoding="utf-8")
    found = rules(github)
    # a caller is at fault for what it calls
    assert (file, rule) in found or (HIL, rule) in found, found


def test_a_local_action_is_read_too(github):
    place = github / "actions" / "greet"
    place.mkdir(parents=True)
    steps = (
        "runs:\n  using: composite\n  steps:\n    - {run: 'echo ${{ inputs.who }}', shell: bash}\n"
    )
    (place / "action.yml").write_text(steps, encoding="utf-8")
    assert rules(github) == {("./.github/actions/greet", "script")}


def test_a_key_that_stands_twice_is_refused(github):
    path = github / "workflows" / CI
    path.write_text(path.read_text(encoding="utf-8") + "\non: push\n", encoding="utf-8")
    status, _, told = check(github)
    assert status == 2
    assert "key 'on' stands twice" in told


@pytest.fixture
def api():
    """A server that answers for the pull requests it is given: {number: document}."""
    pulls = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = json.dumps(pulls[self.path.rpartition("/")[2]]).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield pulls, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


SHA = "a" * 40
OURS = {"state": "open", "head": {"sha": SHA, "repo": {"full_name": "us/thinwire"}}}


@pytest.mark.parametrize(
    ("pull", "told"),
    [
        (OURS, ""),
        (
            {**OURS, "head": {"sha": SHA, "repo": {"full_name": "them/thinwire"}}},
            "by them/thinwire",
        ),
        ({**OURS, "head": {"sha": SHA, "repo": None}}, "a repository that is gone"),
        ({**OURS, "state": "closed"}, "is not open"),
    ],
    ids=["ours", "fork", "gone", "closed"],
)
def test_a_run_headed_by_a_fork_never_starts(api, tmp_path, pull, told):
    pulls, address = api
    pulls["7"] = pull
    output = tmp_path / "output"
    output.touch()
    environment = {
        "PATH": os.environ["PATH"],
        "GITHUB_API_URL": address,
        "GITHUB_REPOSITORY": "us/thinwire",
        "GITHUB_OUTPUT": str(output),
    }
    done = subprocess.run(
        [ROOT / ".ci" / "trusted-head", "7"],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == int(bool(told))
    assert told in done.stderr
    assert output.read_text() == ("" if told else f"commit={SHA}\n")
