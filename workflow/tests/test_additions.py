"""Is what docs/architecture.md names all that it takes to add a protocol, a server, a board, ...?

Each folder of `additions` holds the files of such a thing, and the file of the same name beside it
the lines that other files get for it. All are added to one copy of the project, which is built,
runs trials and measures them.
"""

import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
ADDITIONS = Path(__file__).parent / "additions"
KINDS = sorted(path.stem for path in ADDITIONS.glob("*.yaml"))
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
COPIED = ["firmware", "hil", "workflow"]
LINKED = ["build/src", "build/kernel", "build/uml", "data/tls", "setup"]
STUDY = {"interval_ms": 100, "messages": 10, "payload_bytes": 30, "link": "netem"}


def files(kind):
    """The files of an addition, by their places."""
    paths = [path for path in sorted((ADDITIONS / kind).rglob("*")) if path.is_file()]
    return {str(path.relative_to(ADDITIONS / kind)): path for path in paths}


def lines(kind):
    """The lines of an addition by the files that get them; see `insert`."""
    return yaml.safe_load((ADDITIONS / f"{kind}.yaml").read_text(encoding="utf-8"))


def insert(text, edit):
    """`text` with what an edit inserts before a text, the first that stands below another."""
    below = text.index("\n" + edit["below"]) + 1 + len(edit["below"]) if "below" in edit else 0
    at = text.index(edit["before"], below)
    return text[:at] + edit["insert"] + text[at:]


def add(place, kind):
    """Add a thing to the copy of the project."""
    for name, source in files(kind).items():
        assert not (place / name).exists()
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, place / name)
    for name, edits in lines(kind).items():
        text = (place / name).read_text(encoding="utf-8")
        for edit in edits:
            text = insert(text, edit)
        (place / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_names_the_files(kind):
    """A word of capital letters stands for any name."""
    [row] = re.findall(rf"^\| a {kind}\b.* \| (.+) \| (.+) \|$", PAGE, re.M)
    own, touched = (re.findall("`([^`]+)`", cell) for cell in row)
    patterns = [re.sub("[A-Z]{3,}", "*", name) for name in own]
    for name in files(kind):
        assert any(fnmatch.fnmatch(name, pattern) for pattern in patterns), name
    for name, edits in lines(kind).items():
        assert name in touched
        assert len(edits) <= 2, "an entry, and what imports it"


def call(place, *command):
    """Run a command in the copy, with the copy's own Python modules; what it prints."""
    done = subprocess.run(
        list(map(str, command)),
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(place)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A copy of the project to which everything is added, with its firmware."""
    place = tmp_path_factory.mktemp("additions")
    for name in COPIED:
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("tests"))
    for name in LINKED:
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).symlink_to(ROOT / name)
    for kind in KINDS:
        add(place, kind)
    built = "build/firmware/lx106"
    call(place, "setup/configure", "firmware/boards/lx106", built)
    call(place, "cmake", "--build", built)
    return place


def trial(place, name, *options, **parameters):
    """Run a study of one trial; its bundle, which is verified."""
    figures = {"figures": ["sent"]}
    blocks = {key: [value] for key, value in (STUDY | parameters).items()}
    profile = {"repetitions": 1, "blocks": [blocks]}
    study = {"study": name, "title": name, "question": "Does it run?", "constants": {}} | figures
    study["profiles"] = {"quick": profile, "full": profile}
    file = place / "workflow" / "studies" / f"{name}.yaml"
    file.write_text(json.dumps(study), encoding="utf-8")
    thinwire = [sys.executable, "-m", "hil.cli", "trial"]
    call(place, *thinwire, "run", name, "--machine", "uml", "--out", "data/raw", *options)
    [bundle] = (place / "data" / "raw" / name).iterdir()
    call(place, *thinwire, "verify", bundle)
    return bundle


def events(bundle, log, name):
    """The lines of a log with this event."""
    found = map(json.loads, (bundle / log).read_text(encoding="utf-8").splitlines())
    return [line for line in found if line["ev"] == name]


@pytest.fixture(scope="module")
def knocks(place):
    """The bundle of a trial of the added protocol."""
    return trial(place, "knock", mode="knock-plain")


@pytest.fixture(scope="module")
def tables(place, knocks):
    """Its tables, as a study has them; metrics, samples, factors."""
    found = {name: f"results/{name}/knock.csv" for name in ("metrics", "samples", "factors")}
    for name in found.values():
        (place / name).parent.mkdir(parents=True)
    options = [word for name, file in found.items() for word in (f"--{name}", file)]
    call(place, "Rscript", "workflow/scripts/measure.R", "--bundles", knocks, *options)
    return found


@pytest.fixture(scope="module")
def metrics(place, tables):
    """Its metrics by name."""
    rows = (place / tables["metrics"]).read_text(encoding="utf-8").splitlines()[1:]
    return {row.split(",")[2]: float(row.split(",")[3]) for row in rows}


@pytest.mark.lab
def test_a_protocol_is_run_and_measured(knocks, metrics):
    assert len(events(knocks, "board.jsonl", "sent")) == 10
    assert [line["bytes"] for line in events(knocks, "server.jsonl", "received")] == [30] * 10
    assert (metrics["sent"], metrics["delivered"], metrics["messages"]) == (10, 10, 10)
    assert metrics["bytes_per_message"] == 14 + 20 + 8 + 30  # Ethernet, IPv4, UDP, payload


@pytest.mark.lab
def test_a_server_stands_where_a_trial_names_it(place):
    bundle = trial(place, "silent", mode="udp-ack", peer="silent")
    received = events(bundle, "server.jsonl", "received")
    assert [line["server"] for line in received] == ["silent"] * 10
    assert events(bundle, "board.jsonl", "acked") == []


@pytest.mark.lab
def test_a_board_runs_a_trial(place):
    bundle = trial(place, "board", "--board", "lx200", mode="udp-ack")
    document = json.loads((bundle / "trial.json").read_text(encoding="utf-8"))
    assert document["firmware"]["board"] == "lx200" and bundle.name.endswith("_r1_lx200")
    assert len(events(bundle, "board.jsonl", "acked")) == 10


@pytest.mark.lab
def test_a_link_carries_a_trial(place):
    bundle = trial(place, "link", mode="udp-ack", link="cable")
    lab = json.loads((bundle / "lab.json").read_text(encoding="utf-8"))
    assert lab["link"] == {"kind": "cable"}
    assert len(events(bundle, "board.jsonl", "acked")) == 10


@pytest.mark.lab
def test_a_metric_is_measured(metrics):
    assert metrics["device_gap_mean_ms"] == pytest.approx(100, abs=20)


@pytest.mark.lab
def test_a_figure_is_drawn(place, tables):
    options = [word for name, file in tables.items() for word in (f"--{name}", file)]
    report = ["workflow/scripts/report.R", "--study", "knock", "--report", "common"]
    call(place, "Rscript", *report, *options, "--out", "report", "--figures", "sent")
    assert (place / "report" / "sent.pdf").read_bytes().startswith(b"%PDF")
    assert "Knock" in (place / "report" / "table.tex").read_text(encoding="utf-8")
