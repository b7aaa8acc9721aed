"""The workflow on the smallest study: it runs, rests, and reruns exactly what a change touches."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from working_folder import CODE, CONFIG, ROOT, link, snakemake

SHARED = ["build/src", "build/kernel", "build/lab", "build/uml"]
BUILT = [
    "build/firmware/lx106/thinwire.elf",
    "build/firmware/lx106/thinwire-secure.elf",
    "build/firmware/lx106/thinwire-tls13.elf",
    "build/firmware/lx106/thinwire-mqtt5.elf",
    "build/firmware/lx106/thinwire-mqtt5-secure.elf",
    "build/firmware/lx106/thinwire-mqtt5-tls13.elf",
    "build/firmware/lx106/thinwire-dhcp.elf",
    "build/firmware/lx106/thinwire-oscore.elf",
    "build/dtls/dtls-terminator",
    "build/sim/air/air",
    "build/sim/air/air-figures",
    "build/sim/lx106/lx106",
    "build/sim/lx106/lx106-lockstep",
    "build/sim/wire/wire",
    "build/sim/nbiot/nbiot",
]
SIZES = "build/firmware/lx106/sizes.csv"
GOALS = ["results/metrics/smoke.csv", "results/reports/smoke"]
SMALL = """\
configfile: "config.yaml"
include: "workflow/rules/common.smk"
rule where:
    output: "place"
    shell: "command -v thinwire >{output}"
"""


def planned(workdir, *arguments):
    """What a run would do now, in the words of the rules' messages."""
    done = snakemake(workdir, "--dry-run", *(arguments or GOALS))
    assert done.returncode == 0, done.stderr
    text = done.stdout + done.stderr
    messages = re.findall(r"^Job \d+: (.+)$", text, re.MULTILINE)
    assert messages or "Nothing to be done" in text, text
    return sorted(messages)


def lay_out(workdir):
    """A working folder of its own that has the project's code.

    The workflow, which tests change, and what `make test` has built are copies: nothing of the
    project is touched from here.
    """
    tables = ["data/recordings.yaml", "data/published", "data/full", "data/tls"]
    link(workdir, "Snakefile", *CODE, *SHARED, *tables)
    shutil.copytree(ROOT / "workflow", workdir / "workflow")
    for name in BUILT:
        (workdir / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, workdir / name)
    (workdir / "config.yaml").write_text(CONFIG, encoding="utf-8")


@pytest.fixture(scope="module")
def workdir(tmp_path_factory):
    """A working folder that has run the study once."""
    workdir = tmp_path_factory.mktemp("workflow")
    lay_out(workdir)
    done = snakemake(workdir, *GOALS)
    assert done.returncode == 0, done.stdout + done.stderr
    return workdir


@pytest.mark.lab
def test_every_goal_is_made(workdir):
    for goal in GOALS:
        assert (workdir / goal).stat().st_size > 0


@pytest.mark.lab
def test_a_second_run_does_nothing(workdir):
    assert planned(workdir) == []


@pytest.mark.lab
def test_the_report_has_the_figures_with_their_captions(workdir):
    """`snakemake --report` is given no number of cores, as by the workflow catalogue."""
    done = subprocess.run(
        ["snakemake", "--report", "report.html", "--", *GOALS],
        cwd=workdir,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    page = (workdir / "report.html").read_text(encoding="utf-8")
    assert "workflow/studies/smoke.yaml" in page and "a laboratory for the messaging" in page
    for figure in (workdir / "results/reports/smoke").glob("*.pdf"):
        assert figure.name in page
    (workdir / "report.html").unlink()


@pytest.mark.lab
def test_the_notebooks_of_r_and_python_load_the_same(workdir):
    """Both report the median of the same trial's round trips, which is that of the metrics."""
    shutil.copytree(ROOT / "docs/notebooks", workdir / "docs/notebooks")
    render = 'rmarkdown::render("docs/notebooks/study.Rmd", knit_root_dir = getwd(), quiet = TRUE)'
    texts = []
    for command in ([sys.executable, "docs/notebooks/study.py"], ["Rscript", "-e", render]):
        done = subprocess.run(command, cwd=workdir, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        texts.append(done.stdout)
    page = (workdir / "docs/notebooks/study.html").read_text(encoding="utf-8")
    shutil.rmtree(workdir / "docs/notebooks")
    [(count, trip)] = re.findall(r"median of (\d+) round trips is ([0-9.]+) ms", texts[0])
    assert f"The median of {count} round trips is {trip} ms" in page
    [name] = re.findall(r"^(\S+) \(ok, seed", texts[0], re.M)
    rows = (workdir / "results/metrics/smoke.csv").read_text(encoding="utf-8").splitlines()
    [metric] = [row.split(",") for row in rows if row.startswith(f"smoke,{name},rtt_median_ms,")]
    assert float(metric[3]) == pytest.approx(float(trip), abs=0.001) and metric[5] == count


@pytest.mark.lab
def test_a_changed_byte_reruns_exactly_its_descendants(workdir):
    capture = min(workdir.glob("data/raw/smoke/*/wire.pcapng.gz"))
    before = capture.read_bytes()
    try:
        # byte 4 to 7 of a gzip header hold a time that no reader looks at
        capture.write_bytes(before[:4] + bytes([before[4] ^ 1]) + before[5:])
        jobs = planned(workdir)
    finally:
        capture.write_bytes(before)
    assert jobs == [
        "Collecting the tables of smoke",
        "Measuring smoke, batch 0001",
        "Reporting smoke",
    ]


@pytest.mark.lab
@pytest.mark.parametrize(
    ("layer", "again"),
    [
        ("report", {"Reporting"}),
        ("study", {"Measuring", "Collecting", "Reporting"}),
        ("capture", {"Measuring", "Collecting", "Reporting"}),
    ],
)
def test_a_change_in_the_analysis_reruns_its_layer_and_what_is_above(workdir, layer, again):
    code = min((workdir / "workflow" / "R" / layer / "R").glob("*.R"))
    before = code.read_bytes()
    try:
        code.write_bytes(before + b"# a word\n")
        jobs = planned(workdir)
    finally:
        code.write_bytes(before)
    assert {job.split()[0] for job in jobs} == again


@pytest.mark.lab
def test_figures_are_drawn_without_a_look_at_any_bundle(workdir):
    rules = re.search(r"^DRAWING = (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1]
    colours = workdir / "workflow" / "R" / "report" / "R" / "theme.R"
    before = colours.read_bytes()
    (workdir / "data").rename(workdir / "elsewhere")
    try:
        colours.write_bytes(before + b"# a word\n")
        words = ["--allowed-rules", *rules.split(), "--", "results/reports/smoke"]
        assert planned(workdir, *words) == ["Reporting smoke"]
    finally:
        colours.write_bytes(before)
        (workdir / "elsewhere").rename(workdir / "data")


@pytest.mark.lab
def test_a_crate_of_the_bundles_gives_the_same_results_without_a_laboratory(workdir, tmp_path):
    """Neither machine nor firmware is there, and the sizes are those of the crate."""
    goals = ["results/metrics/smoke.csv", "results/claims.csv", "results/tables"]
    (workdir / SIZES).write_text("engine,flash_bytes,ram_bytes\nbase,50000,8000\nmqtt,6000,3000\n")
    done = snakemake(workdir, *goals)
    assert done.returncode == 0, done.stdout + done.stderr
    crate = tmp_path / "smoke.zip"
    words = ["thinwire", "crate", "make", "smoke", "--out", crate]
    subprocess.run(words, cwd=workdir, check=True, capture_output=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    link(elsewhere, "Snakefile", *CODE, "workflow", "data/recordings.yaml", "data/published")
    config = CONFIG.replace("testbed: virtual", f"testbed: crate\ncrate: {crate}")
    (elsewhere / "config.yaml").write_text(config, encoding="utf-8")
    done = snakemake(elsewhere, *goals)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Trial smoke/" not in done.stdout + done.stderr
    results = ["metrics", "samples", "factors", "firmware", "tables", "claims.csv", "numbers.tex"]
    same = [path for name in results for path in (workdir / "results" / name).rglob("*.*")]
    same += [workdir / "results" / name for name in results if "." in name]
    for path in same:
        assert (elsewhere / path.relative_to(workdir)).read_bytes() == path.read_bytes(), path
    assert len(same) > 10
    (workdir / SIZES).unlink()


def test_a_testbed_without_its_crate_is_explained(tmp_path):
    link(tmp_path, *CODE, "workflow")
    (tmp_path / "config.yaml").write_text(CONFIG.replace("virtual", "crate"), encoding="utf-8")
    done = snakemake(tmp_path, "--dry-run", "--snakefile", "workflow/Snakefile")
    assert done.returncode == 2
    assert "config.yaml: crate: is empty, and the testbed is 'crate'" in done.stderr


@pytest.mark.parametrize(
    ("study", "words"),
    [
        ("quickstart", ["--report common", "--figures delivery rtt bytes"]),
        ("modem-sleep", ["--report common", "--figures bytes"]),
        ("matrix", ["--report matrix", "--tables sizes=build/firmware/lx106/sizes.csv"]),
        ("security", ["--report security", "--tables sizes=build/firmware/lx106/sizes.csv"]),
        ("limits", ["--report limits"]),
        ("ufes", ["--report ufes"]),
        ("ufrn", ["--report ufrn", "published=data/published/ufrn2018.csv"]),
    ],
)
def test_a_study_has_the_report_that_it_names(tmp_path, study, words):
    link(tmp_path, "Snakefile", *CODE, "workflow", "build/src", "build/kernel")
    link(tmp_path, "data/recordings.yaml", "data/published")
    (tmp_path / "config.yaml").write_text(CONFIG.replace("smoke", study), encoding="utf-8")
    done = snakemake(tmp_path, "--dry-run", "--printshellcmds")
    assert done.returncode == 0, done.stdout + done.stderr
    text = done.stdout + done.stderr
    [command] = set(re.findall(r"Rscript workflow/scripts/report\.R .*", text))
    for word in [*words, f"--study {study} ", f"--out results/reports/{study} "]:
        assert word in command
    assert f"paper/build.sh --class plain results/paper.pdf results {study} " in text


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("profile: quick", "profil: quick", ["config.yaml", "unknown key 'profil'", "'profile'?"]),
        ("[smoke]", "[smok]", ["smok.yaml", "no such study", "did you mean 'smoke'?"]),
        ("quick", "fast", ["config.yaml: profile", "is not allowed"]),
        ("profile: quick", "profile: quick\nprofile: full", ["config.yaml", "'profile'", "twice"]),
        ("[smoke]", "[stacks]", ["config.yaml: zephyr: a study asks", "name the folder of a Zeph"]),
    ],
)
def test_a_typo_in_the_configuration_is_explained(tmp_path, old, new, words):
    link(tmp_path, *CODE, "workflow")
    (tmp_path / "config.yaml").write_text(CONFIG.replace(old, new), encoding="utf-8")
    done = snakemake(tmp_path, "--dry-run")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


@pytest.fixture
def small(tmp_path):
    """A working folder whose workflow has one rule, which notes where its command line is."""
    link(tmp_path, *CODE, "workflow")
    (tmp_path / "config.yaml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "Snakefile").write_text(SMALL, encoding="utf-8")
    return tmp_path


def alone(workdir, *arguments):
    """Run this environment's Snakemake by its path, with an ordinary user's PATH."""
    command = [Path(sys.executable).parent / "snakemake", "--cores", "1", *arguments]
    return subprocess.run(
        command,
        cwd=workdir,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "HOME": str(workdir)},
    )


def test_the_rules_find_the_command_line_beside_their_snakemake(small):
    done = alone(small)
    assert done.returncode == 0, done.stderr
    workdir = (small / "place").read_text(encoding="utf-8").strip()
    assert workdir == str(Path(sys.executable).parent / "thinwire")


@pytest.mark.parametrize("word", ["nbiot=false", "nbiot=False", "recordings=no", "studies=smoke"])
def test_the_command_line_takes_yes_and_no_as_people_write_them(small, word):
    done = alone(small, "--dry-run", "--config", word)
    assert done.returncode == 0, done.stderr


def test_a_workflow_without_its_command_line_ends_at_once(small):
    text = (small / "Snakefile").read_text(encoding="utf-8")
    hide = "import shutil\nshutil.which = lambda *_, **__: None\n"
    (small / "Snakefile").write_text(hide + text, encoding="utf-8")
    done = alone(small, "--dry-run")
    assert done.returncode == 2
    assert "thinwire: not found, needed for all rules; run 'make setup'" in done.stderr


def test_no_rule_runs_python_by_snakemake_itself():
    """It does not quote its path: `script:` and `run:` fail where that has a blank."""
    own = sorted((ROOT / "workflow" / "rules").glob("*.smk"))
    for rules in [ROOT / "workflow/Snakefile", *own]:
        lines = rules.read_text(encoding="utf-8").splitlines()
        assert not {"    script:", "    run:", "    notebook:"} & set(lines), rules.name
