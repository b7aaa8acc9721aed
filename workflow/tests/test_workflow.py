"""The workflow on the smallest study: it runs, rests, and reruns exactly what a change touches."""

import re
import shutil
import subprocess
import sys

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
    tables = ["data/recordings.yaml", "data/published", "data/full", "data/oscore", "data/tls"]
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
