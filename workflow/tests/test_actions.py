"""Does each workflow of GitHub keep who starts it, on which machine and with which rights?

`actions.yaml` is the reviewed copy of these keys (docs/hardware.md, "Who may start boards"); zizmor
checks pins, scripts and caches. `bad_actions.yaml` has changes that zizmor does not report."""

import json
import os
import re
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from hil.base.documents import parse_yaml, read_yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = {path.name: path for path in sorted((ROOT / ".github/workflows").iterdir())}
REVIEWED = read_yaml(Path(__file__).with_name("actions.yaml"))
VARIANTS = read_yaml(Path(__file__).with_name("bad_actions.yaml"))
# What decides whose code a step runs.
SOURCES = {"ref", "repository", "run-id", "cache"}


def step_guards(step):
    """The action without its pin, whose code it runs, and the script that reads `env`."""
    kept = {key: value for key, value in step.items() if key == "env"}
    if "env" in step and "run" in step:
        kept["run"] = step["run"]
    if "uses" in step:
        given = step.get("with", {})
        kept["uses"] = step["uses"].partition("@")[0]
        kept |= {key: given[key] for key in sorted(SOURCES & given.keys())}
    return kept


def guards(workflow):
    """The keys of a workflow, of its jobs and of their steps that decide what may happen."""
    jobs = {}
    for name, job in workflow["jobs"].items():
        steps = [kept for step in job.get("steps", []) if (kept := step_guards(step))]
        jobs[name] = {k: v for k, v in job.items() if k not in {"name", "strategy"}}
        jobs[name]["steps"] = steps
    return {key: value for key, value in workflow.items() if key != "name"} | {"jobs": jobs}


def test_every_workflow_was_reviewed():
    assert {name: guards(read_yaml(path)) for name, path in WORKFLOWS.items()} == REVIEWED


@pytest.mark.parametrize("name", VARIANTS)
def test_a_bad_variant_needs_a_review(name):
    variant = VARIANTS[name]
    file, text = variant["file"], variant["new"]
    if "old" in variant:
        ours = WORKFLOWS[file].read_text(encoding="utf-8")
        assert variant["old"] in ours, "the workflow has changed: change the variant"
        text = ours.replace(variant["old"], text)
    assert guards(parse_yaml(text)) != REVIEWED.get(file)


def test_every_program_that_a_workflow_runs_is_there():
    for file, path in WORKFLOWS.items():
        for job in read_yaml(path)["jobs"].values():
            lines = [line for step in job["steps"] for line in step.get("run", "").splitlines()]
            for program in (line.split()[0] for line in lines):
                if re.fullmatch(r"[\w.-]+/[\w./-]+", program) and not program.startswith(".venv/"):
                    assert os.access(ROOT / program, os.X_OK), f"{file}: {program}"


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
    ("pull", "refusal"),
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
def test_a_run_headed_by_a_fork_never_starts(api, tmp_path, pull, refusal):
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
    assert done.returncode == int(bool(refusal))
    assert refusal in done.stderr
    assert output.read_text() == ("" if refusal else f"commit={SHA}\n")
