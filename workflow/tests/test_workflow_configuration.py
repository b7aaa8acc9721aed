"""What the workflow makes of its configuration and of the place in which it runs, without a run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from working_folder import CODE, CONFIG, ROOT, link, snakemake

SMALL = """\
configfile: "config.yaml"
include: "workflow/rules/common.smk"
rule where:
    output: "place"
    shell: "command -v thinwire >{output}"
"""


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
