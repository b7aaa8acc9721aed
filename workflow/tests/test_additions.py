"""Is what docs/architecture.md names all that it takes to add a protocol, a server, a board, ...?

A protocol, a server and a study are what `thinwire new` makes. Of the others each folder of
`additions` holds the files, and the file of the same name beside it the lines that other files get
for it. All are added to one copy of the project, which is built, runs trials and measures them.
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
NEW = ["protocol knock", "server silent --of udp", "server mute --of tcp", "study first"]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
COPIED = ["firmware", "hil", "workflow"]
TEMPLATES = "workflow/templates"  # which have tests
LINKED = [
    "build/src",
    "build/kernel",
    "build/sim",
    "build/uml",
    "data/oscore",
    "data/recorded",
    "data/tls",
    "setup",
]
THINWIRE = [sys.executable, "-m", "hil.cli"]
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


def add(workdir, kind):
    """Add a thing to the copy of the project."""
    for name, source in files(kind).items():
        assert not (workdir / name).exists()
        (workdir / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, workdir / name)
    for name, edits in lines(kind).items():
        text = (workdir / name).read_text(encoding="utf-8")
        for edit in edits:
            text = insert(text, edit)
        (workdir / name).write_text(text, encoding="utf-8")


def check_named(kind, made, changed):
    """The page names these files for a kind; a word of capital letters stands for any name."""
    [row] = re.findall(rf"^\| a {kind}\b.* \| (.+) \| (.+) \|$", PAGE, re.M)
    own, touched = (re.findall("`([^`]+)`", cell) for cell in row)
    patterns = [re.sub("[A-Z]{3,}", "*", name) for name in own]
    for name in made:
        assert any(fnmatch.fnmatch(name, pattern) for pattern in patterns), name
    assert set(changed) <= set(touched)


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_names_the_files(kind):
    check_named(kind, files(kind), lines(kind))
    for edits in lines(kind).values():
        assert len(edits) <= 2, "an entry, and what imports it"


def call(workdir, *command):
    """Run a command in the copy, with the copy's own Python modules; what it prints."""
    done = subprocess.run(
        list(map(str, command)),
        cwd=workdir,
        env={**os.environ, "PYTHONPATH": str(workdir)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def workdir(tmp_path_factory):
    """A copy of the project to which everything is added, with its firmware."""
    workdir = tmp_path_factory.mktemp("additions")
    for name in COPIED:
        shutil.copytree(ROOT / name, workdir / name, ignore=shutil.ignore_patterns("tests"))
    shutil.copytree(ROOT / TEMPLATES, workdir / TEMPLATES, dirs_exist_ok=True)
    for name in LINKED:
        (workdir / name).parent.mkdir(exist_ok=True)
        (workdir / name).symlink_to(ROOT / name)
    for kind in KINDS:
        add(workdir, kind)
    said = [call(workdir, *THINWIRE, "new", *words.split()) for words in NEW]
    (workdir / "said").write_text("".join(said), encoding="utf-8")
    built = "build/firmware/lx106"
    call(workdir, "setup/configure", "firmware/boards/lx106", built, "-DBUILD_TESTING=OFF")
    call(workdir, "cmake", "--build", built)
    return workdir


def trial(workdir, name, *options, **parameters):
    """Run a study of one trial; its bundle, which is verified."""
    figures = {"figures": ["sent"]}
    blocks = {key: [value] for key, value in (STUDY | parameters).items()}
    profile = {"repetitions": 1, "blocks": [blocks]}
    study = {"study": name, "title": name, "question": "Does it run?", "constants": {}} | figures
    study["profiles"] = {"quick": profile, "full": profile}
    file = workdir / "workflow" / "studies" / f"{name}.yaml"
    file.write_text(json.dumps(study), encoding="utf-8")
    return run(workdir, name, *options)


def run(workdir, name, *options):
    """Run the trials of a study that options choose; the first's bundle, which is verified."""
    out = ["--machine", "uml", "--out", "data/raw"]
    call(workdir, *THINWIRE, "trial", "run", name, *out, *options)
    [bundle] = (workdir / "data" / "raw" / name).iterdir()
    call(workdir, *THINWIRE, "trial", "verify", bundle)
    return bundle


def events(bundle, log, name):
    """The lines of a log with this event."""
    found = map(json.loads, (bundle / log).read_text(encoding="utf-8").splitlines())
    return [line for line in found if line["ev"] == name]


@pytest.fixture(scope="module")
def knocks(workdir):
    """The bundle of a trial of the added protocol."""
    return trial(workdir, "knock", mode="knock-plain")


@pytest.fixture(scope="module")
def tables(workdir, knocks):
    """Its tables, as a study has them; metrics, samples, factors."""
    found = {name: f"results/{name}/knock.csv" for name in ("metrics", "samples", "factors")}
    for name in found.values():
        (workdir / name).parent.mkdir(parents=True)
    options = [word for name, file in found.items() for word in (f"--{name}", file)]
    call(workdir, "Rscript", "workflow/scripts/measure.R", "--bundles", knocks, *options)
    return found


@pytest.fixture(scope="module")
def metrics(workdir, tables):
    """Its metrics by name."""
    rows = (workdir / tables["metrics"]).read_text(encoding="utf-8").splitlines()[1:]
    return {row.split(",")[2]: float(row.split(",")[3]) for row in rows}


@pytest.mark.lab
@pytest.mark.parametrize("words", NEW)
def test_the_page_names_what_the_command_makes(workdir, words):
    kind, name, *_ = words.split()
    [made] = re.findall(
        rf"((?:^made .*\n)*^made .*/\w*{name}\b.*\n(?:^made .*\n)*)((?:^changed .*\n)*)",
        (workdir / "said").read_text(encoding="utf-8"),
        re.M,
    )
    check_named(kind, *(re.findall(r"^\w+ +(\S+)$", lines, re.M) for lines in made))


@pytest.mark.lab
def test_the_tests_of_a_new_engine_hold(workdir, tmp_path):
    """With the bench of the project's own; and its fuzzer compiles."""
    tests, program = workdir / "firmware/tests", tmp_path / "test_knock"
    bench, core = ROOT / "firmware/tests/unit/support", workdir / "firmware/core"
    cc = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Werror", f"-I{core.parent}"]
    cc += ["-Wno-unused-parameter"]  # as tests.cmake has it
    # OSCORE's primitives are mbedTLS's; a build without TW_OSCORE needs none of it.
    engines = [path for path in core.rglob("*.c") if path.parent.name != "oscore"]
    code = [*engines, bench / "bench.c", tests / "unit/test_knock.c"]
    call(workdir, *cc, f"-I{bench}", "-o", program, *code, "-lcmocka")
    call(workdir, program)
    fuzzer = [f"-I{ROOT}/firmware/tests/fuzz", tests / "fuzz/fuzz_knock.c"]
    call(workdir, *cc, "-c", "-o", tmp_path / "fuzz.o", *fuzzer)


@pytest.mark.lab
def test_what_is_new_is_laid_out_as_the_linters_want_it(workdir):
    core = workdir / "firmware/core"
    code = [*core.glob("protocols/knock/knock.[ch]"), core / "app/registry.h"]
    call(workdir, "clang-format", f"--style=file:{ROOT}/.clang-format", "-n", "-Werror", *code)
    call(workdir, "ruff", "check", "--config", ROOT / "pyproject.toml", "hil/peers")


@pytest.mark.lab
def test_a_new_study_is_planned_and_run(workdir):
    planned = call(workdir, *THINWIRE, "studies", "first").splitlines()
    trials = [line.split()[-1] for line in planned if line.startswith("-")]
    assert len(trials) == 10 and trials[0] == "mqtt-qos1_payload40_messages50_r1"
    bundle = run(workdir, "first", "--trial", "coap-con_payload40_messages50_r1")
    assert len(events(bundle, "board.jsonl", "acked")) == 50


@pytest.mark.lab
def test_a_protocol_is_run_and_measured(knocks, metrics):
    assert len(events(knocks, "board.jsonl", "sent")) == 10
    assert [line["bytes"] for line in events(knocks, "server.jsonl", "received")] == [30] * 10
    assert (metrics["sent"], metrics["delivered"], metrics["messages"]) == (10, 10, 10)
    assert metrics["bytes_per_message"] == 14 + 20 + 8 + 30  # Ethernet, IPv4, UDP, payload


@pytest.mark.lab
@pytest.mark.parametrize(("mode", "peer"), [("udp-ack", "silent"), ("tcp-ack", "mute")])
def test_a_server_stands_where_a_trial_names_it(workdir, mode, peer):
    bundle = trial(workdir, peer, mode=mode, peer=peer)
    received = events(bundle, "server.jsonl", "received")
    assert [(line["server"], line["seq"]) for line in received] == [
        (peer, seq) for seq in range(1, 11)
    ]
    assert events(bundle, "board.jsonl", "acked") == []


@pytest.mark.lab
def test_a_board_runs_a_trial(workdir):
    bundle = trial(workdir, "board", "--board", "lx200", mode="udp-ack")
    document = json.loads((bundle / "trial.json").read_text(encoding="utf-8"))
    assert document["firmware"]["board"] == "lx200" and bundle.name.endswith("_r1_lx200")
    assert len(events(bundle, "board.jsonl", "acked")) == 10


@pytest.mark.lab
def test_a_link_carries_a_trial(workdir):
    bundle = trial(workdir, "link", mode="udp-ack", link="cable")
    lab = json.loads((bundle / "lab.json").read_text(encoding="utf-8"))
    assert lab["link"] == {"kind": "cable"}
    assert len(events(bundle, "board.jsonl", "acked")) == 10


@pytest.mark.lab
def test_a_metric_is_measured(metrics):
    assert metrics["device_gap_mean_ms"] == pytest.approx(100, abs=20)


@pytest.mark.lab
def test_a_figure_is_drawn(workdir, tables):
    options = [word for name, file in tables.items() for word in (f"--{name}", file)]
    report = ["workflow/scripts/report.R", "--study", "knock", "--report", "common"]
    call(workdir, "Rscript", *report, *options, "--out", "report", "--figures", "sent")
    assert (workdir / "report" / "sent.pdf").read_bytes().startswith(b"%PDF")
    assert "Knock" in (workdir / "report" / "table.tex").read_text(encoding="utf-8")
